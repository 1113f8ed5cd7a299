# SPDX-License-Identifier: GPL-2.0-or-later
"""What docs/scale.md promises: pieces of a capture are deciphered alone, processes side by side do
not disturb each other, sharkd answers in any order, and exports for databases hold all messages.

That its commands run is tested by test_commands.py."""

import collections
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import pages
import tqtest

NAME = "counter_wrap_5017"


def count_types(rows):
    return collections.Counter(kind for row in rows for kind in row)


class Scale(tqtest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o777)

    def cut(self, *how):
        subprocess.run(["editcap", *how, tqtest.capture(NAME), self.folder + "/piece.pcapng"],
                       check=True, capture_output=True)
        pieces = sorted(glob.glob(self.folder + "/piece*"))
        for piece in pieces:
            os.chmod(piece, 0o644)
        return pieces

    def assert_read_in_pieces(self, pieces):
        """Each message is read in one piece, but for those that lie across a cut."""
        self.assertGreater(len(pieces), 3)
        wanted = tqtest.expected_messages(
            tqtest.truth_rows(os.path.join(tqtest.TRUTH, NAME + ".jsonl")))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            shown = list(pool.map(lambda piece: tqtest.shown_messages(piece, two_passes=True),
                                  pieces))
        for piece, messages in zip(pieces, shown):
            self.assertTrue(messages, piece)
        total = sum(shown, collections.Counter())
        self.assertEqual(collections.Counter(), total - wanted)
        cuts = len(pieces) - 1
        self.assertLessEqual(sum((wanted - total).values()), 2 * cuts)  # one in each direction

    def test_pieces_by_packets(self):
        self.assert_read_in_pieces(self.cut("-c", "300"))

    def test_pieces_by_time(self):
        self.assert_read_in_pieces(self.cut("-i", "1"))

    def test_connection(self):
        path = self.folder + "/connection.pcapng"
        tqtest.run(["-r", tqtest.capture("login_5017"), "-Y", "tcp.stream == 1", "-w", path])
        whole = tqtest.shown_messages(tqtest.capture("login_5017"),
                                      display_filter="tq && tcp.stream == 1")
        self.assertTrue(whole)
        self.assertEqual(whole, tqtest.shown_messages(path))

    def test_in_parallel(self):
        paths = sorted(glob.glob(os.path.join(tqtest.CAPTURES, "*_5017.pcapng")))

        def read(path):
            return tqtest.tshark(path, ["-Y", "tq", "-T", "fields", "-e", "frame.number", "-e",
                                        "tq.type"])

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            together = list(pool.map(read, paths))
        self.assertEqual([read(path) for path in paths], together)

    def test_sharkd_in_any_order(self):
        frames = (594, 19, 42, 19, 4, 300, 19)
        requests = [{"jsonrpc": "2.0", "id": 1, "method": "load",
                     "params": {"file": tqtest.capture("login_5017")}}]
        requests += [{"jsonrpc": "2.0", "id": number, "method": "frame",
                      "params": {"frame": frame, "proto": True}}
                     for number, frame in enumerate(frames, 2)]
        done = tqtest.run(["-"], program="sharkd",
                          stdin="".join(json.dumps(request) + "\n" for request in requests))
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        self.assertEqual(len(requests), len(answers), done.stderr)
        trees = [answer["result"].get("tree") for answer in answers[1:]]
        self.assertEqual(trees[1], trees[3])
        self.assertEqual(trees[1], trees[6])
        self.assertIn("Name: Alphatest", json.dumps(trees[1]))

    def types(self):
        """How many messages of each type a capture has, from the truth."""
        rows = tqtest.truth_rows(os.path.join(tqtest.TRUTH, "login_5017.jsonl"))
        return collections.Counter(
            str(int(plain[6:8] + plain[4:6], 16))
            for (*_, plain), count in tqtest.expected_messages(rows).items()
            for _ in range(count))

    def ek(self):
        return tqtest.tshark(tqtest.capture("login_5017"),
                             ["-Y", "tq", "-T", "ek", "-e", "frame.number", "-e", "tcp.stream",
                              "-e", "tq.type"])

    def test_ek(self):
        lines = [json.loads(line) for line in self.ek().splitlines()]
        self.assertEqual(self.types(),
                         count_types(line["layers"].get("tq_type", []) for line in lines
                                     if "layers" in line))

    def test_json(self):
        packets = json.loads(tqtest.tshark(tqtest.capture("login_5017"), [
            "-Y", "tq", "-T", "json", "--no-duplicate-keys", "-J", "tq conquer"]))

        def messages(packet):
            layer = packet["_source"]["layers"]["tq"]
            return layer if isinstance(layer, list) else [layer]

        self.assertEqual(self.types(), count_types(
            [message["tq.type"] for message in messages(packet) if "tq.type" in message]
            for packet in packets))

    def test_parquet(self):
        if not shutil.which("duckdb"):
            self.skipTest("skipped: duckdb is not installed")
        with open(self.folder + "/messages.ek", "w") as file:
            file.write(self.ek())
        (_, _, code), = pages.blocks(os.path.join(tqtest.SOURCE, "docs", "scale.md"), "sql")
        done = subprocess.run(["duckdb", "-csv", "-noheader"], input=code, cwd=self.folder,
                              text=True, capture_output=True, check=True)
        shown = dict(line.split(",") for line in done.stdout.split())
        self.assertEqual(5, len(shown))
        for kind, count in shown.items():
            self.assertEqual(self.types()[kind], int(count))


if __name__ == "__main__":
    unittest.main()

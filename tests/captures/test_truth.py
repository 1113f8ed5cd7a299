# SPDX-License-Identifier: GPL-2.0-or-later
"""Every message of the shipped captures, compared with what the servers logged."""

import base64
import json
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tqtest

WITH_LOGIN = ["login_5017", "register_5017", "segmentation_5017", "counter_wrap_5017",
              "dropped_5017", "reordered_5017", "retransmissions_5017", "login_4330",
              "blowfish_5065"]

# Each in turn, besides the defaults.
TCP_PREFERENCES = [
    "tcp.reassemble_out_of_order:TRUE",
    "tcp.analyze_sequence_numbers:FALSE",
    "tcp.relative_sequence_numbers:FALSE",
    "tcp.desegment_tcp_streams:FALSE",
    "tcp.no_subdissector_on_error:FALSE",
]


def wanted(name):
    return tqtest.expected_messages(
        tqtest.truth_rows(os.path.join(tqtest.TRUTH, name + ".jsonl")))


def shown(name, preferences=(), two_passes=False):
    return tqtest.shown_messages(tqtest.capture(name),
                                 list(tqtest.PREFERENCES.get(name, [])) + list(preferences),
                                 two_passes)


class Truth(tqtest.TestCase):
    def test_first_pass(self):
        for name in WITH_LOGIN:
            with self.subTest(name):
                self.assert_messages(wanted(name), shown(name), name)

    def test_second_pass(self):
        for name in WITH_LOGIN:
            with self.subTest(name):
                self.assert_messages(wanted(name), shown(name, two_passes=True), name)

    def test_tcp_preferences(self):
        for preference in TCP_PREFERENCES:
            for name in WITH_LOGIN:
                with self.subTest(name, preference=preference):
                    self.assert_messages(wanted(name), shown(name, [preference]), name)

    def test_start_not_captured(self):
        name = "mid_game_5017"
        self.assert_messages(wanted(name), shown(name, two_passes=True), name)
        # On one pass, what came before the recovery stays dark, and nothing is shown wrong.
        extra = shown(name) - wanted(name)
        self.assertFalse(extra)

    def test_start_not_captured_and_not_recovered(self):
        self.assertFalse(shown("mid_game_5017", ["tq.recover_keys:FALSE"], two_passes=True))


class Backends(tqtest.TestCase):
    def test_every_backend(self):
        for backend in ("scalar", "sse2", "avx2", "avx512", "neon"):
            used = {value for row in
                    tqtest.fields(tqtest.capture("login_5017"), ["tq.backend"], "tq.backend",
                                  ["tq.backend:" + backend]) for value in row[0]}
            if used != {backend}:
                # It falls back, and says so.
                self.assertEqual(1, len(used))
                notes = tqtest.fields(tqtest.capture("login_5017"), ["frame.number"],
                                      "tq.backend.unavailable", ["tq.backend:" + backend])
                self.assertTrue(notes)
                print("skipped: this machine has no backend", backend)
                continue
            for name in ("login_5017", "segmentation_5017", "counter_wrap_5017", "login_4330"):
                for two_passes in (False, True):
                    with self.subTest(name, backend=backend):
                        self.assert_messages(
                            wanted(name), shown(name, ["tq.backend:" + backend], two_passes), name)


class RandomAccess(tqtest.TestCase):
    """sharkd dissects frames one by one in any order, as clicks in the window do."""

    @staticmethod
    def nodes(tree):
        for node in tree:
            yield node
            yield from RandomAccess.nodes(node.get("n", []))

    def ask(self, name, frames):
        requests = [{"jsonrpc": "2.0", "id": 1, "method": "load",
                     "params": {"file": tqtest.capture(name)}}]
        requests += [{"jsonrpc": "2.0", "id": 2 + i, "method": "frame",
                      "params": {"frame": frame, "proto": True, "bytes": True}}
                     for i, frame in enumerate(frames)]
        text = "".join(json.dumps(request) + "\n" for request in requests)
        config = tqtest.options(tqtest.PREFERENCES.get(name, []))
        output = tqtest.run(["-"] + config[:0], program="sharkd", stdin=text).stdout
        answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        return {frames[answer["id"] - 2]: answer["result"]
                for answer in answers if answer["id"] >= 2}

    def test_random_order(self):
        generator = random.Random(1)
        for name in ("login_5017", "reordered_5017", "retransmissions_5017", "segmentation_5017",
                     "mid_game_5017"):
            with self.subTest(name):
                rows = tqtest.truth_rows(os.path.join(tqtest.TRUTH, name + ".jsonl"))
                last = int(tqtest.fields(tqtest.capture(name), ["frame.number"])[-1][0][0])
                frames = list(range(1, last + 1)) * 2
                generator.shuffle(frames)
                plain = bytearray()
                answers = self.ask(name, frames)
                self.assertEqual(last, len(answers))
                for frame in sorted(answers):
                    for source in answers[frame].get("ds", []):
                        if source["name"].startswith("Decrypted TQ"):
                            plain += base64.b64decode(source["bytes"])
                size = sum(len(key[3]) // 2 * count
                           for key, count in tqtest.expected_messages(rows).items())
                self.assertEqual(size, len(plain))
                self.assertEqual(
                    sum(tqtest.expected_messages(rows).values()),
                    sum(1 for frame in answers for node in self.nodes(answers[frame]["tree"])
                        if node.get("f", "").startswith("tq.plaintext")))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Thousands of generated conversations with faults, compared with what was said in them.

TQ_SEED and TQ_SCALE in the environment ask for other conversations, and for more of them."""

import json
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check
import generate
import tqtest

SEED = int(os.environ.get("TQ_SEED", "1"))
SCALE = float(os.environ.get("TQ_SCALE", "1"))

# Conversations of each profile; of those not named, COUNT.
COUNT = 60
COUNTS = {"wrap": 3, "late": 12, "late-lose": 12, "late-elsewhere": 12, "late-crumbs": 6, "bytes": 12,
          "logins": 25, "null": 20, "loopback": 20, "raw": 20, "cooked": 20}

# What users may have changed in TCP's preferences; each is tried alone.
TCP_PREFERENCES = ["tcp.reassemble_out_of_order:TRUE", "tcp.analyze_sequence_numbers:FALSE",
                   "tcp.relative_sequence_numbers:FALSE", "tcp.desegment_tcp_streams:FALSE",
                   "tcp.no_subdissector_on_error:FALSE"]


class TestCase(unittest.TestCase):
    def make(self, profile, seed=SEED, scale=1.0):
        number = max(1, int(COUNTS.get(profile, COUNT) * SCALE * scale))
        capture = check.Capture(profile, seed, number)
        self.addCleanup(capture.remove)
        return capture


class Faults(TestCase):
    def judge(self, capture, preferences=(), passes=(False, True)):
        for two_passes in passes:
            shown = capture.show(preferences, two_passes)
            faults, searched, unfound = capture.compare(shown, two_passes)
            if faults:
                self.fail("%s\n%s" % ("with -2" if two_passes else "on one pass",
                                      capture.describe(faults)))
            self.assertLessEqual(unfound, 2 + searched // check.UNFOUND,
                                 "not found behind gaps, of %d; profile %s, seed %d"
                                 % (searched, capture.profile, capture.seed))

    def test_profiles(self):
        for profile in generate.PROFILES:
            with self.subTest(profile):
                self.judge(self.make(profile))

    def test_tcp_preferences(self):
        for profile in ("everything", "retransmit", "misplaced", "ends", "logins",
                        "blowfish-everything"):
            capture = self.make(profile, SEED + 1, 0.3)
            for preference in TCP_PREFERENCES:
                with self.subTest(profile, preference=preference):
                    self.judge(capture, [preference], (True,))


def texts(node_list):
    """The plaintexts in a protocol tree of sharkd's."""
    for node in node_list:
        if node.get("f", "").startswith("tq.plaintext =="):
            yield node["f"].split("==", 1)[1].strip().replace(":", "")
        yield from texts(node.get("n", []))


class RandomAccess(TestCase):
    """sharkd dissects single frames in any order, as clicks in the window do. It has been through the
    file once, so what it shows must be what two passes show."""

    def ask(self, captures):
        """Loads captures one after the other into one process, and looks at all frames of each in
        random order, at some twice. Returns the plaintexts by capture and frame."""
        rng, requests, asked = random.Random(SEED), [], {}
        for number, capture in enumerate(captures):
            requests.append({"method": "load", "params": {"file": capture.path}})
            frames = list(range(1, capture.frames + 1))
            frames += rng.sample(frames, len(frames) // 4)
            rng.shuffle(frames)
            for frame in frames:
                requests.append({"method": "frame", "params": {"frame": frame, "proto": True}})
                asked[len(requests)] = number, frame
        text = "".join(json.dumps(dict(request, jsonrpc="2.0", id=i)) + "\n"
                       for i, request in enumerate(requests, 1))
        found = {}
        for line in tqtest.run(["-"], program="sharkd", stdin=text).stdout.splitlines():
            answer = json.loads(line)
            if answer["id"] in asked:
                plains = sorted(texts(answer["result"].get("tree", [])))
                self.assertEqual(plains, found.setdefault(asked[answer["id"]], plains),
                                 "a frame looked at twice")
        return found

    def test_random_frames(self):
        # The first capture comes again at the end: nothing of the second may have stayed.
        first, second = self.make("everything", scale=0.3), self.make("late-lose", scale=0.5)
        found = self.ask([first, second, first])
        for number, capture in enumerate((first, second, first)):
            rows = tqtest.fields(capture.path, ["frame.number", "tq.plaintext"], two_passes=True)
            for row in rows:
                key = number, int(row[0][0])
                self.assertEqual(sorted(row[1]), found[key],
                                 "file %d, profile %s, frame %d" % (number, capture.profile,
                                                                    key[1]))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""What is not TQ's, or is broken: nothing is made of it, and the user is told once.

TQ_SEED in the environment asks for other bytes."""

import collections
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate
import traffic
import tqtest
from traffic import C2S, S2C, Conversation

SEED = int(os.environ.get("TQ_SEED", "1"))

# What other protocols say, and noise; enough of it to tell.
PROTOCOLS = {
    "noise": lambda rng: rng.randbytes(rng.randrange(8, 300)),
    "zeros": lambda rng: bytes(rng.randrange(8, 100)),
    "tls": lambda rng: bytes.fromhex("1603010200010001fc0303") + rng.randbytes(506),
    "http": lambda rng: b"GET /%d HTTP/1.1\r\nHost: a.example\r\n\r\n" % rng.getrandbits(32),
    "ssh": lambda rng: b"SSH-2.0-OpenSSH_9.%d\r\n" % rng.randrange(9),
}


class TestCase(unittest.TestCase):
    def write(self, conversations):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        path = os.path.join(folder.name, "test.pcap")
        generate.write(path, conversations, "ethernet", SEED)
        return path


class Foreign(TestCase):
    def make(self, number, port):
        """Connections that say a few things in each direction; of a third the start is missing."""
        made = []
        for i in range(number):
            rng = random.Random("foreign/%d/%d" % (SEED, i))
            client = "10.3.%d.%d" % (i // 250, 1 + i % 250), rng.randrange(49152, 65536)
            c = Conversation(rng, client, ("192.0.2.9", port))
            say = rng.choice(list(PROTOCOLS.values()))
            for _ in range(rng.randrange(1, 4)):
                for direction in rng.sample((C2S, S2C), 2):
                    c.say(direction, [say(rng)], lambda plain, at: plain)
            c.cut("turn")
            if rng.random() < 0.33:
                c.segments = c.segments[3:]
            made.append(c)
        return made

    def test_known_port(self):
        conversations = self.make(2000, 5816)
        path = self.write(conversations)
        names = ["tcp.stream", "tq.plaintext", "_ws.expert.message"]
        told = collections.Counter()
        for stream, plain, notes in tqtest.fields(path, names, "tq"):
            self.assertFalse(plain, "connection %s" % stream)
            told[stream[0]] += sum("TQ connection" in note or "not in the capture" in note
                                   for note in notes)
        self.assertEqual({1}, set(told.values()), told.most_common(3))
        self.assertEqual(len(conversations), len(told))

    def test_other_port(self):
        path = self.write(self.make(4000, 7777))
        self.assertFalse(tqtest.fields(path, ["frame.number"], "tq"))


class BadLengths(TestCase):
    """A size that is none ends the framing there; what comes later is found again."""

    def test_bad_lengths(self):
        for size in (0, 1, 3):
            for direction in (C2S, S2C):
                with self.subTest(size, direction=direction):
                    self.check(size, direction)

    def check(self, size, direction):
        rng = random.Random("bad/%d/%d" % (SEED, size))
        c = Conversation(rng, ("10.4.0.1", 50000), ("192.0.2.1", 5816))
        traffic.talk_to_game(c, 1, 2, 20, 0, generate.NAMES_5017)
        encipher = traffic.tq_ciphers(1, 2, 28)
        c.say(direction, [size.to_bytes(2, "little") + b"\xec\x03" + bytes(20)],
              encipher[direction])
        broken = len(c.streams[direction].messages) - 1
        traffic.fill(c, rng, traffic.Pool.get(*generate.NAMES_5017), 20, 0, encipher)
        c.cut("message")
        wanted = collections.Counter()
        for d in (C2S, S2C):
            for i, m in enumerate(c.streams[d].messages):
                if (d, i) != (direction, broken):
                    wanted[generate.endpoint(c.client), generate.endpoint(c.server), d,
                           m.plain.hex()] += 1
        path = self.write([c])
        self.assertEqual(wanted, tqtest.shown_messages(path))
        notes = tqtest.fields(path, ["frame.number"], "tq.bad_length")
        self.assertEqual(1, len(notes))


if __name__ == "__main__":
    unittest.main()

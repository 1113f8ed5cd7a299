# SPDX-License-Identifier: GPL-2.0-or-later
"""Work and memory stay in proportion to the capture, measured against the protocol disabled."""

import os
import random
import shutil
import tempfile
import unittest

import hostile

CONNECTIONS = 100000 if hostile.SLOW else 3000
SPACE = 8 << 30 if hostile.SLOW else 1 << 30
NOISE = 20000 if hostile.SLOW else 3000

# Times of that disabled.
NOISE_FACTOR = 3


@unittest.skipUnless(shutil.which("time"), "skipped: no time")
@unittest.skipIf(os.environ.get("TQ_PRELOAD"), "skipped: the sanitizers' own cost hides the plugin's")
class Limits(unittest.TestCase):
    def measure(self, name, packets, arguments=()):
        capture = hostile.Capture(packets)
        self.addCleanup(capture.remove)
        return hostile.compare(capture.path, name, arguments)

    def test_noise(self):
        """Random bytes on the game port, from connections whose start is and is not there."""
        source = random.Random(1)
        for started in (False, True):
            packets, seq = [], {}
            for port in range(50000, 50000 + 20):
                packets += hostile.opening(port) if started else []
            for _ in range(NOISE):
                port, server = 50000 + source.randrange(20), source.random() < 0.6
                payload = source.randbytes(source.randrange(20, 1400))
                at = seq.setdefault((port, server), 1)
                seq[port, server] = at + len(payload)
                packets.append(hostile.frame(port, at, payload, server=server))
            enabled, disabled = self.measure("noise, %s" % ("started" if started else "mid-stream"),
                                             packets)
            self.assertLess(enabled[0], NOISE_FACTOR * disabled[0] + 0.5)

    def test_noise_with_many_secrets(self):
        """Each might be of a connection whose key exchange was not captured."""
        source = random.Random(2)
        keylog = tempfile.NamedTemporaryFile("w", suffix=".keylog")
        self.addCleanup(keylog.close)
        for _ in range(300):
            keylog.write("TQ_SECRET %0128X %0128X\n" % (source.getrandbits(512),
                                                        source.getrandbits(512)))
        keylog.flush()
        os.chmod(keylog.name, 0o644)
        at, packets = {}, []
        for _ in range(NOISE):
            port, payload = 50000 + source.randrange(20), source.randbytes(source.randrange(20, 200))
            seq = at.setdefault(port, 1)
            at[port] += len(payload)
            packets.append(hostile.frame(port, seq, payload, server=True))
        enabled, disabled = self.measure("noise, 300 secrets", packets,
                                         ["-o", "tq.keylog_file:" + keylog.name])
        self.assertLess(enabled[0], NOISE_FACTOR * disabled[0] + 10)

    def test_connections(self):
        packets = (hostile.frame(1024 + i % 60000, 1, bytes([i & 255]) * 60, server=bool(i & 1),
                                 client_ip="10.%d.0.2" % (1 + i // 60000))
                   for i in range(CONNECTIONS) for _ in range(3))
        enabled, disabled = self.measure("%d connections" % CONNECTIONS, packets)
        self.assertLess(enabled[1] - disabled[1], 50 + 0.01 * CONNECTIONS)

    def test_sequence_space(self):
        """One connection that goes on in steps of 64 KiB, of which a few bytes were captured."""
        packets = (hostile.frame(50000, (1 + at) & 0xffffffff, b"\x5a" * 64, server=True)
                   for at in range(0, SPACE, 65536))
        enabled, disabled = self.measure("%d GiB of sequence space" % (SPACE >> 30), packets)
        self.assertLess(enabled[1] - disabled[1], 200)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that are damaged or lie. Quick ones; TQ_SLOW=1 asks for more rates and captures,
TQ_SEEDS for so many seeds of random errors."""

import glob
import itertools
import os
import random
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

import hostile
import tqtest
import wire

CAPTURES = sorted(glob.glob(os.path.join(tqtest.CAPTURES, "*.pcapng")))
RATES = (0.001, 0.01, 0.1) if hostile.SLOW else (0.02,)
SEEDS = range(int(os.environ.get("TQ_SEEDS", 1)))
PREFERENCES = tqtest.options(tqtest.PREFERENCES["blowfish_5065"])


class Damaged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.path = os.path.join(folder.name, "damaged.pcap")

    def edit(self, path, arguments):
        subprocess.run(["editcap"] + arguments + [path, self.path], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def each_capture(self, check, size_max=200000):
        for path in CAPTURES:
            if hostile.SLOW or os.path.getsize(path) <= size_max:
                with self.subTest(os.path.basename(path)):
                    check(path)

    def test_what_was_found(self):
        """Captures that once took without end."""
        found = glob.glob(os.path.join(os.path.dirname(__file__), "regressions", "*"))
        self.assertTrue(found)
        for path in found:
            with self.subTest(os.path.basename(path)):
                hostile.show(path, ["-2"])

    @unittest.skipUnless(shutil.which("editcap"), "skipped: no editcap")
    def test_random_errors(self):
        def check(path):
            for rate, seed in itertools.product(RATES, SEEDS):
                self.edit(path, ["-E", str(rate), "--seed", str(seed + 1)])
                with self.subTest(rate=rate, seed=seed + 1):
                    hostile.show(self.path, ["-2"] + PREFERENCES)
        self.each_capture(check)

    @unittest.skipUnless(shutil.which("editcap"), "skipped: no editcap")
    def test_snap_lengths(self):
        def check(path):
            for length in (40, 54, 67, 90) if hostile.SLOW else (67,):
                self.edit(path, ["-s", str(length)])
                hostile.show(self.path, PREFERENCES)
        self.each_capture(check, 80000)

    def test_cut_file(self):
        with open(CAPTURES[0], "rb") as file:
            data = file.read()
        for length in random.Random(1).sample(range(300, len(data)), 30 if hostile.SLOW else 4):
            with open(self.path, "wb") as out:
                out.write(data[:length])
            hostile.show(self.path, check=False)


class Lies(unittest.TestCase):
    def show(self, packets, arguments=(), times=None):
        capture = hostile.Capture(packets, times)
        self.addCleanup(capture.remove)
        return hostile.show(capture.path, arguments)

    def test_lengths_below_the_header(self):
        for plain in (b"\0\0\xec\3", b"\3\0\xec\3", b"\1\0\0\0"):
            text = self.show(hostile.talk(struct.pack("<HHI", 8, 1059, 7) + plain * 8))
            self.assertEqual(1, hostile.counted(r"\n    \[Expert Info.*is less than the header", text))

    def test_longest_messages(self):
        body = struct.pack("<HH", 65535, 1004) + bytes(65531)
        text = self.show(hostile.talk(body * 3))
        self.assertEqual(3, hostile.counted(r"\(1004\), 65535 bytes", text))

    def test_texts_longer_than_a_label(self):
        """Of characters of several bytes and of none, cut by Wireshark wherever its room ends."""
        talks = b""
        for length in range(40, 256):
            words = b"\x80\x81" * 128
            body = struct.pack("<III", 0xffffff, 2000, 0) + b"\4" + b"".join(
                bytes([size]) + words[-size:] for size in (length, length // 2, length // 3, 255))
            talks += struct.pack("<HH", len(body) + 4, 1004) + body
        text = self.show(hostile.talk(talks), ["-o", "tq.patch:4330"])
        self.assertEqual(256 - 40, hostile.counted(r"\n        Words\b", text))

    def test_messages_of_a_header_alone(self):
        count = 1000000 if hostile.SLOW else 20000
        capture = hostile.Capture(hostile.talk(struct.pack("<HH", 4, 1009) * count))
        self.addCleanup(capture.remove)
        shown = tqtest.fields(capture.path, ["tq.length"])
        self.assertEqual(count + 1, sum(len(row[0]) for row in shown))

    def test_handshake_length(self):
        """A hello in plaintext whose junk claims 2 GiB, and a reply that is no message."""
        hello = bytes(range(11)) + struct.pack("<II", 322, 0x7fffffff) + bytes(311)
        self.show(hostile.opening(50000) + [hostile.frame(50000, 1, hello, server=True),
                                            hostile.frame(50000, 1, hello)])

    def test_time_goes_back(self):
        packets = hostile.opening(50000) + hostile.stream(50000, hostile.connect_message() * 200)
        self.show(packets, ["-2"], times=range(len(packets), 0, -1))


class Files(unittest.TestCase):
    """What the preferences and folders name may be anything."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o777)
        self.folder = folder.name
        self.capture = tqtest.capture("register_5017")

    def make(self, kind, path):
        if kind == "folder":
            os.mkdir(path)
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            with open(path, "wb") as out:
                if kind == "binary":
                    out.write(random.Random(1).randbytes(20000))
                elif kind == "endless line":
                    out.write(b"A" * 3000000)
                elif kind == "half":
                    out.write(b"<dictionary><message type=\"1001\"\n TQ_SECRET B2")
                elif kind == "huge":
                    out.truncate(1 << 33)
        os.chmod(path, 0o777)

    def test_key_log(self):
        for kind in ("folder", "pipe", "binary", "endless line", "half", "huge"):
            path = os.path.join(self.folder, kind.replace(" ", "_"))
            self.make(kind, path)
            done = tqtest.run(["-o", "tq.keylog_file:" + path, "-r",
                               tqtest.capture("blowfish_5065")])
            with self.subTest(kind):
                if kind not in ("half", "binary"):
                    self.assertIn("TQ:", done.stderr)

    def test_dictionary(self):
        for kind in ("folder", "pipe", "binary", "endless line", "half", "huge"):
            home = os.path.join(self.folder, kind.replace(" ", "_"))
            folder = os.path.join(home, "tq")
            os.makedirs(folder)
            for name in (home, folder):
                os.chmod(name, 0o777)
            self.make(kind, os.path.join(folder, "mine.xml"))
            os.environ["WIRESHARK_CONFIG_DIR"] = home
            self.addCleanup(os.environ.pop, "WIRESHARK_CONFIG_DIR", None)
            done = tqtest.run(["-r", self.capture, "-T", "fields", "-e", "tq.type"])
            with self.subTest(kind):
                self.assertIn("mine.xml", done.stderr)
                self.assertIn("1052", done.stdout)


class Secrets(unittest.TestCase):
    def test_passwords(self):
        """Neither in the tree nor in expert infos, unless asked for."""
        path = tqtest.capture("login_5017")
        hidden = hostile.show(path) + tqtest.tshark(path, ["-q", "-z", "expert"])
        asked = hostile.show(path, ["-o", "tq.show_passwords:TRUE"])
        passwords = set(re.findall(r"\[Password: (.+)\]", asked))
        self.assertTrue(passwords)
        self.assertEqual([], [word for word in passwords if word in hidden])

    def test_key_log(self):
        with open(os.path.join(tqtest.CAPTURES, "blowfish_5065.keylog")) as file:
            secret = file.read().split()[-1]
        done = tqtest.run(PREFERENCES + ["-V", "-z", "expert", "-r",
                                         tqtest.capture("blowfish_5065")])
        self.assertNotIn(secret.lower(), (done.stdout + done.stderr).lower())


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole sessions of each cipher, made by an independent implementation, seen through the plugin."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import generate_session
import tqtest


class Sessions(tqtest.TestCase):
    @classmethod
    def setUpClass(cls):
        # tshark may run as another user, who is to read the files.
        cls.folder = tempfile.TemporaryDirectory(prefix="tq-sessions-")
        os.chmod(cls.folder.name, 0o755)
        cls.name = os.path.join(cls.folder.name, "session")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def generate(self, arguments):
        options = generate_session.parse_arguments(arguments.split() + [self.name])
        session = generate_session.Session(options)
        session.run_account()
        session.run_game()
        session.write(self.name)

    def shown(self, two_passes=False, keylog=None):
        path = self.name + ".keylog" if keylog is None else keylog
        return tqtest.shown_messages(self.name + ".pcap", ["tq.keylog_file:" + path], two_passes)

    def check(self, arguments, passes=(False, True)):
        with self.subTest(arguments):
            self.generate(arguments)
            wanted = tqtest.expected_messages(tqtest.truth_rows(self.name + ".truth.jsonl"))
            for two_passes in passes:
                self.assert_messages(wanted, self.shown(two_passes), arguments)

    def test_ciphers(self):
        for cipher in generate_session.CIPHERS:
            self.check("--cipher " + cipher)
            self.check("--random 2 --segments random --coalesce --cipher " + cipher)

    def test_initial_ciphers(self):
        for cipher in ("blowfish", "cast5"):
            for key in ("DR654dt34trg4UI6", "R3Xx97ra5j8D6uZz"):
                self.check("--initial-cipher %s --initial-key %s" % (cipher, key), (False,))

    def test_key_log(self):
        for kind in ("secret", "secret-by-client", "server", "client"):
            self.check("--keylog " + kind)

    def test_numbers(self):
        for arguments in ("--zero-public 1", "--zero-public 1 --pad-keys", "--zero-secret 1",
                          "--zero-secret 1 --cipher cast5-md5", "--lower --terminated",
                          "--p-bits 256 --g 7", "--p-bits 768", "--zero-ivs", "--swap-ivs",
                          "--server-junk 0 --client-junk 0", "--server-junk 300 --client-junk 99"):
            self.check(arguments, (False,))

    def test_before_reply(self):
        for length in (1, 8, 20, 36):
            self.check("--dummy %d" % length)
            self.check("--dummy %d --dummy-enciphered" % length)

    def test_cut_around_key_change(self):
        for at in range(-12, 45):
            self.check("--messages 5 --cut %d" % at, (False,))

    def test_segments(self):
        for how in ("byte", "random", "turn"):
            self.check("--segments " + how)

    def test_retransmission_and_disorder(self):
        for seed in (1, 2):
            self.check("--repeat 20 --random %d" % seed)
            self.check("--reorder 20 --random %d --cipher cast5" % seed)

    def test_loss(self):
        for cipher in generate_session.CIPHERS:
            self.check("--lose 8 --messages 200 --random 119 --cipher " + cipher)

    def test_no_secret(self):
        """What needs no secret is there all the same, and nothing else."""
        self.generate("--cipher cast5")
        rows = tqtest.truth_rows(self.name + ".truth.jsonl")
        account = [row for row in rows if row["stream"] == "auth"]
        self.assert_messages(tqtest.expected_messages(account), self.shown(keylog=""))

    def test_wrong_secret(self):
        """It fits the public key alone. The tree says so, and never what it is."""
        with open(os.path.join(tqtest.CAPTURES, "blowfish_5065.keylog")) as file:
            words = file.read().split()
        secret = words[-1][:-4] + "%04X" % (int(words[-1][-4:], 16) ^ 1)
        with tempfile.NamedTemporaryFile("w", suffix=".keylog") as keylog:
            keylog.write("TQ_SECRET %s %s\n" % (words[-2], secret))
            keylog.flush()
            os.chmod(keylog.name, 0o644)
            shown = tqtest.tshark(tqtest.capture("blowfish_5065"), ["-V"],
                                  ["tq.keylog_file:" + keylog.name])
        self.assertEqual(1, shown.count("(Warning/Decryption): The session key is not known: the "
                                        "secret in line 1 fits the public key, but does not "
                                        "decipher the connection"))
        self.assertNotIn(secret, shown)


if __name__ == "__main__":
    unittest.main()

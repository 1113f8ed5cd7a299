# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/tqassert on captures that hold what is asked and on others, and as the job files call it."""

import glob
import os
import re
import shlex
import subprocess
import tempfile
import unittest

import pages
import tqtest

PROGRAM = os.path.join(tqtest.SOURCE, "tools", "tqassert")


def check(name, *arguments, tshark=tqtest.WRAPPER):
    path = tqtest.capture(name) if "/" not in name else name
    return subprocess.run([PROGRAM, path] + list(arguments), capture_output=True, text=True,
                          env=dict(os.environ, TSHARK=tshark), timeout=tqtest.TIMEOUT)


class Assert(tqtest.TestCase):
    def assert_holds(self, *arguments):
        done = check(*arguments)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def assert_fails(self, reason, *arguments, status=1):
        done = check(*arguments)
        self.assertEqual(status, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stderr, reason)

    def test_order(self):
        self.assert_holds("login_5017", "--order",
                          "MsgAccount,server:MsgConnectEx,client:MsgConnect,1004,MsgUserInfo")
        self.assert_fails(r"--order: no MsgConnectEx after MsgUserInfo in frame 19; there are Msg",
                          "login_5017", "--order", "MsgAccount,MsgUserInfo,MsgConnectEx")
        self.assert_fails(r"no server:MsgAccount after the start", "login_5017", "--order",
                          "server:MsgAccount")
        self.assert_fails(r"no 9999 after the start", "login_5017", "--order", "9999")
        self.assert_holds("login_5017", "--order", "MsgAccount, client:MsgConnect , MsgTalk")

    def test_value(self):
        self.assert_holds("login_5017", "--value", "conquer.user_info.level=130")
        self.assert_fails(r"conquer\.user_info\.level is 130 in frame 19, not 131", "login_5017",
                          "--value", "conquer.user_info.level=131")
        self.assert_fails(r"no packet has conquer\.register\.hero_name", "login_5017",
                          "--value", "conquer.register.hero_name=x")

    def test_value_by_name(self):
        of_frame = ["login_5017", "--filter", "frame.number == 21", "--value"]
        self.assert_holds(*of_frame, "conquer.action.action=74")
        self.assert_holds(*of_frame, "conquer.action.action=Get position")
        # The name that another patch has for the same number.
        self.assert_fails(r"conquer\.action\.action is 74 in frame 21, not Login spawn", *of_frame,
                          "conquer.action.action=Login spawn")
        self.assert_fails(r"conquer\.action\.action is 96 in frame 25, not Get position",
                          "login_5017", "--filter", "frame.number == 25", "--value",
                          "conquer.action.action=Get position")
        self.assert_holds(*of_frame, "frame.number=21")
        self.assert_fails(r"frame\.number is 21 in frame 21, not 4", *of_frame, "frame.number=4")

    def test_filters(self):
        self.assert_holds("login_5017", "--expect", 'conquer.talk.words == "ANSWER_OK"', "--never",
                          "tq.lost_segment")
        self.assert_fails(r"--expect: no packet is ", "login_5017", "--expect",
                          'conquer.talk.words == "NEW_ROLE"')
        self.assert_fails(r"--never: frame \d+.* is tq\.lost_segment", "dropped_5017", "--never",
                          "tq.lost_segment")

    def test_warnings(self):
        self.assert_holds("login_5017", "--no-warnings")
        self.assert_holds("register_5017", "--no-warnings")
        self.assert_fails(r"--no-warnings: .*\d+ bytes of this direction are missing",
                          "dropped_5017", "--no-warnings")
        self.assert_fails(r"--no-warnings: .*key", "blowfish_5065", "--no-warnings")

    def test_unread_connections(self):
        """A connection that stays undeciphered is no success, whatever the others are."""
        reason = r"--no-warnings: TCP stream %d is not deciphered, from frame %d on"
        wrong_key = 'uat:tq_servers:"127.0.0.1","5816","game","5017","13FA0F9E","6D5C7962",""'
        self.assert_fails(reason % (1, 14), "login_5017", "-o", wrong_key, "--no-warnings")
        self.assert_holds("mid_game_5017", "--no-warnings")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            # The game connection is noise; with its start, and without.
            for packets in ("tcp", "tcp.stream == 0 || frame.number > 40"):
                path = os.path.join(folder, "noise.pcap")
                tqtest.write_noise(path, packets)
                done = check(path, "--order", "MsgAccount,MsgConnectEx", "--no-warnings")
                self.assertEqual(1, done.returncode, done.stdout + done.stderr)
                self.assertRegex(done.stderr, "TCP stream 1 is not deciphered")
                self.assertIn("1 of 2 checks hold", done.stdout)

    def test_exported(self):
        """Plaintext in exported PDUs is checked as the connections are."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            path = os.path.join(folder, "plain.pcapng")
            tqtest.tshark(tqtest.capture("login_5017"), ["-U", "OSI layer 7", "-w", path])
            self.assert_holds(path, "--order", "client:MsgAccount,server:MsgConnectEx,1052,MsgTalk",
                              "--value", "conquer.user_info.level=130", "--no-warnings")
            self.assert_fails("no server:MsgAccount after the start", path, "--order",
                              "server:MsgAccount")

    def test_options(self):
        keylog = tqtest.PREFERENCES["blowfish_5065"][0]
        self.assert_holds("blowfish_5065", "-o", keylog, "--no-warnings", "--order",
                          "client:MsgConnect,MsgTalk,MsgUserInfo")
        self.assert_fails("no MsgConnect after", "login_5017", "--filter", "tcp.stream == 1",
                          "--order", "MsgConnect,MsgConnect")

    def test_all_reasons_are_told(self):
        done = check("dropped_5017", "--order", "MsgUserInfo,MsgConnect", "--value",
                     "conquer.user_info.level=131", "--no-warnings", "--expect", "tq")
        self.assertEqual(1, done.returncode)
        self.assertEqual(3, len(done.stderr.splitlines()))
        self.assertIn("1 of 4 checks hold", done.stdout)

    def assert_unusable(self, reason, *arguments, **options):
        done = check(*arguments, **options)
        self.assertEqual(2, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stderr, reason)
        self.assertNotIn("Traceback", done.stderr)

    def test_unusable_captures(self):
        for path, reason in (("/no/such.pcapng", "doesn't exist"),
                             ("/tmp", "is a directory"),
                             ("/dev/null", "no TQ message|isn't a capture file|special file"),
                             (os.path.join(tqtest.SOURCE, "README.md"), "no TQ message|isn't a ca")):
            with self.subTest(path):
                self.assert_unusable(reason, path, "--no-warnings")
        with tempfile.NamedTemporaryFile(suffix=".pcapng") as file:
            with open(tqtest.capture("login_5017"), "rb") as whole:
                file.write(whole.read(5000))
            file.flush()
            os.chmod(file.name, 0o644)
            self.assert_unusable("cut short", file.name, "--no-warnings")
        self.assert_unusable("no TQ message under the filter udp", "login_5017", "--filter", "udp",
                             "--no-warnings")

    def test_unusable_arguments(self):
        for reason, *arguments in (
                ("no check is asked for",),
                ("the dictionary has no message \"Msgtalk\"; MsgTalk\\?", "--order", "Msgtalk"),
                ("has no message \"\"", "--order", "MsgAccount,"),
                ("before the colon is client or server", "--order", "x:MsgTalk"),
                ("aren't valid|neither a field", "--value", "tq.nothing=1"),
                ("takes FIELD=VALUE", "--value", "tq.type"),
                ("takes FIELD=VALUE", "--value", "=1"),
                ("99999 is no type", "--order", "99999"),
                ("--expect: is empty", "--expect", ""),
                ("--expect: is empty", "--expect", " "),
                ("--never: is empty", "--never", ""),
                ("--order: is empty", "--order", ""),
                ("--value: is empty", "--value", ""),
                ("--filter: is empty", "--filter", " ", "--no-warnings"),
                ("nexpected", "--expect", "((("),
                ("nexpected|yntax", "--filter", "(((", "--no-warnings"),
                ("unknown preference", "-o", "tq.nothing:1", "--no-warnings"),
                ("expected one argument", "--never")):
            with self.subTest(arguments):
                self.assert_unusable(reason, "login_5017", *arguments)

    def test_unusable_tshark(self):
        for program, reason in (("/no/such/tshark", "/no/such/tshark: No such file"),
                                ("/tmp", "/tmp: Permission denied"),
                                ("/bin/echo", "is not tshark"),
                                ("/bin/true", "no TQ message"),
                                ("/bin/false", "exit status 1")):
            with self.subTest(program):
                self.assert_unusable(reason, "login_5017", "--no-warnings", tshark=program)

    def test_missing_plugin(self):
        with tempfile.TemporaryDirectory() as folder:
            # As tools/tshark.sh runs it, with a folder that has no plugin.
            program = os.path.join(folder, "tshark")
            os.makedirs(os.path.join(folder, "build", "plugins"))
            os.chmod(folder, 0o755)
            with open(program, "w") as file:
                file.write("#!/bin/sh\nTQ_BUILD=%s/build exec %s \"$@\"\n" % (folder,
                                                                          tqtest.WRAPPER))
            os.chmod(program, 0o755)
            self.assert_unusable("The plugin is not loaded: see docs/install.md", "login_5017",
                                 "--no-warnings", tshark=program)

    def test_job_files(self):
        for path in glob.glob(os.path.join(tqtest.SOURCE, "docs", "ci", "*.yml")):
            with self.subTest(os.path.basename(path)):
                text = pages.read(path)
                command = re.search(r"tq/tools/tqassert login\.pcapng((?:\s+--.*)+)", text)
                self.assert_holds("login_5017", *shlex.split(command[1]))
                for tool in re.findall(r"\btq/(tools/[\w.]+)", text):
                    self.assertTrue(os.access(os.path.join(tqtest.SOURCE, tool), os.X_OK), tool)


if __name__ == "__main__":
    unittest.main()

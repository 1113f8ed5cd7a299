# SPDX-License-Identifier: GPL-2.0-or-later
"""Each preference, changed while a capture is open, changes what is shown of it, and back again.

sharkd stands in for the window: it keeps its preferences, and loads the capture again."""

import json
import os
import struct
import subprocess
import tempfile
import unittest

import pages  # noqa: F401, for the path
import tqtest

PORT = 26545
KEYLOG = os.path.join(tqtest.CAPTURES, "blowfish_5065.keylog")


def client_side(data, old, new):
    """What goes to a port, by a pcapng file of TCP over IPv4 over Ethernet, with another number."""
    out, at, old, new = b"", 0, struct.pack(">H", old), struct.pack(">H", new)
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        target = at + 28 + 36
        if kind != 6:  # not a packet
            out += data[at:at + length]
        elif data[target:target + 2] == old:
            out += data[at:target] + new + data[target + 2:at + length]
        at += length
    return out


def export_talk(words, path):
    """Writes a MsgTalk as an exported PDU."""
    text = b"".join(bytes([len(part)]) + part for part in (b"A", b"B", b"", words))
    body = struct.pack("<IHHIII", 0, 2000, 0, 0, 0, 0) + bytes([4]) + text
    message = struct.pack("<HH", 4 + len(body), 1004) + body
    dump = "0000 " + " ".join("%02x" % byte for byte in message) + "\n"
    subprocess.run(["text2pcap", "-q", "-P", "conquer", "-", path], input=dump, text=True,
                   check=True, capture_output=True)


class Sharkd:
    """A list of requests, sent in one go."""

    def __init__(self):
        self.requests = []

    def ask(self, method, **parameters):
        self.requests.append({"jsonrpc": "2.0", "id": len(self.requests) + 1, "method": method,
                              "params": parameters})
        return len(self.requests) - 1

    def answers(self):
        text = "".join(json.dumps(request) + "\n" for request in self.requests)
        done = tqtest.run(["-"], program="sharkd", stdin=text)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], \
            done.stderr


class Preferences(tqtest.TestCase):
    def count(self, name, preference, values, display_filter):
        """How many frames a filter finds under each value of a preference in turn."""
        sharkd = Sharkd()
        path = name if "/" in name else tqtest.capture(name)
        sharkd.ask("load", file=path)
        wanted = []
        for value in values:
            sharkd.ask("setconf", name=preference, value=value)
            sharkd.ask("load", file=path)
            # sharkd remembers what a filter has found, by its text.
            wanted.append(sharkd.ask("frames", filter=display_filter + " " * len(wanted)))
        answers, self.stderr = sharkd.answers()
        for answer in answers:
            self.assertIn("result", answer)
        return [len(answers[index]["result"]) for index in wanted]

    def assert_toggles(self, counts):
        """The first value finds nothing, the second something, and the first nothing again."""
        self.assertEqual((0, 0), (counts[0], counts[2]))
        self.assertGreater(counts[1], 0)

    def test_backend(self):
        self.assert_toggles(self.count("login_5017", "tq.backend", ["auto", "scalar", "auto"],
                                       'tq.backend == "scalar"'))

    def test_missing_backend(self):
        # No processor has both.
        found = [self.count("login_5017", "tq.backend", ["auto", name, "auto"],
                            "tq.backend.unavailable") for name in ("neon", "sse2")]
        self.assertEqual(1, sum(counts[1] > 0 for counts in found))
        self.assertTrue(all(counts[0] == counts[2] == 0 for counts in found))

    def test_missing_backend_is_told(self):
        done = [tqtest.run(["-r", tqtest.capture("login_5017"), "-c", "1", "-o",
                            "tq.backend:" + name]) for name in ("neon", "sse2")]
        told = [run.stderr for run in done if "TQ: backend" in run.stderr]
        self.assertEqual(1, len(told))
        self.assertRegex(told[0], r"TQ: backend \w+ is for another processor architecture\. "
                                  r"\w+ serves instead\.")

    def test_patch(self):
        self.assert_toggles(self.count("login_5017", "tq.patch", ["auto", "4267", "auto"],
                                       "conquer.type == 1006 && conquer.patch == 4267"))

    def test_keylog_file(self):
        self.assert_toggles(self.count("blowfish_5065", "tq.keylog_file", ["", KEYLOG, ""],
                                       "tq.cipher == 2 && conquer.talk.words"))

    def test_text_encoding(self):
        file = tempfile.NamedTemporaryFile(suffix=".pcapng")
        self.addCleanup(file.close)
        export_talk("你好".encode("gb18030"), file.name)
        os.chmod(file.name, 0o644)
        self.assert_toggles(self.count(file.name, "tq.text_encoding",
                                       ["windows-1252", "gb18030", "windows-1252"],
                                       'conquer.talk.words == "你好"'))

    def test_recover_keys(self):
        self.assert_toggles(self.count("mid_game_5017", "tq.recover_keys",
                                       ["FALSE", "TRUE", "FALSE"], "tq.key == 5"))

    def test_show_passwords(self):
        self.assert_toggles(self.count("login_5017", "tq.show_passwords",
                                       ["FALSE", "TRUE", "FALSE"], "conquer.password"))

    def moved_capture(self):
        """The client's side of mid_game_5017 on another port, where nothing tells that it is TQ's."""
        file = tempfile.NamedTemporaryFile(suffix=".pcapng")
        self.addCleanup(file.close)
        with open(tqtest.capture("mid_game_5017"), "rb") as original:
            file.write(client_side(original.read(), 5816, PORT))
        file.flush()
        os.chmod(file.name, 0o644)
        return file.name

    def assert_claims(self, path, *arguments):
        self.assertEqual("", tqtest.tshark(path, ["-Y", "tq"]))
        self.assertNotEqual("", tqtest.tshark(path, list(arguments) + ["-Y", "tq"]))

    def test_ports(self):
        self.assert_claims(self.moved_capture(), "-o", "tq.tcp.port:5816,%d-%d" % (PORT, PORT + 1))

    def test_decode_as(self):
        self.assert_claims(self.moved_capture(), "-d", "tcp.port==%d,tq" % PORT)

    def test_servers(self):
        path = self.moved_capture()
        for row in ('"127.0.0.1","%d","game","5017","","",""', '"","%d","","","","",""'):
            with self.subTest(row):
                self.assert_claims(path, "-o", "uat:tq_servers:" + row % PORT)

    def test_servers_of_others(self):
        # A row for another connection, or for any port of this address, claims nothing.
        path = self.moved_capture()
        for row in ('"127.0.0.2","%d","","","","",""' % PORT, '"","1","","","","",""',
                    '"127.0.0.1","","game","","","",""'):
            with self.subTest(row):
                self.assertEqual("", tqtest.tshark(path, ["-o", "uat:tq_servers:" + row, "-Y",
                                                          "tq"]))

    def test_servers_keys(self):
        # With another seed the login is none; with the right one, in any spelling, it is.
        row = 'uat:tq_servers:"","","","","%s","0x6d5c7962",""'
        for seed, found in (("13FA0F9E", False), ("13FA0F9D", True), ("0x13fa0f9d", True)):
            with self.subTest(seed):
                text = tqtest.tshark(tqtest.capture("login_5017"),
                                     ["-o", row % seed, "-Y", "conquer.type == 1051"])
                self.assertEqual(found, text != "")

    def test_wrong_values_are_told(self):
        path = tqtest.capture("blowfish_5065")
        for preference, reason in (
                ("tq.patch:fifty", 'TQ: patch "fifty" is neither auto nor a number'),
                ("tq.patch:99999", 'TQ: patch "99999" is neither auto nor a number'),
                ("tq.keylog_file:/no/such/file", "/no/such/file"),
                ('uat:tq_servers:"nowhere","1","game","","","",""', 'Address: "nowhere" is no IPv4'),
                ('uat:tq_servers:"","port","game","","","",""', 'Port: "port" is no number from 0'),
                ('uat:tq_servers:"","65536","game","","","",""', 'Port: "65536" is no number from'),
                ('uat:tq_servers:"","-1","game","","","",""', 'Port: "-1" is no number from 0'),
                ('uat:tq_servers:"","1","gaming","","","",""', 'Server: "gaming" is neither'),
                ('uat:tq_servers:"","1","","fifty","","",""', 'Patch: "fifty" is neither auto'),
                ('uat:tq_servers:"","1","game","","XYZ","",""', 'P: "XYZ" is not of 8 hex'),
                ('uat:tq_servers:"","1","game","","13FA0F","",""', 'P: "13FA0F" is not of 8 hex'),
                ('uat:tq_servers:"","1","game","","0x3FA0F9D","",""', 'P: "0x3FA0F9D" is not of'),
                ('uat:tq_servers:"","1","game","","","0",""', 'G: "0" is not of 8 hexadecimal'),
                ('uat:tq_servers:"","1","game","","","1FFFFFFFF",""', 'G: "1FFFFFFFF" is not of 8'),
                ('uat:tq_servers:"","1","game","","","","0x1"',
                 "Initial key: 0x is to be followed by pairs of hexadecimal digits")):
            with self.subTest(preference):
                done = tqtest.run(["-r", path, "-o", preference], check=False)
                self.assertIn(reason, done.stderr)

    def test_a_mistake_in_many_lines_is_told_once(self):
        with open(KEYLOG) as file:
            good = file.read()
        for wrong, reason in (("TQ_SECRET %x", "TQ_SECRET needs a public key"),
                              ("TQ_SECRET aa 1%04x", "odd number of digits"),
                              ("%08x 1234", "does not begin with a label")):
            with self.subTest(wrong), tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
                file.write(good + "".join(wrong % line + "\n" for line in range(400)))
                file.flush()
                os.chmod(file.name, 0o644)
                done = tqtest.run(["-r", tqtest.capture("blowfish_5065"), "-Y",
                                   "conquer.talk.words", "-o", "tq.keylog_file:" + file.name])
                told = [line for line in done.stderr.splitlines() if "TQ: " in line]
                self.assertEqual(1, len(told), told)
                self.assertIn(reason, told[0])
                self.assertIn("399 more lines", told[0])
                self.assertTrue(done.stdout)


if __name__ == "__main__":
    unittest.main()

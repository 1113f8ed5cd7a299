# SPDX-License-Identifier: GPL-2.0-or-later
"""Follow -> TQ stream: the plaintext of a stream, compared with what the servers logged."""

import base64
import json
import re
import unittest

import taptest
import tqtest


def follow(name, mode, stream, two_passes=False):
    return taptest.run(name, ["-q", "-z", "follow,tq,%s,%s" % (mode, stream)], two_passes)


def parse_raw(text):
    """Lines of hexadecimal; a tab before what the server sent."""
    lines = re.findall(r"^(\t?)([0-9a-f]+)$", text, re.MULTILINE)
    return [(not tab, bytes.fromhex(digits)) for tab, digits in lines]


def parse_ascii(text):
    """A line with the size, then the text of it."""
    text = text[text.index("Node 1"):]
    at = text.index("\n") + 1
    found = []
    while not text.startswith("=", at):
        tab, size = re.compile(r"(\t?)([0-9]+)\n").match(text, at).groups()
        at += len(tab) + len(size) + 1
        found.append((not tab, text[at:at + int(size)]))
        at += int(size) + 1
    return found


def to_ascii(plain):
    """Line ends stay as they are; Python reads each of them as a newline."""
    return "".join("\n" if byte in b"\r\n" else chr(byte) if 32 <= byte < 127 else "."
                   for byte in plain)


def parse_hex(text):
    """A dump with an offset by direction: the bytes of each direction."""
    flows = {True: b"", False: b""}
    for tab, offset, digits in re.findall(r"^(\t?)([0-9A-F]{8})  ((?:[0-9a-f]{2} {1,2}){1,16})",
                                          text, re.MULTILINE):
        # Each message begins a line, so an offset says how many bytes came before.
        flow = flows[not tab]
        assert int(offset, 16) == len(flow), (offset, len(flow))
        flows[not tab] = flow + bytes.fromhex(digits.replace(" ", ""))
    return flows


def parse_yaml(text):
    found = []
    for packet, peer, data in re.findall(
            r"  - packet: (\d+)\n    peer: (\d)\n    timestamp: [\d.]+\n    data: !!binary \|\n"
            r"((?:      \S+\n)+)", text):
        plain = b"".join(base64.b64decode(line) for line in data.split())
        found.append((int(packet), peer == "0", plain))
    return found


class Follow(tqtest.TestCase):
    def assert_same(self, wanted, shown, what):
        """By direction: between the two, what the capture shows need not be the order of sending."""
        for from_client in (True, False):
            self.assertEqual([m.plain for m in wanted if m.from_client == from_client],
                             [plain for c, plain in shown if c == from_client], what)

    def test_raw(self):
        for name in taptest.CLEAN + taptest.DISTURBED:
            for stream, wanted in taptest.by_stream(name).items():
                for two_passes in (False, True):
                    with self.subTest(name, stream=stream, two_passes=two_passes):
                        self.assert_same(wanted,
                                         parse_raw(follow(name, "raw", stream, two_passes)), name)

    def test_ascii(self):
        for name in ("login_5017", "blowfish_5065"):
            for stream, wanted in taptest.by_stream(name).items():
                shown = parse_ascii(follow(name, "ascii", stream))
                for from_client in (True, False):
                    self.assertEqual(
                        [to_ascii(m.plain) for m in wanted if m.from_client == from_client],
                        [text for c, text in shown if c == from_client])

    def test_hex(self):
        for name in ("login_5017", "blowfish_5065"):
            for stream, wanted in taptest.by_stream(name).items():
                flows = parse_hex(follow(name, "hex", stream))
                for from_client in (True, False):
                    self.assertEqual(
                        b"".join(m.plain for m in wanted if m.from_client == from_client),
                        flows[from_client])

    def test_yaml(self):
        for name in ("login_5017", "login_4330", "blowfish_5065"):
            for stream, wanted in taptest.by_stream(name).items():
                text = follow(name, "yaml", stream)
                for peer, end in enumerate((wanted[0].client_end, wanted[0].server_end)):
                    host, port = end.split(":")
                    self.assertIn("  - peer: %d\n    host: %s\n    port: %s\n"
                                  % (peer, host, port), text)
                self.assertEqual(
                    sorted((m.frame, m.from_client, m.plain) for m in wanted),
                    sorted(parse_yaml(text)))

    def test_endpoints(self):
        for name in ("login_5017", "login_4330"):
            for stream, wanted in taptest.by_stream(name).items():
                ends = wanted[0].client_end + "," + wanted[0].server_end
                for order in (ends, ",".join(reversed(ends.split(",")))):
                    self.assertEqual(parse_raw(follow(name, "raw", stream)),
                                     parse_raw(follow(name, "raw", order)))

    def test_other_stream(self):
        self.assertEqual([], parse_raw(follow("login_5017", "raw", 99)))

    def test_sharkd(self):
        for name in ("login_5017", "login_4330", "reordered_5017"):
            for stream, wanted in taptest.by_stream(name).items():
                requests = [("load", {"file": tqtest.capture(name)}),
                            ("follow", {"follow": "TQ", "filter": "tcp.stream==%d" % stream})]
                text = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method,
                                           "params": parameters}) + "\n"
                               for i, (method, parameters) in enumerate(requests, 1))
                output = tqtest.run(["-"], program="sharkd", stdin=text).stdout
                answer = [json.loads(line) for line in output.splitlines()][-1]["result"]
                shown = [("s" not in part, base64.b64decode(part["d"]))
                         for part in answer["payloads"]]
                self.assert_same(wanted, shown, name)
                self.assertEqual(wanted[0].client_end,
                                 answer["chost"] + ":" + answer["cport"])
                self.assertEqual(wanted[0].server_end,
                                 answer["shost"] + ":" + answer["sport"])

    def test_offered_where_it_applies(self):
        """sharkd offers it for the frames of a TQ connection, with the filter that selects it."""
        requests = [("load", {"file": tqtest.capture("login_5017")}),
                    ("frame", {"frame": 21, "proto": True}), ("info", {})]
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method,
                                   "params": parameters}) + "\n"
                       for i, (method, parameters) in enumerate(requests, 1))
        output = tqtest.run(["-"], program="sharkd", stdin=text).stdout
        answers = [json.loads(line)["result"] for line in output.splitlines()]
        self.assertIn(["TQ", "tcp.stream eq 1"], answers[1]["fol"])
        self.assertIn("follow:TQ", [follower["tap"] for follower in answers[2]["follow"]])


if __name__ == "__main__":
    unittest.main()

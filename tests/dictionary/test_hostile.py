# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages that lie about themselves are clipped and reported. Meant to run with the sanitizers
too, which say if a byte outside is read."""

import random
import struct
import unittest

import dictionary as d
from test_walk import build_messages


def message(type_number, body, size=None):
    return struct.pack("<HH", 4 + len(body) if size is None else size, type_number) + body


def strings(count, *texts):
    return bytes([count]) + b"".join(bytes([len(text)]) + text for text in texts)


TALK = struct.pack("<IHHIII", 0, 2000, 0, 0, 0, 0)


class Hostile(unittest.TestCase):
    def show_one(self, data):
        packets, _ = d.show([(data, d.SERVER)])
        self.assertFalse(packets[0].malformed)
        return packets[0]

    def test_string_count(self):
        packet = self.show_one(message(1004, TALK + strings(255, b"Alice", b"All", b"", b"hello")))
        self.assertEqual(["hello"], packet.values("talk.words"))
        self.assertEqual({"conquer.strings_overrun"}, packet.experts)

    def test_string_length(self):
        body = TALK + strings(4, b"Alice", b"All", b"") + b"\xffhello"
        packet = self.show_one(message(1004, body))
        self.assertEqual(["hello"], packet.values("talk.words"))
        self.assertEqual({"conquer.strings_overrun"}, packet.experts)

    def test_record_counts(self):
        # MsgUserAttrib counts 32 bits, MsgPackage 16.
        record = struct.pack("<IQ", 4, 77)
        for count in (255, 65535, 0x7FFFFFFF, 0xFFFFFFFF):
            packet = self.show_one(message(1017, struct.pack("<II", 1000001, count) + record))
            self.assertEqual(["77"], packet.values("user_attrib.value")[:1])
            self.assertEqual({"conquer.records_overrun"}, packet.experts)
        body = struct.pack("<IBBH", 1, 0, 10, 65535) + bytes(range(40))
        packet = self.show_one(message(1102, body))
        self.assertEqual(3, len(packet.values("package.items.item_id")
                                or packet.values("package.item_type")))
        self.assertIn("conquer.records_overrun", packet.experts)

    def test_records_without_room(self):
        packet = self.show_one(message(1017, struct.pack("<II", 1000001, 65535)))
        self.assertEqual({"conquer.records_overrun"}, packet.experts)

    def test_shorter_than_it_says(self):
        packet = self.show_one(message(1010, bytes(10), size=24))
        self.assertIn("conquer.truncated", packet.experts)

    def test_shorter_than_its_layout(self):
        packet = self.show_one(message(1052, struct.pack("<II", 1000000, 5)))
        self.assertEqual(1000000, packet.number("connect.account_id"))
        self.assertEqual({"conquer.truncated"}, packet.experts)

    def test_longer_than_its_layout(self):
        packet = self.show_one(message(1059, struct.pack("<IB", 10000, 9)))
        self.assertEqual(10000, packet.number("encrypt_code.seed"))
        self.assertEqual(["09"], packet.values("unknown"))
        self.assertEqual({"conquer.longer"}, packet.experts)

    def test_private_type(self):
        packet = self.show_one(message(29994, struct.pack("<III", 1, 2, 3)))
        self.assertEqual(["1", "2", "3"], packet.values("word"))
        self.assertEqual({"conquer.unknown_type"}, packet.experts)

    def test_invalid_text(self):
        body = TALK + strings(4, b"Al\x81ice", b"All", b"", b"hello")
        packets, _ = d.show([(message(1004, body), d.SERVER)])
        self.assertIn("conquer.invalid_text", packets[0].experts)

    def test_every_layout_cut_anywhere(self):
        """Each message cut short, with a header that says so and with one that does not."""
        source = random.Random(1)
        cut = []
        for entry in d.Dictionary().messages:
            for layout in entry.findall("layout"):
                data, direction, _ = build_messages(entry, layout)[0]
                for length in sorted(source.sample(range(4, len(data)), min(6, len(data) - 4))):
                    part = data[:length]
                    cut.append((part, direction))
                    cut.append((struct.pack("<H", length) + part[2:], direction))
        packets, _ = d.show(cut)
        self.assertEqual(len(cut), len(packets))
        self.assertEqual([], [cut[i][0].hex() for i, p in enumerate(packets) if p.malformed])

    def test_noise_in_every_type(self):
        source = random.Random(2)
        noise = []
        for entry in d.Dictionary().messages:
            for _ in range(8):
                size = source.choice((0, 1, 4, 8, 20, 24, 28, 36, 60, 200, 900))
                body = bytes(source.choice((0, 0, 1, 2, 255, source.randrange(256)))
                             for _ in range(size))
                noise.append((message(int(entry.get("type")), body),
                              source.choice((d.CLIENT, d.SERVER, d.UNKNOWN))))
        packets, _ = d.show(noise)
        self.assertEqual([], [noise[i][0].hex() for i, p in enumerate(packets) if p.malformed])


if __name__ == "__main__":
    unittest.main()

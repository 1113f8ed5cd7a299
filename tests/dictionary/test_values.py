# SPDX-License-Identifier: GPL-2.0-or-later
"""What a value is depends on the action of its message, on the sender, and on the preferences."""

import struct
import unittest

import dictionary as d


def message(type_number, *parts):
    body = b"".join(parts)
    return struct.pack("<HH", 4 + len(body), type_number) + body


def action(number, data):
    return message(1010, struct.pack("<IIIHHHH", 5, 1000001, data, 10, 20, 3, number))


def attribute(number, value):
    return message(1017, struct.pack("<IIIQ", 1000001, 1, number, value))


class Values(unittest.TestCase):
    def test_meaning_under_an_action(self):
        jump, mode, other = action(133, 123 | 45 << 16), action(96, 2), action(99, 77)
        messages = [(m, d.CLIENT) for m in (jump, mode, other)]
        packets, _ = d.show(messages)
        self.assertEqual([["123"], ["45"]],
                         [packets[0].values("action.data." + name) for name in ("x", "y")])
        self.assertEqual(["2"], packets[1].values("action.data.pk_mode"))
        self.assertEqual([], packets[2].values("action.data.x"))
        self.assertEqual(["MsgAction Jump 123,45", "MsgAction Set PK mode Team", "MsgAction Mine"],
                         d.info_lines(messages))

    def test_attributes(self):
        packets, _ = d.show([(attribute(26, 1 << 1 | 1 << 5), d.SERVER),
                             (attribute(27, 535), d.SERVER), (attribute(8, 2), d.SERVER)])
        self.assertEqual(0x22, packets[0].number("user_attrib.value.user_status_flags_5017"))
        self.assertEqual(["5"], packets[1].values("user_attrib.value.color"))
        self.assertEqual(2, packets[2].number("user_attrib.value.size_add_flags"))

    def test_one_number_two_messages(self):
        """Type 1102 is MsgPackage to a game server; the account server has another use for it."""
        package = message(1102, struct.pack("<IBBI", 1, 1, 10, 71))
        self.assertEqual("MsgPackage Check in", d.info_lines([(package, d.CLIENT)])[0])

    def test_passwords(self):
        """Those in clear are shown only if a preference allows it."""
        register = message(1001, b"account".ljust(16, b"\0"), b"Hero".ljust(16, b"\0"),
                           b"secret".ljust(16, b"\0"), struct.pack("<HHI", 1003, 10, 1))
        for shown, preferences in ((["<hidden by preference>"], []),
                                   (["secret"], ["tq.show_passwords:TRUE"])):
            packets, _ = d.show([(register, d.CLIENT)],
                                preferences=["tq.patch:4267"] + preferences)
            self.assertEqual(shown, packets[0].values("register.password"))


if __name__ == "__main__":
    unittest.main()

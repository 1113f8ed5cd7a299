# SPDX-License-Identifier: GPL-2.0-or-later
"""With a patch configured, the layout is the newest one not later than it that fits."""

import unittest

import dictionary as d
from test_walk import build_messages

DICTIONARY = d.Dictionary()


def cases_of(patch):
    """A message of each layout of a patch."""
    cases = []
    for message in DICTIONARY.messages:
        for layout in message.findall("layout"):
            if int(layout.get("patch")) == patch:
                data, direction, _ = build_messages(message, layout)[0]
                cases.append((data, direction, message, layout))
    return cases


class Choice(unittest.TestCase):
    def test_configured_patch(self):
        patches = sorted({int(layout.get("patch")) for message in DICTIONARY.messages
                          for layout in message.findall("layout")})
        for patch in patches:
            cases = cases_of(patch)
            packets, _ = d.show([case[:2] for case in cases],
                                preferences=["tq.patch:%d" % patch])
            for (_, _, message, _), packet in zip(cases, packets):
                with self.subTest(message.get("name"), patch=patch):
                    self.assertEqual(patch, packet.number("patch"))
                    self.assertEqual([], packet.values("unknown"))

    def test_not_later_than_the_patch(self):
        """MsgItem has 20, 24 and 28 bytes in 4267, 5017 and 5180."""
        message = d.struct.pack("<HHIIIIII", 28, 1009, 71, 0, 3, 5, 6, 7)
        for patch, used, unknown in ((4267, 4267, ["0600000007000000"]), (5017, 5017, ["07000000"]),
                                     (5100, 5017, ["07000000"]), (5180, 5180, []),
                                     (5187, 5180, [])):
            packets, _ = d.show([(message, d.CLIENT)], preferences=["tq.patch:%d" % patch])
            self.assertEqual(used, packets[0].number("patch"))
            self.assertEqual(unknown, [v.replace(":", "") for v in packets[0].values("unknown")])


if __name__ == "__main__":
    unittest.main()

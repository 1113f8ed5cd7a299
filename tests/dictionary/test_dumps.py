# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets that users of the game published, and ones built from documented examples. The published
ones carry their footer, which tells the direction; the others are told it."""

import json
import os
import unittest

import dictionary as d

FOOTERS = ("TQClient".encode().hex(), "TQServer".encode().hex())


def read_dumps():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "dumps.json"),
              encoding="utf-8") as file:
        return json.load(file)


def is_shown(packet, name, value):
    shown = packet.values(name)
    if isinstance(value, str):
        return value in [show.replace(":", "") if set(value) <= set("0123456789abcdef") else show
                         for show in shown]
    return value in [int(show == "True") if show in ("True", "False") else int(show, 0)
                     for show in shown]


def show_dumps(dumps, tell):
    """Shows dumps by their preferences. Returns pairs of a dump and its packet."""
    shown = []
    for preferences in {tuple(dump.get("preferences", ())) for dump in dumps}:
        some = [dump for dump in dumps if tuple(dump.get("preferences", ())) == preferences]
        messages = [(bytes.fromhex(dump["hex"]),
                     {"client": d.CLIENT, "server": d.SERVER}[dump["direction"]] if tell(dump)
                     else d.UNKNOWN) for dump in some]
        shown += zip(some, d.show(messages, preferences=preferences)[0])
    return shown


class Dumps(unittest.TestCase):
    def check(self, dump, packet):
        for name, value in dump["fields"].items():
            self.assertTrue(is_shown(packet, name, value),
                            "%s: conquer.%s is %s, not %r" % (dump["id"], name,
                                                              packet.values(name), value))
        self.assertEqual({"conquer." + name for name in dump.get("experts", ())}, packet.experts,
                         dump["id"])
        self.assertFalse(packet.malformed, dump["id"])

    def test_dumps(self):
        for dump, packet in show_dumps(read_dumps(),
                                       lambda dump: not dump["hex"].endswith(FOOTERS)):
            with self.subTest(dump["id"]):
                self.check(dump, packet)

    def test_direction_matters_only_for_magic(self):
        """Shown without any hint of the direction, the values are the same."""
        dumps = [dump for dump in read_dumps() if not dump["hex"].endswith(FOOTERS)]
        for dump, packet in show_dumps(dumps, lambda dump: False):
            with self.subTest(dump["id"]):
                self.check(dump, packet)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of real servers: each layout explains its message wholly, and each connection shows the
patch it is of."""

import collections
import os
import unittest

import dictionary as d  # noqa: F401, finds tqtest
import tqtest

EXPERTS = ("unknown_type", "no_layout", "truncated", "longer", "strings_overrun", "records_overrun",
           "invalid_text")

# What the server's patch says of types whose size alone does not tell the layout.
PATCHES = {
    "login_5017": {1004: 4354, 1006: 5017, 1010: 5017, 1014: 5017, 2030: 5017},
    "login_4330": {1004: 4267, 1006: 4330, 1010: 4330, 1022: 4267},
    "blowfish_5065": {1004: 4354, 1006: 5065, 1008: 5065, 1010: 5017},
}


def captures():
    return sorted(name[:-len(".pcapng")] for name in os.listdir(tqtest.CAPTURES)
                  if name.endswith(".pcapng"))


def patches(name, two_passes):
    """How often each type was shown by the layout of each patch."""
    counts = collections.Counter()
    for types, used in tqtest.fields(tqtest.capture(name), ["conquer.type", "conquer.patch"],
                                     "conquer", tqtest.PREFERENCES.get(name, ()), two_passes):
        if len(types) == len(used):
            counts.update(zip(map(int, types), map(int, used)))
    return counts


class Captures(unittest.TestCase):
    def test_nothing_is_left_unexplained(self):
        expression = " || ".join(["conquer.unknown"] + ["conquer." + name for name in EXPERTS])
        for name in captures():
            with self.subTest(name):
                shown = tqtest.tshark(tqtest.capture(name), ["-Y", expression],
                                      tqtest.PREFERENCES.get(name, ()))
                self.assertEqual("", shown)

    def test_patches(self):
        for name, wanted in PATCHES.items():
            for two_passes in (False, True):
                with self.subTest(name, two_passes=two_passes):
                    counts = patches(name, two_passes)
                    for type_number, patch in wanted.items():
                        used = {p for t, p in counts if t == type_number}
                        self.assertEqual({patch}, used, type_number)


if __name__ == "__main__":
    unittest.main()

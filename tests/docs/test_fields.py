# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark lists of the two protocols, and that no capture makes it stop at a dissector's bug."""

import collections
import glob
import os
import re
import unittest

import pages  # noqa: F401, for the path
import tqtest

# Types that Wireshark takes for the same where filters are compiled.
FAMILIES = {"FT_CHAR": "number", "FT_IPv4": "address"}


def family(kind):
    if re.match(r"FT_U?INT\d+$", kind):
        return "number"
    return FAMILIES.get(kind, kind)


class Fields(tqtest.TestCase):
    @classmethod
    def setUpClass(cls):
        rows = [line.split("\t") for line in tqtest.run(["-G", "fields"]).stdout.splitlines()]
        cls.protocols = {row[2] for row in rows if row[0] == "P"}
        cls.fields = [row for row in rows if row[0] == "F"]
        cls.ours = [row for row in cls.fields if row[4] in ("tq", "conquer")]

    def test_there_are_some(self):
        self.assertGreater(len(self.ours), 1000)
        self.assertLessEqual({"tq", "conquer"}, self.protocols)

    def test_names(self):
        for row in self.ours:
            # A label of its own for each field; lower-case names below the protocol's.
            self.assertTrue(row[1].strip(), row)
            self.assertRegex(row[2], r"^%s(\.[a-z0-9_]+)+$" % row[4])

    def test_descriptions(self):
        # An expert info describes itself by its label.
        missing = [row[2] for row in self.ours if row[3] != "FT_NONE" and not row[7].strip()]
        self.assertEqual([], missing)

    def test_no_clash(self):
        kinds = collections.defaultdict(set)
        for row in self.ours:
            kinds[row[2]].add(family(row[3]))
        self.assertEqual({}, {name: kind for name, kind in kinds.items() if len(kind) > 1})
        others = {row[2] for row in self.fields if row[4] not in ("tq", "conquer")}
        self.assertEqual(set(), others & set(kinds))

    def test_the_same_twice(self):
        # One name may be registered with several enumerations, but not the same way twice.
        seen = collections.Counter(tuple(row[1:7]) for row in self.ours if row[3] != "FT_NONE")
        values = collections.Counter(
            line.split("\t", 2)[1] for line in tqtest.run(["-G", "values"]).stdout.splitlines()
            if re.match(r"[VRT]\t(tq|conquer)\.", line))
        self.assertEqual([], [key for key, count in seen.items()
                              if count > 1 and not values[key[1]]])

    def test_values(self):
        listed = {line.split("\t")[1] for line in tqtest.run(["-G", "values"]).stdout.splitlines()
                  if line.count("\t") >= 3}
        for name in ("tq.type", "tq.server", "tq.direction", "tq.cipher", "tq.key",
                     "conquer.action.action", "conquer.talk.channel"):
            self.assertIn(name, listed)

    @unittest.skipIf(os.environ.get("TQ_PRELOAD"), "skipped: tshark -G defaultprefs never ends with "
                     "AddressSanitizer, also without the plugin")
    def test_default_preferences(self):
        text = tqtest.run(["-G", "defaultprefs"]).stdout
        for match in re.finditer(r"((?:^# ?.*\n)+)#(tq\.\w+):", text, re.M):
            self.assertGreater(len(match[1]), 40, match[2])
        self.assertIn("#tq.recover_keys: TRUE", text)
        self.assertIn("#tq.show_passwords: FALSE", text)

    def test_no_dissector_bug(self):
        os.environ["WIRESHARK_ABORT_ON_DISSECTOR_BUG"] = "1"
        self.addCleanup(os.environ.pop, "WIRESHARK_ABORT_ON_DISSECTOR_BUG")
        for path in sorted(glob.glob(os.path.join(tqtest.CAPTURES, "*.pcapng"))):
            name = os.path.basename(path)[:-len(".pcapng")]
            for two_passes in (False, True):
                with self.subTest(name, two_passes=two_passes):
                    text = tqtest.tshark(path, ["-V"], tqtest.PREFERENCES.get(name, ()),
                                         two_passes)
                    self.assertNotIn("Dissector bug", text)
                    self.assertIn("\nTQ, ", text)


if __name__ == "__main__":
    unittest.main()

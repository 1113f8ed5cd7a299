# SPDX-License-Identifier: GPL-2.0-or-later
"""The built-in dictionary follows its schema, is sorted, and names every type once."""

import os
import shutil
import subprocess
import unittest

import dictionary as d


class Schema(unittest.TestCase):
    def setUp(self):
        if shutil.which("xmllint") is None:
            self.skipTest("skipped: no xmllint, of package libxml2-utils")

    def lint(self, path):
        return subprocess.run(["xmllint", "--noout", "--relaxng",
                               os.path.join(d.MESSAGES, "dictionary.rng"), path],
                              capture_output=True, text=True)

    def test_files_follow_the_schema(self):
        names = [name for name in sorted(os.listdir(d.MESSAGES)) if name.endswith(".xml")]
        self.assertTrue(names)
        for name in names:
            done = self.lint(os.path.join(d.MESSAGES, name))
            self.assertEqual(0, done.returncode, done.stderr)

    def test_schema_refuses_mistakes(self):
        with d.Home({"bad.xml": '<dictionary><message type="x"/></dictionary>'}) as home:
            self.assertNotEqual(0, self.lint(os.path.join(home.folder, "bad.xml")).returncode)


class Order(unittest.TestCase):
    def test_types_are_sorted_and_unique(self):
        keys = [(int(message.get("type")), message.get("server") != "account")
                for message in sorted(d.Dictionary().messages, key=lambda m: int(m.get("type")))]
        self.assertEqual(len(keys), len(set(keys)))
        for name in sorted(os.listdir(d.MESSAGES)):
            if name.endswith(".xml"):
                root = d.ElementTree.parse(os.path.join(d.MESSAGES, name)).getroot()
                types = [int(message.get("type")) for message in root.findall("message")]
                self.assertEqual(sorted(types), types, name)

    def test_layouts_are_sorted_and_say_where_they_come_from(self):
        for message in d.Dictionary().messages:
            patches = [int(layout.get("patch")) for layout in message.findall("layout")]
            self.assertEqual(sorted(patches), patches, message.get("name"))
            for layout in message.findall("layout"):
                self.assertTrue(layout.get("confidence") and layout.get("sources"),
                                message.get("name"))


if __name__ == "__main__":
    unittest.main()

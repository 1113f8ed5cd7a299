# SPDX-License-Identifier: GPL-2.0-or-later
"""What the pages show is there: files, pictures, headings, filters, preferences, expert infos."""

import glob
import os
import re
import unittest

import pages
import tqtest

EXPERT = re.compile(r'\{"((?:tq|conquer)\.[a-z_.]+)",\s*PI_\w+,\s*PI_\w+')


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def registered_experts():
    found = set()
    for path in glob.glob(os.path.join(tqtest.SOURCE, "*.c")):
        found |= set(EXPERT.findall(pages.read(path)))
    return found


def compile_filter(text):
    return tqtest.run(["-r", tqtest.capture("register_5017"), "-c", "1", "-Y", text], check=False)


class Pages(tqtest.TestCase):
    def test_links(self):
        for path in pages.PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", pages.prose(path)):
                if "://" in target:
                    continue
                file, _, heading = target.partition("#")
                there = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                with self.subTest(pages.name(path) + ": " + target):
                    self.assertTrue(os.path.exists(there))
                    if heading:
                        headings = re.findall(r"^#+ (.*)$", pages.read(there), re.M)
                        self.assertIn(heading, [anchor(text) for text in headings])

    def test_every_page_is_linked(self):
        text = "".join(pages.prose(path) for path in pages.PAGES)
        for path in pages.PAGES[1:]:
            linked = re.search(r"[/(]%s[#)]" % re.escape(os.path.basename(path)), text)
            self.assertTrue(linked, pages.name(path) + " is linked nowhere")

    def test_filters(self):
        count = 0
        for path in pages.PAGES:
            for table in pages.tables(path):
                if table[0][0] not in ("filter", "expert info"):
                    continue
                for row in table[1:]:
                    text = pages.codes(row[0])[0]
                    count += 1
                    with self.subTest(pages.name(path) + ": " + text):
                        done = compile_filter(text)
                        self.assertEqual(0, done.returncode, done.stderr)
        self.assertGreater(count, 30)

    def test_a_wrong_filter_is_told(self):
        self.assertNotEqual(0, compile_filter("tq.no_such_field").returncode)

    def test_experts_are_explained(self):
        explained = set()
        for table in pages.tables(os.path.join(tqtest.SOURCE, "docs", "troubleshooting.md")):
            if table[0][0] == "expert info":
                explained |= {pages.codes(row[0])[0] for row in table[1:]}
        self.assertGreater(len(explained), 15)
        self.assertEqual(registered_experts(), explained)

    def test_preferences(self):
        defaults = tqtest.run(["-G", "defaultprefs"]).stdout
        # Tables are in files of their own, and ports are kept with "Decode As".
        known = set(re.findall(r"^#(tq\.[\w.]+):", defaults, re.M)) | {"tq.servers", "tq.tcp.port"}
        documented = set()
        for table in pages.tables(pages.PAGES[0]):
            if table[0][0] == "preference":
                documented |= {pages.codes(row[0])[0] for row in table[1:]}
        self.assertEqual(known, documented)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""What the pages show is there: files, pictures, headings, filters, preferences, expert infos."""

import glob
import json
import os
import re
import unittest

import pages
import tqtest


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def registered_experts():
    """Expert infos are the fields without a type."""
    rows = [line.split("\t") for line in tqtest.run(["-G", "fields"]).stdout.splitlines()]
    return {row[2] for row in rows
            if row[0] == "F" and row[3] == "FT_NONE" and row[4] in ("tq", "conquer")}


# No capture of ours has these.
FOUND_NOWHERE = {"conquer.no_layout", "conquer.unknown", "tq.type.unknown"}
# Of a filter in running text; other words in this script are names of files and placeholders.
FILTER = re.compile(r"(tq|conquer|tcp)(\.[a-z0-9_.]+)?"
                    r"( (==|!=|<|>|<=|>=|contains|matches|in|&&) .*)?$")
FILES = {"tq.so", "tq.dll"}


def table_cells(*headings):
    """The first codes of the rows of tables with such a heading: tuples of page and code."""
    return [(pages.name(path), pages.codes(row[0])[0]) for path in pages.PAGES
            for table in pages.tables(path) if table[0][0] in headings for row in table[1:]]


def find(capture, filters):
    """sharkd's answers: which frames of a capture the filters find, or what is wrong with them."""
    requests = [("load", {"file": capture})] + \
        [("frames", {"filter": text, "limit": 1}) for text in filters]
    done = tqtest.run(["-"], program="sharkd", stdin="".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n"
        for number, (method, parameters) in enumerate(requests, 1)))
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if len(answers) != len(requests):
        raise AssertionError(done.stderr[-2000:])
    return answers[1:]


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
        # Each finds something in one of the captures.
        filters = [text for _, text in table_cells("filter")]
        self.assertGreater(len(filters), 30)
        found = set()
        for path in glob.glob(os.path.join(tqtest.CAPTURES, "*.pcapng")):
            for text, answer in zip(filters, find(path, filters)):
                self.assertIn("result", answer, text)
                found |= {text} if answer["result"] else set()
        self.assertEqual(FOUND_NOWHERE, set(filters) - found)

    def test_filters_in_the_text(self):
        preferences = {text for _, text in table_cells("preference")}
        filters = {text for path in pages.PAGES for text in pages.codes(pages.prose(path))
                   # What that page adds is tested with the files that it shows.
                   if FILTER.match(text) and not path.endswith("extending.md")} \
            - preferences - FILES
        self.assertGreater(len(filters), 40)
        for text, answer in zip(filters, find(tqtest.capture("register_5017"), filters)):
            self.assertIn("result", answer, text)

    def test_a_wrong_filter_is_told(self):
        for text in ("tq.no_such_field", "conquer.talk.channel == \"Nothing\""):
            self.assertNotIn("result", find(tqtest.capture("register_5017"), [text])[0])

    def test_experts_are_explained(self):
        explained = {text for _, text in table_cells("expert info")}
        self.assertGreater(len(explained), 15)
        self.assertEqual(registered_experts(), explained)

    @unittest.skipIf(os.environ.get("TQ_PRELOAD"), "skipped: tshark -G defaultprefs never ends with "
                     "AddressSanitizer, also without the plugin")
    def test_preferences(self):
        defaults = tqtest.run(["-G", "defaultprefs"]).stdout
        # Tables are in files of their own, and ports are kept with "Decode As".
        known = set(re.findall(r"^#(tq\.[\w.]+):", defaults, re.M)) | {"tq.servers", "tq.tcp.port"}
        self.assertEqual(known, {text for _, text in table_cells("preference")})


if __name__ == "__main__":
    unittest.main()

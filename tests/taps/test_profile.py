# SPDX-License-Identifier: GPL-2.0-or-later
"""The configuration profile "TQ": each of its filters is one, and columns and colours come out."""

import csv
import os
import re
import shutil
import tempfile
import unittest

import taptest
import tqtest

PROFILE = os.path.join(tqtest.SOURCE, "profile", "TQ")


def lines(name):
    with open(os.path.join(PROFILE, name)) as file:
        return [line for line in file.read().splitlines() if line and not line.startswith("#")]


def rules():
    """Name and filter of the colouring rules."""
    return [re.fullmatch(r"@([^@]+)@(.+)@\[[\d,]+\]\[[\d,]+\]", line).groups()
            for line in lines("colorfilters")]


class Profile(tqtest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        shutil.copytree(PROFILE, os.path.join(home.name, ".config/wireshark/profiles/TQ"))
        self.addCleanup(os.environ.update, TQ_HOME=os.environ["TQ_HOME"])
        os.environ["TQ_HOME"] = home.name

    def test_columns(self):
        first = taptest.run("login_5017", ["-C", "TQ", "-Y", "frame.number == 14"])
        self.assertRegex(first, r"^ *14 .* 1 +127\.0\.0\.1 . 127\.0\.0\.1 +TQ Game server "
                                r"Client to server 94 MsgConnect ")

    def test_colours(self):
        names = [name for name, _ in rules()]
        shown = [line.split("\t") for line in taptest.run(
            "login_5017", ["-C", "TQ", "--color", "-T", "fields", "-e", "frame.number", "-e",
                           "frame.coloring_rule.name"]).splitlines()]
        colours = {int(row[0]): row[1] for row in shown if len(row) > 1}
        self.assertLessEqual(set(colours.values()), set(names))
        self.assertEqual("TQ login", colours[4])
        self.assertEqual("TQ chat", colours[17])
        self.assertEqual("TQ movement", colours[21])

    def test_problems_are_coloured(self):
        shown = taptest.run("dropped_5017", ["-C", "TQ", "--color", "-Y", "tq.lost_segment", "-T",
                                             "fields", "-e", "frame.coloring_rule.name"])
        self.assertEqual({"TQ problem"}, set(shown.split("\n")) - {""})

    def test_filters(self):
        buttons = [row[2] for row in csv.reader(lines("dfilter_buttons"))]
        graphs = [row[2] for row in csv.reader(lines("io_graphs"))]
        for text in buttons + graphs + [text for _, text in rules()]:
            with self.subTest(text):
                taptest.run("register_5017", ["-Y", text])

    def test_buttons_select(self):
        for row in csv.reader(lines("dfilter_buttons")):
            self.assertEqual(4, len(row))
            if row[1] in ("Unknown", "Problems"):
                continue
            with self.subTest(row[1]):
                self.assertTrue(taptest.run("login_5017", ["-Y", row[2]]))

    def test_graph_fields(self):
        known = {line.split("\t")[2] for line in tqtest.run(["-G", "fields"]).stdout.splitlines()
                 if line.startswith("F\t")}
        for row in csv.reader(lines("io_graphs")):
            self.assertEqual(9, len(row))
            self.assertIn(row[0], ("Enabled", "Disabled"))
            if row[6]:
                self.assertIn(row[6], known)


if __name__ == "__main__":
    unittest.main()

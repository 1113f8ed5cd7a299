# SPDX-License-Identifier: GPL-2.0-or-later
"""What docs/extending.md shows works as it stands there, and mistakes cost their file alone."""

import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

import dictionary as d
import tqtest

DOCUMENT = os.path.join(tqtest.SOURCE, "docs", "extending.md")


def examples(language):
    with open(DOCUMENT, encoding="utf-8") as file:
        return re.findall(r"^```%s\n(.*?)^```$" % language, file.read(), re.M | re.S)


def message(type_number, body):
    return struct.pack("<HH", 4 + len(body), type_number) + body


TALK = message(1004, struct.pack("<IHHIIIB", 0, 2700, 0, 0, 0, 0, 4) + b"\5Alice\3All\0\2hi")


class UserFiles(unittest.TestCase):
    def test_worked_example(self):
        files = {"mine.xml": examples("xml")[0]}
        food = message(30001, struct.pack("<IIBB", 500001, 1000000, 1, 0) + b"\4Rex ")
        gifts = message(30001, struct.pack("<IIBB", 500001, 1000000, 9, 2)
                        + struct.pack("<IHIH", 71, 1, 72, 3))
        walk = message(10005, struct.pack("<IIIIIHH", 9, 1000001, 1, 5, 1002, 301, 302))
        packets, errors = d.show([(food, d.CLIENT), (gifts, d.CLIENT), (walk, d.SERVER),
                                  (TALK, d.SERVER)], files)
        self.assertNotIn("dictionary", errors)
        self.assertEqual(["Rex "], packets[0].values("pet_food.pet_name"))
        self.assertIn("500001", packets[0].values("role_id"))
        self.assertIn("Rex ", packets[0].values("name"))
        self.assertEqual(["71", "72"], packets[1].values("pet_food.item_id"))
        self.assertEqual(["301"], packets[2].values("walk.x"))
        self.assertEqual(6500, packets[2].number("patch"))
        for packet in packets:
            self.assertEqual(set(), packet.experts)
        lines = d.info_lines([(food, d.CLIENT), (TALK, d.SERVER)], files)
        self.assertEqual("MsgPetFood Hungry 1000000 for Rex ", lines[0])
        self.assertEqual("MsgTalk [Festival] Alice → All: hi", lines[1])

    def test_filters_know_the_names(self):
        with d.Home({"mine.xml": examples("xml")[0]}) as home:
            path = os.path.join(home.path, "messages.pcap")
            food = message(30001, struct.pack("<IIBB", 500001, 1000000, 1, 0) + b"\1R")
            d.write_capture(path, [(food, d.CLIENT), (TALK, d.SERVER)])
            for expression, count in (('conquer.pet_food.mood == "Hungry"', 1),
                                      ("conquer.role_id == 500001", 1),
                                      ('conquer.name == "Alice"', 1)):
                lines = tqtest.run(["-r", path, "-Y", expression]).stdout.splitlines()
                self.assertEqual(count, len(lines), expression)

    def test_replace(self):
        text = """<dictionary>
          <message type="1052" name="MsgConnect" replace="yes">
            <layout patch="4267" size="12"><u64 at="4" name="both"/></layout>
          </message>
          <enumeration name="talk_channel" replace="yes"><value number="1" name="one"/></enumeration>
        </dictionary>"""
        packets, errors = d.show([(message(1052, struct.pack("<Q", 77)), d.CLIENT)],
                                 {"replace.xml": text})
        self.assertNotIn("dictionary", errors)
        self.assertEqual(["77"], packets[0].values("connect.both"))
        self.assertEqual("MsgTalk [2700] Alice → All: hi",
                         d.info_lines([(TALK, d.SERVER)], {"replace.xml": text})[0])


class GlobalFolder(unittest.TestCase):
    NAME = "MsgForAllUsers"

    def shown(self):
        return d.info_lines([(message(30001, b""), d.CLIENT)])[0]

    def test_is_read_and_is_hidden_from_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            os.mkdir(os.path.join(folder, "tq"))
            with open(os.path.join(folder, "tq", "all.xml"), "w", encoding="utf-8") as file:
                file.write('<dictionary><message type="30001" name="%s"/></dictionary>' % self.NAME)
            with mock.patch.dict(os.environ, WIRESHARK_DATA_DIR=folder):
                self.assertIn(self.NAME, self.shown())
                tqtest.hide_global_dictionary()
                self.assertNotIn(self.NAME, self.shown())


class Mistakes(unittest.TestCase):
    GOOD = ('<dictionary><message type="30002" name="MsgGood"><layout patch="4267" size="8">'
            '<u32 at="4" name="value"/></layout></message></dictionary>')

    MISTAKES = [
        ("<dictionary>\n<message type=\"30003\" name=\"MsgBad\">\n</dictionary>", 3, "message"),
        ("<dictionary>\n\n<message type=\"30003\" nam=\"MsgBad\"/>\n</dictionary>", 3, "\"nam\""),
        ("<dictionary>\n<message type=\"x\" name=\"MsgBad\"/>\n</dictionary>", 2, "not a number"),
        ("<messages/>", 1, "<dictionary>"),
        ("", 1, "empty"),
        ("<dictionary><message name=\"MsgBad\"/></dictionary>", 1, "the attribute type is missing"),
        ("<dictionary><message type=\"1\" name=\"Msg Bad\"/></dictionary>", 1, "only letters"),
        ("<dictionary><message type=\"1\" name=\"MsgA\"/>\n<message type=\"1\" name=\"MsgB\"/>"
         "</dictionary>", 2, "type 1 is in this file already"),
        ("<dictionary><message type=\"1\" name=\"MsgA\"><layout size=\"8\"/></message></dictionary>",
         1, "the attribute patch is missing"),
        ("<dictionary><message type=\"1\" name=\"MsgA\"><layout patch=\"4267\" size=\"8\" shows=\"9-5\"/>"
         "</message></dictionary>", 1, "is not two patches"),
        ("<dictionary><enumeration name=\"e\"><value name=\"n\"/></enumeration></dictionary>", 1,
         "the attribute number is missing"),
        ("<dictionary><enumeration name=\"e\"><value number=\"5\" to=\"4\" name=\"n\"/></enumeration>"
         "</dictionary>", 1, "the range ends before it starts"),
        ("<dictionary><enumeration name=\"e\"/>\n<enumeration name=\"e\"/></dictionary>", 2,
         "the enumeration \"e\" is in this file already"),
        ("<dictionary><kind name=\"k\"/>\n<kind name=\"k\"/></dictionary>", 2,
         "the kind \"k\" is in this file already"),
        ("<dictionary><kind name=\"k\"><derived name=\"d\"/></kind></dictionary>", 1,
         "the attribute value is missing"),
        ("\ufeff<dictionary>\r\n<x/></dictionary>", 2, "<x> cannot stand inside"),
        (b"\xff\xfe" + GOOD.encode("utf-16-le"), 1, "this is UTF-16"),
        (b"\xfe\xff" + GOOD.encode("utf-16-be"), 1, "this is UTF-16"),
    ]

    # In a layout, on line 3.
    FIELDS = [
        ('<u32 at="4" name="a" enum="nothing"/>', "no enumeration \"nothing\""),
        ('<u32 at="4" name="a" kind="nothing"/>', "no kind \"nothing\""),
        ('<u32 at="2" name="a"/>', "inside the header"),
        ('<u32 at="10" name="a"/>', "past the layout's size"),
        ('<u32 at="4" name="A b"/>', "name=\"A b\""),
        ('<u32 name="a"/>', "the attribute at is missing"),
        ('<u24 at="4" name="a"/>', "<u24> cannot stand inside <layout>"),
        ('<u32 at="4" name="a" when="b == 1"/>', "no earlier field \"b\""),
        ('<u32 at="4" name="a" when="a =="/>', "expected a value at the end"),
        ('<u32 at="4" name="a" when="(a"/>', "expected )"),
        ('<records at="4" name="r" stride="0"/>', "stride"),
        ('<records at="4" name="r" stride="4" count="n"><u8 at="0" name="b"/></records>',
         "count=\"n\""),
        ('<flags at="4" name="f" size="3" enum="talk_style"/>', "size must be"),
        ('<text at="4" name="t"/>', "length is missing"),
        ('<u32 at="4" name="a" means="x.data"/>', "means=\"x.data\""),
        ('text', "holds elements, no text"),
        ('<text at="4" length="4" name="t" encoding="no such"/>', "is not known here"),
        ('<records at="4" name="r" stride="4"><bytes at="0" name="b"/></records>',
         "fields of fixed size only"),
        ('<records at="4" name="r" stride="2"><u32 at="0" name="b"/></records>',
         "past the record's stride of 2"),
        ('<records at="4" name="r" stride="8">' * 5 + '</records>' * 5, "nested too deeply"),
    ]

    def check(self, mistakes):
        """Files with a mistake each, (text, line, reason), and one that is right."""
        files = {"bad_%d.xml" % number: text for number, (text, _, _) in enumerate(mistakes)}
        packets, errors = d.show([(message(30002, struct.pack("<I", 5)), d.CLIENT)],
                                 dict(files, **{"good.xml": self.GOOD}))
        for number, (text, line, reason) in enumerate(mistakes):
            with self.subTest(text):
                self.assertRegex(errors, r"tq/bad_%d\.xml:%d: .*%s"
                                 % (number, line, re.escape(reason)))
        self.assertNotIn("good.xml", errors)
        self.assertEqual(["5"], packets[0].values("good.value"))

    def test_byte_order_mark(self):
        packets, errors = d.show([(message(30002, struct.pack("<I", 5)), d.CLIENT)],
                                 {"windows.xml": "\ufeff" + self.GOOD})
        self.assertNotIn("windows.xml", errors)
        self.assertEqual(["5"], packets[0].values("good.value"))

    def test_mistakes(self):
        self.check(self.MISTAKES)

    def test_mistakes_in_fields(self):
        self.check([('<dictionary>\n<message type="30003" name="MsgBad">'
                     '<layout patch="4267" size="12">\n%s</layout></message></dictionary>' % field,
                     3, reason) for field, reason in self.FIELDS])


class Changes(unittest.TestCase):
    """The three changes of the document, applied to a copy of the built-in files. The copy is then
    read as a user's files, which replaces every layout by itself."""

    def setUp(self):
        if shutil.which("git") is None:
            self.skipTest("skipped: no git to apply the changes with")

    @staticmethod
    def apply(folder, change, *options):
        return subprocess.run(["git", "apply", "--recount", *options, "-"], input=change, text=True,
                              cwd=folder, capture_output=True)

    def test_changes(self):
        changes = examples("diff")
        self.assertEqual(3, len(changes))
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(d.MESSAGES, os.path.join(copy, "messages"))
            for change in changes:
                self.assertTrue(re.findall(r"^\+\+\+ b/(\S+)", change, re.M)[0]
                                .startswith("messages/"))
                if self.apply(copy, change, "--reverse", "--check").returncode == 0:
                    continue  # it has been made in this tree
                done = self.apply(copy, change)
                self.assertEqual(0, done.returncode, done.stderr)
            files = {}
            for name in os.listdir(os.path.join(copy, "messages")):
                if name.endswith(".xml"):
                    with open(os.path.join(copy, "messages", name), encoding="utf-8") as file:
                        files[name] = file.read()
        chips = message(3403, struct.pack("<II", 1000001, 250))
        npc = message(2031, struct.pack("<IIIIHH", 5, 1234, 0, 9, 0, 2))
        packets, errors = d.show([(chips, d.SERVER), (npc, d.CLIENT)], files)
        self.assertNotIn("dictionary", errors)
        self.assertEqual(["250"], packets[0].values("texas_personal_info.chips"))
        self.assertEqual(["9"], packets[1].values("npc.argument"))
        talk = TALK.replace(struct.pack("<H", 2700), struct.pack("<H", 2601), 1)
        self.assertEqual("MsgTalk [Festival] Alice → All: hi",
                         d.info_lines([(talk, d.SERVER)], files)[0])


class Lua(unittest.TestCase):
    def test_script_takes_a_type_over(self):
        about = tqtest.run(["-v"]).stdout
        if "with Lua" not in about.replace("\n", " "):
            self.skipTest("skipped: this Wireshark has no Lua")
        with d.Home() as home:
            script = os.path.join(home.path, "shout.lua")
            with open(script, "w", encoding="utf-8") as file:
                file.write(examples("lua")[0])
            os.chmod(script, 0o666)
            lines = tqtest.run(["-X", "lua_script:" + script, "-r",
                                tqtest.capture("login_5017"), "-Y", "shout", "-T", "fields",
                                "-e", "shout.words", "-e", "conquer.talk.words"]).stdout
        self.assertIn("ANSWER_OK", lines)
        self.assertIn("SYNTHETIC TALK LINE 5 FROM ALPHATEST", lines)
        self.assertNotIn("synthetic talk line 5", lines)


if __name__ == "__main__":
    unittest.main()

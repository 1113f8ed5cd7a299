# SPDX-License-Identifier: GPL-2.0-or-later
"""The protocol reference: complete, its links and filters right, and at work in a browser.

TQ_PICTURES: a folder that a picture of it is put into (see tools/screenshots.sh)."""

import glob
import html.parser
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import pages
import tqtest

PROGRAM = os.path.join(tqtest.SOURCE, "tools", "protocol-reference")

# Opens the index in a frame, follows two links as a reader does, and tells where it got.
# The frame is as narrow as a telephone: no page may need to be moved sideways to be read.
DRIVER = """<!DOCTYPE html><body><iframe id="view" src="index.html" width="420"></iframe><script>
const view = document.getElementById("view"), steps = ["MsgTalk", "talk_channel"], seen = [];
view.onload = () => {
  const page = view.contentDocument;
  seen.push(page.title + " " + page.location.hash + " " + page.querySelectorAll("table").length);
  const root = page.documentElement;
  if (root.scrollWidth > root.clientWidth) seen.push("too wide: " + root.scrollWidth);
  const step = steps.shift();
  const link = [...page.links].find(link => link.textContent === step);
  if (link) link.click();
  document.body.setAttribute("data-seen", seen.join("|"));
};
</script></body>"""


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.targets, self.anchors, self.open = [], set(), []
        self.feed(pages.read(path))
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if "href" in attributes:
            self.targets.append(attributes["href"])
        if "id" in attributes:
            if attributes["id"] in self.anchors:
                raise AssertionError("twice: " + attributes["id"])
            self.anchors.add(attributes["id"])

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError("%s is not open: %s" % (tag, self.getpos()))


class Reference(tqtest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        subprocess.run([PROGRAM, cls.folder], check=True, stdout=subprocess.DEVNULL)
        cls.pages = {os.path.basename(path): Page(path)
                     for path in glob.glob(os.path.join(cls.folder, "*.html"))}

    def text(self, name):
        return pages.read(os.path.join(self.folder, name))

    def test_links(self):
        for name, page in self.pages.items():
            self.assertEqual([], page.open, name)
            for target in page.targets:
                file, _, anchor = target.partition("#")
                self.assertIn(file or name, self.pages, name)
                if anchor:
                    self.assertIn(anchor, self.pages[file or name].anchors, name)

    def test_complete(self):
        index = self.text("index.html")
        enumerations = self.pages["enumerations.html"].anchors
        for path in glob.glob(os.path.join(tqtest.SOURCE, "messages", "*.xml")):
            for element in ElementTree.parse(path).getroot():
                if element.tag == "message":
                    self.assertIn(">%s</a>" % element.get("name"), index)
                elif element.tag == "enumeration":
                    self.assertIn(element.get("name"), enumerations)

    def test_sources_are_named(self):
        known = set(re.findall(r"<tr><td>(\w+)</td>", self.text("index.html").partition(
            'id="sources"')[2]))
        used = set()
        for path in glob.glob(os.path.join(tqtest.SOURCE, "messages", "*.xml")):
            for words in re.findall(r'(?:sources|listed-in)="([^"]*)"', pages.read(path)):
                used |= set(words.split())
        self.assertEqual(set(), used - known)

    def test_filters(self):
        """Each filter is the plugin's, with the plugin's label."""
        rows = [line.split("\t") for line in tqtest.run(["-G", "fields"]).stdout.splitlines()
                if "\tconquer." in line]
        listed = {row[2] for row in rows}
        labels = {(row[1], row[2]) for row in rows}
        shown = set()
        for name in self.pages:
            shown |= set(re.findall(r"<code>(conquer\.\w+\.\w+)</code>", self.text(name)))
            named = set(re.findall(
                r"<td>([^<]*)</td><td>\w+</td><td><code>(conquer\.\w+\.\w+)</code>",
                html.unescape(self.text(name))))
            self.assertEqual(set(), {item for item in named if item[1] in listed} - labels)
        self.assertGreater(len(shown), 1000)
        self.assertEqual(set(), shown - listed)

    def render(self, *files):
        folder = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run([PROGRAM, folder, *files], capture_output=True, text=True)
        return folder, done

    def test_own_files(self):
        (_, _, example), = pages.blocks(os.path.join(tqtest.SOURCE, "docs", "extending.md"), "xml")
        own = os.path.join(self.folder, "own.xml")
        with open(own, "w") as file:
            file.write(example)
        folder, done = self.render(own)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        page = pages.read(os.path.join(folder, "message-30001.html"))
        self.assertIn("<code>conquer.pet_food.mood</code>", page)
        walk = pages.read(os.path.join(folder, "message-1005.html"))
        self.assertIn('<h2 id="6500">', walk)
        self.assertIn('<h2 id="4267">', walk)  # the known ones stay
        enumerations = pages.read(os.path.join(folder, "enumerations.html"))
        self.assertIn("Very hungry", enumerations)
        self.assertEqual(self.text("enumerations.html").count("Whisper"),
                         enumerations.count("Whisper"))

    def test_the_same_again_changes_nothing(self):
        folder, _ = self.render(*sorted(glob.glob(os.path.join(tqtest.SOURCE, "messages",
                                                               "*.xml"))))
        for name in self.pages:
            self.assertEqual(self.text(name), pages.read(os.path.join(folder, name)), name)

    def test_wrong_files(self):
        for content, reason in (
                ("", "no element found"), ("<x/>", "this is no message dictionary"),
                ("<dictionary><message/></dictionary>", "<message> without type"),
                ('<dictionary><message type="../x"/></dictionary>', "type is no number"),
                ('<dictionary><message type="1"><layout/></message></dictionary>', "<layout> without patch"),
                ('<dictionary><message type="1"><layout patch="1"><u8/></layout></message>'
                 "</dictionary>", "<u8> without name"),
                ("<dictionary><enumeration/></dictionary>", "<enumeration> without name")):
            with self.subTest(content):
                wrong = os.path.join(self.folder, "wrong.xml")
                with open(wrong, "w") as file:
                    file.write(content)
                _, done = self.render(wrong)
                self.assertEqual(1, done.returncode)
                self.assertRegex(done.stderr, r"^%s: .*%s.*\n$" % (re.escape(wrong), reason))
        for arguments in (["/no/such.xml"], [self.folder]):
            _, done = self.render(*arguments)
            self.assertEqual(1, done.returncode)
            self.assertEqual(1, done.stderr.count("\n"), done.stderr)

    def test_browser(self):
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if not browser:
            self.skipTest("skipped: chromium is not installed")
        with open(os.path.join(self.folder, "driver.html"), "w") as file:
            file.write(DRIVER)
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-background-networking", "--disable-component-update",
                   "--disable-sync",
                   "--allow-file-access-from-files", "--user-data-dir=" + self.folder + "/browser"]
        done = subprocess.run(command + ["--virtual-time-budget=20000", "--dump-dom",
                                         "file://%s/driver.html" % self.folder],
                              capture_output=True, text=True, timeout=300)
        seen = re.search(r'data-seen="([^"]*)"', done.stdout)
        self.assertIsNotNone(seen, done.stdout[-500:] + done.stderr[-2000:])
        self.assertRegex(seen[1], r"^Conquer Online's protocol  \d+\|MsgTalk  \d+\|"
                                  r"Enumerations #talk_channel [1-9]\d+$")
        folder = os.environ.get("TQ_PICTURES", self.folder)
        picture = os.path.join(folder, "reference.png")
        subprocess.run(command + ["--window-size=1000,860", "--screenshot=" + picture,
                                  "file://%s/message-1004.html" % self.folder],
                       check=True, capture_output=True, timeout=300)
        self.assertGreater(os.path.getsize(picture), 10000)


if __name__ == "__main__":
    unittest.main()

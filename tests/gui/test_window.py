# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's window: the tree and the bytes of a message, and the preference pane.

TQ_PICTURES: a folder that pictures of the windows are put into (see tools/screenshots.sh)."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import accessibility
import desktop
import tqtest

# What the pane is to offer, by the names that scripts use.
PREFERENCES = ("tq.backend", "tq.patch", "tq.servers", "tq.keylog_file", "tq.text_encoding",
               "tq.recover_keys", "tq.show_passwords", "tq.tcp.port")
MISSING = "not here"


class Window(tqtest.TestCase):
    def setUp(self):
        self.desktop = desktop.Desktop()
        self.addCleanup(self.desktop.close)

    def open(self, name, frame, arguments=()):
        self.desktop.open(tqtest.capture(name), ["-g", str(frame)] + list(arguments))

    def wait_for_row(self, text):
        return desktop.wait_for("a row with " + text, lambda: [
            row for row in self.desktop.details() if text in row])

    def control(self, dialog, role, preference):
        return desktop.wait_for(preference, lambda: next(
            (node for node in dialog.walk()
             if node.role == role and node.tooltip.endswith(">" + preference) and node.shown()),
            None))

    def backends(self, dialog):
        combo = self.control(dialog, "combo box", "tq.backend")
        return combo, combo.child(0).rows()

    def test_message(self):
        self.desktop.install_profile(os.path.join(tqtest.SOURCE, "profile", "TQ"))
        self.open("login_5017", 19, ["-Y", "tq", "-C", "TQ"])
        self.assertTrue(self.desktop.tree("Packet list").row("MsgUserInfo Alphatest level 130"))

        # A field of the message is marked in the plaintext.
        details = self.desktop.tree("Packet details")
        self.desktop.click(details.row("Frame"))
        self.desktop.keys("End", "Up", "Right", "End", "Right")
        desktop.wait_for("the fields", lambda: details.row("Money"))
        self.desktop.select(details, "Money: 500000")
        tab = self.desktop.window("login_5017").find("page tab", "Decrypted TQ (84 bytes)")
        self.assertIsNotNone(tab)
        desktop.wait_for("the plaintext", lambda: tab.has_state(accessibility.STATE_FOCUSED) or
                         tab.has_state(accessibility.STATE_SELECTED))
        self.desktop.picture("window")

        rows = self.desktop.details()
        for row in ("TQ, Server to client, MsgUserInfo (1006), 84 bytes",
                    "[Cipher: TQ cipher (1)]", "[Login in frame: 6]",
                    "Conquer Online, MsgUserInfo", "Name: Alphatest"):
            self.assertIn(row, rows)
        self.assertEqual(0, self.desktop.quit())

    def test_statistics(self):
        """The menu has what the page on opening a capture says."""
        self.open("login_5017", 19)
        bar = next(node for node in self.desktop.window("login_5017").walk()
                   if node.role == "menu bar")
        menu = bar.row("Statistics").child(0)
        names = [entry.name for entry in menu.children()]
        self.assertIn("TQ", names)
        self.assertIn("TQ Sessions", names)
        times = menu.row("Service Response Time").child(0)
        self.assertIn("TQ", [entry.name for entry in times.children()])

    def test_backend(self):
        self.open("login_5017", 14)
        self.assertNotIn("[Backend: scalar]", self.desktop.details())
        dialog = self.desktop.open_preferences("TQ")
        combo, backends = self.backends(dialog)
        for preference in PREFERENCES:
            label = "check box" if preference in ("tq.recover_keys", "tq.show_passwords") else \
                "label"
            tooltip = self.control(dialog, label, preference).tooltip
            self.assertGreater(len(tooltip), len(preference) + 40, tooltip)
        self.desktop.picture("preferences")

        self.desktop.choose(combo, backends.index("scalar"))
        self.desktop.accept(dialog)
        self.wait_for_row("[Backend: scalar]")
        self.assertEqual("scalar", self.desktop.preferences()["tq.backend"])
        self.assertEqual(0, self.desktop.quit())

    def test_missing_backend(self):
        self.open("login_5017", 14)
        dialog = self.desktop.open_preferences("TQ")
        combo, backends = self.backends(dialog)
        # No processor has them all.
        index, shown = next((i, text) for i, text in enumerate(backends) if MISSING in text)
        name = shown.split()[0]
        self.desktop.choose(combo, index)
        self.desktop.accept(dialog)

        alert = desktop.wait_for("the warning", lambda: self.desktop.alert("TQ: backend " + name))
        self.desktop.accept(alert)
        self.wait_for_row("Backend %s is not available on this machine" % name)
        self.assertNotIn("[Backend: %s]" % name, self.desktop.details())
        # Wireshark saves what it has shown.
        self.assertEqual(shown, self.desktop.preferences()["tq.backend"])
        self.assertEqual(0, self.desktop.quit())

    def test_key_log(self):
        self.open("blowfish_5065", 19)
        dialog = self.desktop.open_preferences("TQ")
        self.desktop.fill(self.control(dialog, "text", "tq.keylog_file"),
                          os.path.join(tqtest.CAPTURES, "blowfish_5065.keylog"))
        self.desktop.accept(dialog)
        self.wait_for_row("[Cipher: Blowfish-CFB64 (2)]")
        self.assertEqual(0, self.desktop.quit())


if __name__ == "__main__":
    desktop.run_tests()

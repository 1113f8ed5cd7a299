# SPDX-License-Identifier: GPL-2.0-or-later
"""The conversation filter "TQ session" selects account and game connection of a login together."""

import os
import sys
import tempfile
import unittest

import taptest
import tqtest

PLUGIN = sys.argv.pop(1)  # shows the filter as a field


class Filter(tqtest.TestCase):
    def setUp(self):
        """A build tree that has both plugins."""
        build = tempfile.TemporaryDirectory()
        self.addCleanup(build.cleanup)
        os.chmod(build.name, 0o755)
        # <build>/plugins/<X.Y>/epan/tq.so
        plugins = os.path.join(os.environ["TQ_BUILD"], "plugins")
        version = next(name for name in os.listdir(plugins) if name[0].isdigit())
        folder = os.path.join(build.name, "plugins", version, "epan")
        os.makedirs(folder)
        for path in (os.path.join(plugins, version, "epan", "tq.so"), PLUGIN):
            os.symlink(path, os.path.join(folder, os.path.basename(path)))
        before = os.environ["TQ_BUILD"]
        self.addCleanup(os.environ.update, TQ_BUILD=before)
        os.environ["TQ_BUILD"] = build.name

    def filters(self, name):
        """The filter that each TCP stream has."""
        rows = tqtest.fields(tqtest.capture(name), ["tcp.stream", "tqtest.filter"], "tqtest.filter",
                             tqtest.PREFERENCES.get(name, ()), two_passes=True)
        return {(row[0][0], row[1][0]) for row in rows}

    def test_login_and_game(self):
        for name in ("login_5017", "login_4330", "blowfish_5065"):
            with self.subTest(name):
                self.assertEqual({("0", "tcp.stream eq 0 or tcp.stream eq 1"),
                                  ("1", "tcp.stream eq 1 or tcp.stream eq 0")},
                                 self.filters(name))

    def test_alone(self):
        self.assertEqual({("0", "tcp.stream eq 0")}, self.filters("mid_game_5017"))

    def test_selects_every_frame(self):
        """Segments without payload are part of the connection too."""
        rows = tqtest.fields(tqtest.capture("login_5017"), ["frame.number"],
                             "tcp.stream eq 0 or tcp.stream eq 1")
        offered = tqtest.fields(tqtest.capture("login_5017"), ["frame.number"], "tqtest.filter",
                                two_passes=True)
        self.assertEqual(rows, offered)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Installing the plugin for everybody and for oneself, and Wireshark's word on wrong versions."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tqtest

BUILD = os.environ["TQ_BUILD"]


def cache(name):
    """A value of the build tree's CMake cache."""
    with open(os.path.join(BUILD, "CMakeCache.txt")) as file:
        return re.search(r"^%s:\w+=(.*)$" % name, file.read(), re.MULTILINE).group(1)


def install(component, *options, **environment):
    subprocess.run(["cmake", "--install", BUILD, "--component", component, *options], check=True,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, **environment))


def files_below(folder):
    return {os.path.relpath(os.path.join(path, name), folder)
            for path, _, names in os.walk(folder) for name in names}


def plugins_below(folder):
    return [os.path.join(folder, name) for name in files_below(folder) if name.endswith(".so")]


def tshark(home, *arguments):
    """Runs tshark with the plugins in a home folder alone: as root it would not look there."""
    command = ["tshark", *arguments]
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("WIRESHARK_PLUGIN_DIR", "XDG_CONFIG_HOME")}
    environment["HOME"] = home
    if "TQ_PRELOAD" in os.environ:
        command = ["env", "LD_PRELOAD=" + os.environ["TQ_PRELOAD"], *command]
    if os.geteuid() == 0:
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=tqtest.TIMEOUT,
                          env=environment)


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)

    def test_for_everybody(self):
        install("plugin", DESTDIR=self.folder)
        plugins = plugins_below(self.folder)
        self.assertEqual(len(plugins), 1, plugins)
        self.assertRegex(plugins[0], r"/wireshark/plugins/\d+\.\d+/epan/tq\.so$")
        program = glob.glob(self.folder + "/**/bin/tqassert", recursive=True)
        self.assertEqual(1, len(program))
        self.assertIn("--no-warnings", subprocess.run(
            [program[0], "--help"], capture_output=True, text=True, check=True).stdout)

    def test_for_oneself(self):
        install("personal", HOME=self.folder)
        self.assertEqual(len(plugins_below(self.folder)), 1)
        listed = tshark(self.folder, "-G", "plugins").stdout
        self.assertRegex(listed, r"(?m)^tq\.so\s+%s\s+dissector\s+%s/"
                         % (re.escape(cache("CMAKE_PROJECT_VERSION")), re.escape(self.folder)))
        with open(tqtest.capture("login_5017"), "rb") as capture:
            copy = os.path.join(self.folder, "login.pcapng")
            with open(copy, "wb") as file:
                file.write(capture.read())
        shown = tshark(self.folder, "-r", copy, "-Y", "tq")
        self.assertIn("MsgConnectEx", shown.stdout, shown.stderr)

    def test_prefix(self):
        folders = [os.path.join(self.folder, name) for name in ("usual", "other")]
        install("plugin", "--prefix", "/usual", DESTDIR=folders[0])
        install("plugin", "--prefix", "/other", DESTDIR=folders[1])
        usual, other = (files_below(folder) for folder in folders)
        self.assertEqual({re.sub("^usual/", "other/", name) for name in usual}, other)
        moved = usual - other
        self.assertIn("usual/bin/tqassert", moved)
        self.assertIn("usual/share/doc/wireshark-tq/copyright", moved)
        self.assertEqual([], [name for name in moved if "tq.so" in name or "profiles/" in name])

    def test_prefix_of_personal(self):
        install("personal", "--prefix", "/other", HOME="/home/me", XDG_CONFIG_HOME="",
                DESTDIR=self.folder)
        files = files_below(self.folder)
        self.assertIn("home/me/.config/wireshark/profiles/TQ/preferences", files)
        self.assertEqual([], [name for name in files if not name.startswith("home/me/")])

    def test_profile_is_kept(self):
        for places in ({"HOME": self.folder, "DESTDIR": ""}, {"HOME": "/me", "DESTDIR": self.folder}):
            install("personal", XDG_CONFIG_HOME="", **places)
            path = (places["DESTDIR"] + places["HOME"]
                    + "/.config/wireshark/profiles/TQ/preferences")
            with open(path, "a") as file:
                file.write("# mine\n")
            install("personal", XDG_CONFIG_HOME="", **places)
            with open(path) as file:
                self.assertIn("# mine\n", file.read())

    def test_changelog_has_the_version(self):
        with open(os.path.join(tqtest.SOURCE, "CHANGELOG.md")) as file:
            self.assertEqual(cache("CMAKE_PROJECT_VERSION"),
                             re.search(r"^## Plugin ([\d.]+)", file.read(), re.MULTILINE).group(1))

    def test_other_version(self):
        environment = dict(os.environ, TQ_BUILD=os.path.join(BUILD, "tests", "packaging"))
        done = subprocess.run([tqtest.WRAPPER, "-G", "plugins"], capture_output=True, text=True,
                              timeout=tqtest.TIMEOUT, env=environment)
        self.assertNotRegex(done.stdout, r"(?m)^tq\.so")
        self.assertRegex(done.stderr, r"tq\.so.* was compiled for Wireshark version \d+\.\d+")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark in a real window on a display of its own.

Keys and mouse go through xdotool. What the window holds is read through the accessibility bus, as a
screen reader does it: the names of rows, tabs and buttons, and where they are.

Scripts end with run_tests() in place of unittest.main()."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import accessibility
import tqtest

INSIDE = "TQ_GUI_SESSION"
SKIPPED = 77  # exit status
SIZE = (1200, 860)
PATIENCE = 60  # seconds; a window of a busy machine under AddressSanitizer takes its time
PYTHON = "/usr/bin/python3"  # the distribution's, which its modules are for
LAUNCHER = "/usr/libexec/at-spi-bus-launcher"


def missing():
    """Why there can be no window here; None if there can."""
    for tool in ("wireshark", "Xvfb", "xdotool", "openbox", "import", "dbus-run-session"):
        if not shutil.which(tool):
            return tool + " is not installed"
    if not os.path.exists(LAUNCHER):
        return "the package at-spi2-core is not installed"
    if subprocess.run([PYTHON, "-c", "from gi.repository import Gio"],
                      capture_output=True).returncode != 0:
        return "the package python3-gi is not installed"
    return None


def run_tests():
    """Runs the script's tests, each in a session of its own, and not as root."""
    if INSIDE in os.environ:
        unittest.main()
    reason = missing()
    if reason:
        print("skipped: " + reason)
        sys.exit(SKIPPED)
    environment = dict(os.environ, TQ_PROGRAM="dbus-run-session")
    # A sanitizer's library is for Wireshark alone.
    environment[INSIDE] = environment.pop("TQ_PRELOAD", "")
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    failed = 0
    for case in unittest.defaultTestLoader.loadTestsFromName("__main__"):
        for test in case:
            name = test.id().partition(".")[2]
            if not wanted or name in wanted:
                failed += subprocess.run([tqtest.WRAPPER, "--", PYTHON, sys.argv[0], "-v", name],
                                         env=environment).returncode != 0
    sys.exit(failed != 0)


def wait_for(what, probe):
    """Calls probe until it returns something true, and returns that."""
    end = time.monotonic() + PATIENCE
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError("waited %d s in vain for %s" % (PATIENCE, what))
        time.sleep(0.2)


class Desktop:
    """An X display with a window manager, and one Wireshark on it. One a process: the accessibility
    library loses its way where one window follows another."""

    def __init__(self):
        self.home = tempfile.mkdtemp()
        self.processes = []
        reading, writing = os.pipe()
        # Without -noreset it starts anew, and throws out who is just coming, when its only client
        # leaves: an xdotool that looks whether the window manager is there yet.
        self._start(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x920x24", "-noreset",
                     "-nolisten", "tcp"], pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as pipe:
            os.environ["DISPLAY"] = ":" + pipe.readline().strip()
        os.environ.update(HOME=self.home, XDG_CONFIG_HOME=self.home + "/.config",
                          XDG_RUNTIME_DIR=self.home, QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1",
                          LC_ALL="C.UTF-8", NO_AT_BRIDGE="0")
        self._start(["openbox"])
        wait_for("the window manager", lambda: subprocess.run(
            ["xdotool", "get_desktop"], capture_output=True).returncode == 0)
        self._start([LAUNCHER, "--launch-immediately"])
        self.bus = accessibility.Bus()

    def _start(self, command, **options):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   **options)
        self.processes.append(process)
        return process

    @staticmethod
    def _stop(process):
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def close(self):
        for process in reversed(self.processes):
            self._stop(process)
        shutil.rmtree(self.home, ignore_errors=True)

    # ---- Input ----

    def keys(self, *names):
        subprocess.run(["xdotool", "key", "--clearmodifiers"] + list(names), check=True)

    def type(self, text):
        subprocess.run(["xdotool", "type", text], check=True)

    def click(self, node, within=None):
        """Clicks on an element, or its part within another, once it has come to rest."""
        at = None
        while at is None or at != node.middle(within):
            at = node.middle(within)
            time.sleep(0.5)
        subprocess.run(["xdotool", "mousemove", str(at[0]), str(at[1]), "click", "1"], check=True)

    def choose(self, combo, index):
        """Takes the entry of a combo box."""
        entries = combo.child(0)
        self.click(combo)
        wait_for("the entries", lambda: entries.shown())
        self.keys("Home", *["Down"] * index, "Return")
        wait_for("the choice", lambda: combo.name == entries.rows()[index])

    def fill(self, field, text):
        """Puts a text into a field."""
        self.click(field)
        self.keys("ctrl+a")
        self.type(text)

    # ---- Output ----

    def picture(self, name):
        """Saves the window in use as a picture, if pictures are wanted."""
        folder = os.environ.get("TQ_PICTURES")
        if not folder:
            return
        subprocess.run(["xdotool", "mousemove", "0", "0"], check=True)
        time.sleep(1)  # what is drawn comes after what is told
        active = subprocess.run(["xdotool", "getactivewindow"], capture_output=True, text=True,
                                check=True).stdout.strip()
        subprocess.run(["import", "-window", active, "-strip",
                        os.path.join(folder, name + ".png")], check=True)

    @property
    def application(self):
        return next((node for node in self.bus.applications()
                     if node.name.lower() == "wireshark"), None)

    def window(self, title):
        """A window whose title contains the text."""
        application = self.application
        for node in application.children() if application else ():
            if title in node.name and node.role in ("frame", "dialog", "window"):
                return node
        return None

    # ---- Wireshark ----

    def open(self, path, arguments=()):
        """Opens a capture in Wireshark."""
        environment = dict(os.environ)
        if environment[INSIDE]:
            environment.update(LD_PRELOAD=environment[INSIDE], ASAN_OPTIONS="detect_leaks=0")
        self.title = os.path.basename(path)
        # One time out of three Qt finds the bus and does not use it.
        for _ in range(12):
            self._start_wireshark([path] + list(arguments), environment)
            if self.application:
                break
            self._stop(self.processes.pop())
        wait_for("the packet", lambda: self.tree("Packet details").rows())

    def _start_wireshark(self, arguments, environment):
        self.wireshark = self._start(["wireshark", "-r"] + arguments, env=environment)
        search = ["xdotool", "search", "--onlyvisible", "--name", self.title]
        wait_for("the window", lambda: subprocess.run(search, capture_output=True).stdout)
        subprocess.run(search + ["windowsize", str(SIZE[0]), str(SIZE[1]), "windowmove", "20", "30"],
                       check=True)
        time.sleep(2)
        self.bus.connect()

    def quit(self):
        """Ends Wireshark as a user does; returns its exit status."""
        self.keys("ctrl+q")
        return self.wireshark.wait(PATIENCE)

    def tree(self, name):
        return wait_for(name, lambda: self.window(self.title) and
                        self.window(self.title).find("tree", name, showing=False))

    def activate(self):
        """Hands the keyboard to the main window, once it is free."""
        subprocess.run(["xdotool", "search", "--onlyvisible", "--name", self.title,
                        "windowactivate", "--sync"], check=True)

    def details(self):
        """The rows of the packet's tree, all opened."""
        self.activate()
        self.keys("ctrl+Right")
        return self.tree("Packet details").rows()

    def alert(self, text):
        """A message box with a text that starts as given."""
        application = self.application
        for window in application.children() if application else ():
            if window.role in ("alert message", "alert", "dialog") and window.find("label", text):
                return window
        return None

    def select(self, tree, row):
        """Selects a row below the one that is selected."""
        def find(probe):
            return next((i + 1 for i, node in enumerate(tree.children()) if probe(node)), None)

        here = wait_for("a selected row",
                        lambda: find(lambda node: node.has_state(accessibility.STATE_SELECTED)))
        there = find(lambda node: node.name.startswith(row))
        self.keys(*["Down"] * (there - here))

    def open_preferences(self, protocol):
        """Opens the preference pane of a protocol; returns the dialog."""
        self.activate()
        self.keys("ctrl+shift+p")
        dialog = wait_for("the preferences", lambda: self.window("Preferences"))
        pages = next(node for node in dialog.walk()
                     if node.role == "tree" and node.starts_with("Appearance"))
        self.click(pages.row("Protocols"), pages)
        self.keys("Right")
        time.sleep(1)  # else the letters to come belong to those before
        self.type(protocol)

        def is_selected():
            row = pages.row(protocol)
            return row and row.has_state(accessibility.STATE_SELECTED)

        wait_for("the page", is_selected)
        return dialog

    def accept(self, dialog):
        """Presses OK, and waits until the dialog has gone."""
        self.click(dialog.find("push button", "OK"))
        wait_for("the end of the dialog", lambda: not dialog.shown())

    def install_profile(self, folder):
        shutil.copytree(folder, os.path.join(self.home, ".config/wireshark/profiles",
                                             os.path.basename(folder)))

    def preferences(self):
        """The preferences that are saved: a dictionary."""
        saved = {}
        with open(os.path.join(self.home, ".config/wireshark/preferences")) as file:
            for line in file:
                name, colon, value = line.partition(":")
                if colon and not line.startswith("#"):
                    saved[name] = value.strip()
        return saved

# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs every command that README.md and docs/*.md show, in a copy of the project.

Programs that would change this machine are replaced: sudo runs its command as it is, what is
installed goes into a folder, apt only looks whether the package is there, and tools/setup.sh and
ctest do not build and test again."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

import pages
import tqtest

STAND_INS = {
    "sudo": 'exec "$@"',
    "apt": 'for last; do :; done; test -e "$last"',
    "cpack": "test -f CPackConfig.cmake && touch wireshark-tq_0.deb",
    "ctest": 'test -d build-debug && echo "tests would run"',
    "cmake": 'case $1 in --install) export DESTDIR="$TQ_DESTDIR";; esac; exec {cmake} "$@"',
    # tshark as a user has it, who has installed the plugin.
    "tshark": 'unset TQ_PROGRAM; export PATH={path}; exec tools/tshark.sh "$@"',
}
SETUP = '#!/bin/sh\ntest -f "$(dirname "$0")/../CMakePresets.json"\n'


def obstacle(page, before, code):
    """Why a block cannot be run here; None if it can."""
    if "untried" in before:
        return "not for this system, and said to be untried"
    for program in ("dumpcap", "parallel", "sqlite3", "sharkd"):
        if re.search(r"\b%s\b" % program, code) and not shutil.which(program):
            return program + " is not installed"
    if "dumpcap" in code and subprocess.run(["dumpcap", "-D"], capture_output=True).returncode:
        return "no rights to capture"
    if "build-cipher" in code:
        return "tests/packaging installs the cipher library"
    return None


class Commands(tqtest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        # tshark, as nobody, is to read it.
        os.chmod(self.folder.name, 0o755)
        self.project = os.path.join(self.folder.name, "project")
        shutil.copytree(tqtest.SOURCE, self.project, symlinks=True, ignore=lambda folder, names: [
            name for name in names if name == ".git" or name.startswith("build")])
        self.link_build("build")
        self.link_build("build-debug")
        self.write("project/tools/setup.sh", SETUP)
        (_, _, mine), = pages.blocks(os.path.join(tqtest.SOURCE, "docs", "extending.md"), "xml")
        self.write(".config/wireshark/tq/mine.xml", mine)
        for name, code in STAND_INS.items():
            self.write("bin/" + name, "#!/bin/sh\n" + code.format(
                cmake=shutil.which("cmake"), path=os.environ["PATH"]) + "\n")

    def link_build(self, name):
        """Makes a build tree of links, which takes new files and leaves the real one alone."""
        folder = os.path.join(self.project, name)
        os.mkdir(folder)
        for entry in os.scandir(os.environ["TQ_BUILD"]):
            os.symlink(entry.path, os.path.join(folder, entry.name))

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def untracked(self):
        """The files of the copy that Git would offer to commit, now that the commands have run."""
        if not shutil.which("git"):
            return []
        ours = set(subprocess.run(["git", "-C", tqtest.SOURCE, "ls-files"], capture_output=True,
                                  text=True).stdout.splitlines())
        subprocess.run(["git", "init", "-q", self.project], check=True)
        all_files = subprocess.run(["git", "ls-files", "--others", "--exclude-standard"],
                                   cwd=self.project, check=True, capture_output=True, text=True)
        return sorted(set(all_files.stdout.splitlines()) - ours) if ours else []

    def run_code(self, code):
        environment = dict(os.environ, PATH=self.folder.name + "/bin:" + os.environ["PATH"],
                           TQ_DESTDIR=self.folder.name + "/installed", HOME=self.folder.name)
        return subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=self.project,
                              env=environment, capture_output=True, text=True, timeout=300)

    def test_pages(self):
        count = 0
        for path in pages.PAGES:
            for line, before, code in pages.blocks(path, "sh"):
                where = "%s:%d" % (pages.name(path), line)
                reason = obstacle(path, before, code)
                if reason:
                    print("skipped: %s: %s" % (where, reason))
                    continue
                count += 1
                with self.subTest(where):
                    done = self.run_code(code)
                    self.assertEqual(0, done.returncode, code + "\n" + done.stdout[-2000:] +
                                     done.stderr[-2000:])
                    self.assertNotIn("runtime error", done.stderr)
                    # What shows messages is to show some.
                    if "tshark.sh -r" in code and ">" not in code and "grep -q" not in code \
                            and " -w " not in code:
                        self.assertTrue(done.stdout.strip(), code)
        self.assertGreater(count, 20)
        self.assertEqual([], self.untracked())

    def test_failure_is_noticed(self):
        self.assertNotEqual(0, self.run_code("tools/tshark.sh -r no-such-file | cat").returncode)


if __name__ == "__main__":
    unittest.main()

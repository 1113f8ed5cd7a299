# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian package by Debian's policy, and in a root that has only tshark."""

import glob
import os
import platform
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["TQ_SOURCE"]
BUILD = os.environ["TQ_BUILD"]


def make_package(folder, *options):
    """Returns the path of the package."""
    subprocess.run(["cpack", "-G", "DEB", "--config", os.path.join(BUILD, "CPackConfig.cmake"),
                    "-B", folder, *options], check=True, cwd=BUILD)
    return glob.glob(os.path.join(folder, "*.deb"))[0]


def obstacle(*programs):
    """Why a package cannot be made here, and tried with some programs; None if it can."""
    if "TQ_PRELOAD" in os.environ:
        return "a build with AddressSanitizer is not for packages"
    for program in ("dpkg-shlibdeps", *programs):
        if not shutil.which(program):
            return program + " is not installed"
    if platform.freedesktop_os_release().get("ID") != "debian":
        return "this is not Debian"
    return None


class Debian(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_clean_root(self):
        why = obstacle("debootstrap")
        if os.geteuid() != 0:
            why = "making a root needs root's rights"
        if why:
            self.skipTest("skipped: " + why)
        release = platform.freedesktop_os_release()["VERSION_CODENAME"]
        subprocess.run([os.path.join(SOURCE, "packaging", "try_package.sh"), release,
                        make_package(self.folder)], check=True)

    def test_policy(self):
        why = obstacle("lintian")
        if why:
            self.skipTest("skipped: " + why)
        package = make_package(self.folder, "-D", "CPACK_PACKAGE_HOMEPAGE_URL=https://example.org/tq")
        field = subprocess.run(["dpkg-deb", "--field", package, "Homepage"], check=True,
                               capture_output=True, text=True).stdout
        self.assertEqual("https://example.org/tq\n", field)
        said = subprocess.run(["lintian", "--fail-on", "error", package], capture_output=True, text=True)
        self.assertEqual(0, said.returncode, said.stdout + said.stderr)


if __name__ == "__main__":
    unittest.main()

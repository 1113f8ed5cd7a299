# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian package in a root that has only tshark."""

import glob
import os
import platform
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["TQ_SOURCE"]
BUILD = os.environ["TQ_BUILD"]


def obstacle():
    """Why the package cannot be tried here; None if it can."""
    if os.geteuid() != 0:
        return "making a root needs root's rights"
    if "TQ_PRELOAD" in os.environ:
        return "a build with AddressSanitizer is not for packages"
    for program in ("debootstrap", "dpkg-shlibdeps"):
        if not shutil.which(program):
            return program + " is not installed"
    if platform.freedesktop_os_release().get("ID") != "debian":
        return "this is not Debian"
    return None


class Debian(unittest.TestCase):
    def test_clean_root(self):
        why = obstacle()
        if why:
            self.skipTest("skipped: " + why)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cpack", "-G", "DEB", "--config", os.path.join(BUILD, "CPackConfig.cmake"),
                            "-B", folder], check=True, cwd=BUILD)
            package = glob.glob(os.path.join(folder, "*.deb"))[0]
            release = platform.freedesktop_os_release()["VERSION_CODENAME"]
            subprocess.run([os.path.join(SOURCE, "packaging", "try_package.sh"), release, package],
                           check=True)


if __name__ == "__main__":
    unittest.main()

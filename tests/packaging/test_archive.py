# SPDX-License-Identifier: GPL-2.0-or-later
"""The archive of the sources builds."""

import glob
import os
import subprocess
import tarfile
import tempfile
import unittest

SOURCE = os.environ["TQ_SOURCE"]
BUILD = os.environ["TQ_BUILD"]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError("%s:\n%s" % (" ".join(command), done.stdout[-8000:]))


class Archive(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(os.path.join(SOURCE, ".git")), "skipped: no git repository")
    def test_builds(self):
        run("cmake", "--build", BUILD, "--target", "dist")
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(glob.glob(os.path.join(BUILD, "tq-*.tar.gz"))[0]) as archive:
                archive.extractall(folder)
            source = glob.glob(os.path.join(folder, "tq-*"))[0]
            build = os.path.join(folder, "build")
            run("cmake", "-S", source, "-B", build, "-G", "Ninja")
            run("cmake", "--build", build, "--target", "tq", "-j", "2")
            self.assertTrue(glob.glob(os.path.join(build, "plugins", "*", "epan", "tq.so")))


if __name__ == "__main__":
    unittest.main()

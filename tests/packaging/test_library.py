# SPDX-License-Identifier: MIT
"""libtqcipher as other programs have it: from an installed prefix, by pkg-config, by CMake's package,
and from .NET."""

import glob
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["TQ_SOURCE"]
EXAMPLE = os.path.join(SOURCE, "cipher", "examples", "login.c")
BINDING = os.path.join(SOURCE, "bindings", "dotnet")


def run(*command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, **environment))
    if done.returncode != 0:
        raise AssertionError("%s:\n%s" % (" ".join(command), done.stdout[-8000:]))
    return done.stdout


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.prefix = cls.path("prefix")
        run("cmake", "-S", os.path.join(SOURCE, "cipher"), "-B", cls.path("build"),
            "-DCMAKE_INSTALL_PREFIX=" + cls.prefix, "-DCMAKE_INSTALL_LIBDIR=lib")
        run("cmake", "--build", cls.path("build"), "-j", "2")
        run("cmake", "--install", cls.path("build"))
        # What is installed is to stand alone.
        shutil.rmtree(cls.path("build"))
        cls.library_path = os.path.join(cls.prefix, "lib")

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, "tqcipher",
                   PKG_CONFIG_PATH=os.path.join(self.library_path, "pkgconfig")).split()

    def test_symbols(self):
        table = run("nm", "-D", "--defined-only", os.path.join(self.library_path, "libtqcipher.so"))
        names = [line.split()[-1] for line in table.splitlines()]
        self.assertIn("tq_crypt", names)
        self.assertEqual([name for name in names if not name.startswith("tq_")], [])

    def test_pkg_config(self):
        program = self.path("shared")
        run("cc", "-std=c11", EXAMPLE, "-o", program, *self.pkg_config("--cflags", "--libs"))
        self.assertIn("decrypted with", run(program, LD_LIBRARY_PATH=self.library_path))
        self.assertIn("libtqcipher.so.1", run("ldd", program, LD_LIBRARY_PATH=self.library_path))

    def test_static(self):
        program = self.path("static")
        run("cc", "-std=c11", EXAMPLE, "-o", program,
            *[word for word in self.pkg_config("--cflags") if not word.startswith("-D")],
            os.path.join(self.library_path, "libtqcipher.a"))
        self.assertIn("decrypted with", run(program))

    def test_cmake_package(self):
        project = shutil.copytree(os.path.dirname(EXAMPLE), self.path("project"))
        build = self.path("project-build")
        run("cmake", "-S", project, "-B", build, "-DCMAKE_PREFIX_PATH=" + self.prefix)
        run("cmake", "--build", build)
        self.assertIn("decrypted with", run(os.path.join(build, "tqcipher_example_login")))

    def test_dotnet(self):
        for program in ("mcs", "mono"):
            if not shutil.which(program):
                self.skipTest("skipped: %s is not installed" % program)
        program, vectors = self.path("Tests.exe"), self.path("vectors.txt")
        run("mcs", "-warnaserror", "-out:" + program, *glob.glob(os.path.join(BINDING, "*.cs")),
            *glob.glob(os.path.join(BINDING, "tests", "*.cs")))
        run("python3", os.path.join(BINDING, "tests", "vectors_to_text.py"),
            os.path.join(SOURCE, "tests", "data", "vectors.json"), vectors)
        output = run("mono", program, vectors, LD_LIBRARY_PATH=self.library_path)
        self.assertIn("scalar: ", output)
        print(output, end="")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""libtqcipher as other programs have it: from an installed prefix, by pkg-config, by CMake's package,
and from .NET."""

import glob
import os
import re
import shlex
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


class Installed(unittest.TestCase):
    """A class whose tests have an installation of their own."""

    @classmethod
    def install(cls, *options):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        run("cmake", "-S", os.path.join(SOURCE, "cipher"), "-B", cls.path("build"),
            "-DCMAKE_INSTALL_PREFIX=" + cls.path("prefix"), *options)
        run("cmake", "--build", cls.path("build"), "-j", "2")
        run("cmake", "--install", cls.path("build"))
        # What is installed is to stand alone.
        shutil.rmtree(cls.path("build"))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def pkg_config(self, *arguments):
        return shlex.split(run("pkg-config", *arguments, "tqcipher",
                               PKG_CONFIG_PATH=os.path.join(self.library_path, "pkgconfig")))

    def check_pkg_config(self):
        program = self.path("shared")
        run("cc", "-std=c11", EXAMPLE, "-o", program, *self.pkg_config("--cflags", "--libs"))
        self.assertIn("decrypted with", run(program, LD_LIBRARY_PATH=self.library_path))
        self.assertIn(self.library_path + "/libtqcipher.so.1",
                      run("ldd", program, LD_LIBRARY_PATH=self.library_path))

    def check_cmake_package(self):
        project = shutil.copytree(os.path.dirname(EXAMPLE), self.path("project"))
        build = self.path("project-build")
        run("cmake", "-S", project, "-B", build,
            "-Dtqcipher_DIR=" + os.path.join(self.library_path, "cmake", "tqcipher"))
        run("cmake", "--build", build)
        self.assertIn("decrypted with", run(os.path.join(build, "tqcipher_example_login")))


class AbsoluteFolders(Installed):
    """Folders that are not below the prefix."""

    def test_found(self):
        with tempfile.TemporaryDirectory(suffix=" apart") as apart:
            self.library_path = os.path.join(apart, "lib")
            headers = os.path.join(apart, "headers")
            self.install("-DCMAKE_INSTALL_LIBDIR=" + self.library_path,
                         "-DCMAKE_INSTALL_INCLUDEDIR=" + headers)
            self.assertTrue(os.path.exists(os.path.join(headers, "tqcipher", "tq_cipher.h")))
            self.check_pkg_config()
            self.check_cmake_package()


class Library(Installed):
    """Moved after the installation, to a path with a space."""

    @classmethod
    def setUpClass(cls):
        cls.install("-DCMAKE_INSTALL_LIBDIR=lib/some arch", "-DCMAKE_INSTALL_INCLUDEDIR=headers")
        prefix = cls.path("moved prefix")
        os.rename(cls.path("prefix"), prefix)
        cls.library_path = os.path.join(prefix, "lib", "some arch")

    def test_symbols(self):
        table = run("nm", "-D", "--defined-only", os.path.join(self.library_path, "libtqcipher.so"))
        names = [line.split()[-1] for line in table.splitlines()]
        self.assertIn("tq_crypt", names)
        self.assertEqual([name for name in names if not name.startswith("tq_")], [])

    def test_pkg_config(self):
        self.check_pkg_config()

    def test_cmake_package(self):
        self.check_cmake_package()

    def test_version(self):
        source, program = self.path("version.c"), self.path("version")
        with open(source, "w") as file:
            file.write("#include <stdio.h>\n#include <tq_cipher.h>\n"
                       "int main(void) { puts(TQ_CIPHER_VERSION); }\n")
        run("cc", "-std=c11", source, "-o", program, *self.pkg_config("--cflags"))
        version = run(program).strip()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        self.assertEqual([version], self.pkg_config("--modversion"))
        self.assertTrue(os.path.exists(
            os.path.join(self.library_path, "libtqcipher.so." + version)))
        with open(os.path.join(SOURCE, "CHANGELOG.md")) as file:
            self.assertEqual(version, re.search(r"^## libtqcipher ([\d.]+)", file.read(), re.M)[1])

    def test_static(self):
        program = self.path("static")
        run("cc", "-std=c11", EXAMPLE, "-o", program,
            *[word for word in self.pkg_config("--cflags") if not word.startswith("-D")],
            os.path.join(self.library_path, "libtqcipher.a"))
        self.assertIn("decrypted with", run(program))

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

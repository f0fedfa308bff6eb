#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packaging/test where something is in the way, in a folder whose name has a space: apt, cmake and ctest are stand-ins that
note how they were called.

Usage: packaging_test.py SOURCE_DIR"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
TOOLS = ("bash", "env", "dirname", "grep", "tail", "mkdir", "rm", "cat", "nproc", "id", "sh")  # what the scripts use of the system


class Packaging(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="denoir packaging "))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(SOURCE / "packaging", self.folder / "packaging")
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.stand_in("dpkg", "echo amd64")
        self.stand_in("dpkg-query", "echo 'amd64 install ok installed'")
        self.stand_in("apt-get")
        self.stand_in("cmake", 'case "$*" in *--build*) echo "[2/2] linked";; esac')
        self.stand_in("ctest")
        self.stand_in("python3")  # the machine may have a toolkit, for which the script would ask pip

    def stand_in(self, name, body=":"):
        file = self.bin / name
        file.unlink(missing_ok=True)  # it may be a link to the system's own tool
        file.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.folder}/calls"\n{body}\n')
        file.chmod(0o755)

    def call(self, *words):
        environment = {"PATH": str(self.bin), "HOME": str(self.folder)}
        ran = subprocess.run([self.folder / "packaging" / "test", *words], env=environment, capture_output=True, text=True, timeout=60)
        calls = self.folder / "calls"
        return ran, calls.read_text() if calls.exists() else ""

    def test_all_goes_well(self):
        ran, calls = self.call()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("apt-get", calls)
        self.assertIn("ctest --test-dir build/release -L quick", calls)
        self.assertIn("[2/2] linked", ran.stdout)

    def test_a_word_that_is_none_comes_first(self):
        ran, calls = self.call("ful")
        self.assertEqual((ran.returncode, calls), (1, ""))
        self.assertIn("usage: packaging/test [quick|full]", ran.stderr)

    def test_a_build_that_fails_says_why(self):
        self.stand_in("cmake", 'case "$*" in *--build*) echo "a.cpp:1: error: no room"; echo "ninja: build stopped"; exit 1;; esac')
        ran, calls = self.call()
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("a.cpp:1: error: no room", ran.stdout + ran.stderr)
        self.assertIn("build/release/build.log", ran.stderr)
        self.assertNotIn("ctest", calls)

    def test_packages_of_another_processor_do_not_count(self):
        self.stand_in("dpkg-query", """case "$*" in
            *libfmt-dev*) echo 'arm64 install ok installed';;
            *zlib1g-dev*) echo 'arm64 install ok installed'; echo 'amd64 install ok installed';;
            *ninja-build*) echo 'amd64 deinstall ok config-files';;
            *fonts*) echo 'all install ok installed';;
            *) echo 'amd64 install ok installed';;
            esac""")
        self.stand_in("sudo", 'exec "$@"')
        ran, calls = self.call()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stdout, "installing: ninja-build libfmt-dev\n")

    def test_lists_of_packages_that_cannot_be_renewed(self):
        """Missing packages may still be installed with the lists that are there."""
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("apt-get", 'case "$*" in *update*) exit 100;; esac')
        self.stand_in("sudo", 'exec "$@"')
        ran, calls = self.call()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(calls, "apt-get .*install .*ninja-build")

    def test_packages_that_cannot_be_installed(self):
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("apt-get", "exit 100")
        self.stand_in("sudo", 'exec "$@"')
        ran, calls = self.call()
        self.assertEqual(ran.returncode, 1)
        self.assertIn("denoir: the packages could not be installed", ran.stderr)
        self.assertNotIn("cmake --preset", calls)

    def test_packages_that_nobody_here_may_install(self):
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("id", "echo 1000")
        ran, calls = self.call()
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, "there is no sudo; install as root: g\\+\\+ cmake .* xauth.*\n")
        self.assertNotIn("apt-get", calls)

    def test_cudnn_is_not_worth_an_end(self):
        """There is a toolkit but no pip, and nobody may install it."""
        self.stand_in("id", "echo 1000")
        self.stand_in("nvcc")
        self.stand_in("python3", "exit 1")
        ran, calls = self.call()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("going on without cuDNN", ran.stdout)
        self.assertIn("ctest", calls)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cpack` makes a Debian package that holds a whole program and names what it needs.

Usage: package_test.py BUILD_FOLDER STUDIO(0|1)"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, STUDIO = sys.argv[1], sys.argv[2] == "1"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "dpkg-dev is not here")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="denoir package ")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        output("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-G", "DEB", "-B", cls.folder)
        (name,) = [each for each in os.listdir(cls.folder) if each.endswith(".deb")]
        cls.package = os.path.join(cls.folder, name)

    def test_needs_what_it_links_to_and_opens(self):
        needs = output("dpkg-deb", "-f", self.package, "Depends")
        for name in ("libavcodec", "libssl") + (("libqt6widgets6", "libqt6sql6-sqlite", "libqt6svg6") if STUDIO else ()):
            self.assertIn(name, needs)
        self.assertNotIn("libdenoir", needs)  # the program's own library
        if STUDIO:  # must be required alone and not as one of two, since the other may be installed already
            owner = output("dpkg", "-S", "*/imageformats/libqsvg.so").split(":")[0]
            self.assertIn(owner, [each.split()[0] for each in needs.split(", ") if "|" not in each])
        self.assertNotIn("nvidia", needs)  # the card's libraries are opened at run time, where they are

    def test_runs_where_it_is_unpacked(self):
        root = os.path.join(self.folder, "root")
        output("dpkg-deb", "-x", self.package, root)
        for path in ("share/doc/denoir/copyright", "share/doc/denoir/LICENSE.Apache-2.0") + (
                ("bin/denoir", "share/applications/denoir.desktop", "share/doc/denoir/LICENSE.GPL-3.0") if STUDIO else ()):
            self.assertTrue(os.path.isfile(os.path.join(root, "usr", path)), path)
        environment = {"PATH": os.environ["PATH"], "DENOIR_HOME": os.path.join(self.folder, "home")}
        said = subprocess.run([os.path.join(root, "usr/bin/denoir-cli"), "tokenize", "A red balloon."], env=environment, cwd=root,
                              capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the .ts files up to date with the sources. Words that have no translation yet stay marked as unfinished, and
tests/ui/translations/translation_test.py names them.

Usage: update.py [LUPDATE]      (default: /usr/lib/qt6/bin/lupdate)"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    lupdate = sys.argv[1] if len(sys.argv) > 1 else "/usr/lib/qt6/bin/lupdate"
    common = [lupdate, "-silent", "-no-obsolete", "-locations", "none", "-I", ".", "ui", "app"]
    for language, more in (("de", []), ("en", ["-pluralonly"])):
        subprocess.run([*common, "-ts", f"ui/translations/denoir_{language}.ts", "-target-language", language, *more], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The German translation is complete: every word of the sources is in it, finished, with the same placeholders.

Usage: translation_test.py SOURCE_DIR LUPDATE"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET


def messages(path):
    for context in ET.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            yield context.find("name").text, message


def placeholders(text):
    return sorted(re.findall(r"%(?:L?\d|n)", text or ""))


def main():
    source, lupdate = sys.argv[1:3]
    bad, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        fresh = os.path.join(folder, "denoir_de.ts")
        shutil.copy(os.path.join(source, "ui/translations/denoir_de.ts"), fresh)
        subprocess.run([lupdate, "-silent", "-no-obsolete", "-locations", "none", "-I", ".", "ui", "app", "-ts", fresh, "-target-language", "de"],
                       cwd=source, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for context, message in messages(fresh):
            text, translation = message.find("source").text, message.find("translation")
            count += 1
            forms = [form.text for form in translation.findall("numerusform")] or [translation.text]
            if translation.get("type") == "unfinished" or not all(forms):
                bad.append(f"{context}: {text!r} has no German words")
            elif any(placeholders(form) != placeholders(text) for form in forms):
                bad.append(f"{context}: {text!r} and {forms!r} differ in their placeholders")
    print("\n".join(bad))
    print(f"{count} messages, {len(bad)} not translated; ui/translations/update.py brings the files up to date")
    return 1 if bad or count < 300 else 0


if __name__ == "__main__":
    sys.exit(main())

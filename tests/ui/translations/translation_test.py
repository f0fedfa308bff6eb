#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The German translation is complete: every word of the sources is in it, finished, with the same placeholders. The
engine's sentences that have German words are still the engine's.

Usage: translation_test.py SOURCE_DIR LUPDATE"""
import json
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


STRING = r'R"\(.*?\)"|"(?:[^"\\]|\\.)*"'


def engine_literals(source):
    """The texts between quotes in the engine and in what is built on it; neighbours are joined, and values become {}."""
    texts = set()
    for folder, _, names in (entry for room in ("engine", "app") for entry in os.walk(os.path.join(source, room))):
        for name in names:
            if not name.endswith((".cpp", ".h")):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                code = re.sub(r"^#include.*$", "", file.read().replace("'\"'", ""), flags=re.M)
            for joined in re.findall(rf"(?:(?:{STRING})\s*)+", code, flags=re.S):
                parts = re.findall(STRING, joined, flags=re.S)
                text = "".join(p[3:-2] if p.startswith("R") else re.sub(r"\\(.)", r"\1", p[1:-1]) for p in parts)
                texts.add(re.sub(r"\{[^{}]*\}", "{}", text))
    return texts


def engine_words(source):
    """Finds sentences in the studio's list that the engine does not say any more, or says with other values."""
    literals = engine_literals(source)
    whole = "\n".join(literals)
    read = {}
    for name in ("engine_de.json", "engine_en.json"):
        with open(os.path.join(source, "ui/translations", name), encoding="utf-8") as file:
            words = read[name] = json.load(file)
        for said, shown in words.items():
            # Some sentences are put together with +.
            if said not in literals and not all(piece in whole for piece in said.split("{}")):
                yield f"{name}: the engine does not say {said!r}"
            if len(re.findall(r"\{\.?\}", shown)) > said.count("{}"):
                yield f"{name}: {said!r} and {shown!r} differ in their values"
    for said in read["engine_de.json"].keys() - read["engine_en.json"].keys():
        if re.search(r"(^| )--[a-z]", said):
            yield f"engine_en.json: the window has no option as in {said!r}"


# One thing has one German word.
INSTEAD = {"Anfangsbild": "Startbild", "Startwert": "Seed", "gescheitert": "fehlgeschlagen", "zurückholen": "wiederherstellen", "zurückgeholt": "wiederhergestellt"}


def second_words(source):
    """Finds German texts with a second word for a thing that has one, and names in the window that two things share."""
    named = {}
    with open(os.path.join(source, "ui/translations/engine_de.json"), encoding="utf-8") as file:
        texts = list(json.load(file).values())
    for context, message in messages(os.path.join(source, "ui/translations/denoir_de.ts")):
        text, german = message.find("source").text, "".join(message.find("translation").itertext()).strip()
        texts.append(german)
        if german and context.endswith("::MainWindow"):
            named.setdefault(german.replace("&", "").lower(), set()).add(text.replace("&", "").lower())
    for text in texts:
        yield from (f"{text!r}: the word is {word!r}" for other, word in INSTEAD.items() if other.lower() in text.lower())
    yield from (f"{german!r} is the name of {sorted(things)}" for german, things in named.items() if len(things) > 1)


def main():
    source, lupdate = sys.argv[1:3]
    bad, count = [*engine_words(source), *second_words(source)], 0
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

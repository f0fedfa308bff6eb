#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers, stack and spills of every kernel, from the reports that the build kept. Fails for a kernel that spills, for one whose arrays went to
the stack, and where the reports are missing.

Usage: ptxas_report.py FOLDER_WITH_OBJECTS"""
import re
import sys
from pathlib import Path

# A frame of at most this many bytes is what calls of the mathematical library need (erf's slow path).
LARGEST_FRAME = 64


def kernels(text):
    """(architecture, name, registers, frame, spilled bytes)"""
    entry = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
    name = architecture = None
    frame = spilled = 0
    for line in text.splitlines():
        if found := entry.search(line):
            name, architecture = found.groups()
        elif found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            frame, spilled = int(found[1]), int(found[2]) + int(found[3])
        elif (found := re.search(r"Used (\d+) registers", line)) and name:
            yield architecture, name, int(found[1]), frame, spilled
            name = None


def short(name):
    found = re.search(r"\d+([a-z_0-9]+_kernel)(.*)", name)
    return f"{found[1]} {found[2][:24]}" if found else name[:60]


def main():
    reports = sorted(Path(sys.argv[1]).rglob("*.ptxas"))
    every, bad = [], 0
    for report in reports:
        every += kernels(report.read_text(encoding="utf-8"))
    for architecture, name, registers, frame, spilled in sorted(every, key=lambda k: (-k[4], -k[3], -k[2])):
        wrong = spilled > 0 or frame > LARGEST_FRAME
        bad += wrong
        if wrong or registers > 96:
            print(f"{architecture} {short(name):60} {registers:4} registers {frame:4} B frame {spilled:4} B spilled{'   TOO MUCH' if wrong else ''}")
    print(f"{len(every)} kernels in {len(reports)} reports, {bad} that spill or keep arrays on the stack")
    return 1 if bad or len(every) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the build's dependency record and checks who includes whom (the README's map of the house: downwards only).

Usage: include_direction.py SOURCE_DIR BUILD_DIR"""
import os
import re
import subprocess
import sys

# Every room of the house and the rooms that it may include. A room may always include itself.
MAY = {
    "engine/core": [],
    "engine/backend": ["engine/core"],
    "engine/weights": ["engine/core", "engine/backend"],
    "engine/media": ["engine/core"],
    "engine/metrics": ["engine/core"],
    "engine/report": ["engine/core"],
    "engine/ops": ["engine/core", "engine/backend"],
    "engine/nn": ["engine/core", "engine/backend", "engine/ops", "engine/weights"],
    "engine/models": ["engine/core", "engine/backend", "engine/ops", "engine/nn", "engine/weights"],
    "engine/sampling": ["engine/core"],
}
MAY["engine/pipeline"] = list(MAY)
MAY["engine/session"] = list(MAY)
MAY["engine/compare"] = list(MAY)
ENGINE = list(MAY)
MAY["bench"] = ENGINE
MAY["app/cli"] = ENGINE + ["bench"]
APP = ["app/base"]
MAY["app/base"] = ENGINE
MAY["app/desktop"] = MAY["app/clips"] = MAY["app/request"] = ENGINE + APP
APP += ["app/desktop", "app/clips", "app/request"]
MAY["app/runs"] = ENGINE + APP
MAY["app/project"] = ENGINE + APP + ["app/runs"]
APP += ["app/project", "app/runs"]
MAY["app/compare"] = MAY["app/sweep"] = ENGINE + APP
APP += ["app/compare", "app/sweep"]
MAY["app"] = ENGINE + APP
APP += ["app"]
UI = []
for peers in (["ui/theme"], ["ui/widgets"], ["ui"], ["ui/actions", "ui/preview", "ui/timeline", "ui/docks"],  # "ui" is what every view is given
              ["ui/compare", "ui/steps", "ui/layers", "ui/tune"], ["ui/window"]):
    for each in peers:
        MAY[each] = ENGINE + APP + UI
    UI += peers
MAY["app/main.cpp"] = ENGINE + APP + UI  # composes them all
MAY["bench/ui"] = ENGINE + APP + UI + ["bench", "tests"]
MAY["tests"] = ENGINE + APP + UI + ["bench", "app/cli"]


def room(path):
    """The innermost room that holds `path` (relative to the source), or None."""
    return max((r for r in MAY if path == r or path.startswith(r + "/")), key=len, default=None)


def backend_leaks(source, path):
    """oneDNN's and CUDA's headers must stay behind engine/backend, each in one wrapper."""
    if path.startswith("engine/backend/") or path.startswith("tests/") or not path.endswith((".cpp", ".h")):
        return []
    with open(os.path.join(source, path), encoding="utf-8") as f:
        return [m for m in re.findall(r'#\s*include\s*[<"]([^>"]+)', f.read()) if re.match(r"(oneapi/|dnnl|cuda|cublas|cudnn)", m)]


def written(source):
    """Checks the includes in the text: each may only name a room directly below."""
    for folder in ("engine", "app", "ui", "bench"):
        for where, _, files in os.walk(os.path.join(source, folder)):
            for name in files:
                if not name.endswith((".h", ".cpp", ".cu", ".cuh")):
                    continue
                path = os.path.relpath(os.path.join(where, name), source)
                with open(os.path.join(source, path), encoding="utf-8") as f:
                    includes = re.findall(r'#\s*include\s*"([^"]+)"', f.read())
                a = room(path)
                yield from (f"{path} includes {i}: {a} may not know {room(i)}" for i in includes if room(i) not in (None, a, *MAY[a]))
                yield from (f"{path} includes {leak}: only engine/backend may" for leak in backend_leaks(source, path))


def recorded(source, build):
    """(unit, header) pairs of the build's dependency record, both relative to the source."""
    record = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, stdout=subprocess.PIPE, text=True).stdout
    unit, compiled = None, False
    for line in record.splitlines():
        if not line.startswith(" "):
            # The record also has what moc read, which is not an include.
            unit, compiled = None, line.split(":")[0].endswith(".o")
            continue
        if not compiled:
            continue
        path = os.path.realpath(os.path.join(build, line.strip()))
        if not path.startswith(source + os.sep):
            continue
        path = os.path.relpath(path, source)
        if unit is None:  # the first dependency of a record is the source itself
            unit = path
        else:
            yield unit, path


def closure(start):
    seen, todo = set(), [start]
    while todo:
        for r in MAY[todo.pop()]:
            if r not in seen:
                seen.add(r)
                todo.append(r)
    return seen


def main():
    source, build = (os.path.realpath(p) for p in sys.argv[1:3])
    below = {r: closure(r) for r in MAY}
    bad, edges = set(written(source)), 0
    for unit, header in recorded(source, build):
        a, b = room(unit), room(header)
        if a and b:
            edges += 1
            if a != b and b not in below[a]:
                bad.add(f"{unit} pulls in {header}: {a} may not reach {b}")
    for line in sorted(bad):
        print(line)
    print(f"{edges} includes of our own headers in the build's record, {len(bad)} upwards")
    return 0 if edges and not bad else 1


if __name__ == "__main__":
    sys.exit(main())

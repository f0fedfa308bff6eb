#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source names its licence in its first two lines: Apache-2.0, but GPL-3.0-or-later in app/ (not app/cli) and ui/."""
import os
import subprocess
import sys

ENDINGS = (".h", ".cpp", ".cu", ".cuh", ".inc", ".py", ".sh", ".cmake", ".bash", ".fish", ".desktop", "_denoir-cli", "CMakeLists.txt")


def expected(path):
    gpl = path.startswith("ui/") or (path.startswith("app/") and not path.startswith("app/cli/") and path != "app/CMakeLists.txt")
    return "GPL-3.0-or-later" if gpl else "Apache-2.0"


def main():
    source = sys.argv[1]
    files = subprocess.run(["git", "-C", source, "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    bad = []
    for path in filter(lambda p: p.endswith(ENDINGS) and os.path.exists(os.path.join(source, p)), files):
        with open(os.path.join(source, path), encoding="utf-8") as f:
            head = f.readline() + f.readline()
        if f"SPDX-License-Identifier: {expected(path)}" not in head:
            bad.append(f"{path}: no line `SPDX-License-Identifier: {expected(path)}` at its top")
    print("\n".join(bad) or "every source names its licence")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

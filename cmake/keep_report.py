#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a compiler (`keep_report.py COMMAND… -o OBJECT …`) and writes what ptxas says about each kernel to OBJECT.ptxas, for
tests/engine/backend/cuda/ptxas_report.py. Everything else on its stderr is passed on."""
import subprocess
import sys

done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True, check=False)
report = [line for line in done.stderr.splitlines() if line.startswith("ptxas") or "bytes stack frame" in line]
if "-o" in sys.argv[1:] and report:
    with open(sys.argv[sys.argv.index("-o") + 1] + ".ptxas", "w", encoding="utf-8") as f:
        f.write("\n".join(report) + "\n")
kept = set(report)
sys.stderr.write("".join(line + "\n" for line in done.stderr.splitlines() if line not in kept or done.returncode))
sys.exit(done.returncode)

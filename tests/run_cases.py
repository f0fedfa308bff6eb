#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of tests/fixtures through a denoir-cli and compares what it writes.

    run_cases.py build/release/bin/denoir-cli ['dit-*' 'vae-*' …] [--precision wan] [--threads N] [--jobs N] [--verbose]

A folder with case.json is a case: of `denoir-cli module` when it names a module (max|a - b| / max|b| must stay within
`tol`), of `denoir-cli render` when it names a request (the last latents must reach `psnr` dB). tokenize/cases.json
holds texts and their ids. Python 3 alone; NumPy is used when there. Exit status 0 only if every selected case holds.
"""

import argparse
import array
import fnmatch
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None

_FORMATS = {
    "F32": ("f", "<f4"),
    "F64": ("d", "<f8"),
    "I64": ("q", "<i8"),
    "I32": ("i", "<i4"),
    "U8": ("B", "u1"),
    "BOOL": ("B", "u1"),
    "F16": ("e", "<f2"),
    "BF16": ("H", "<u2"),
}
_WITHOUT_DTYPE = ("scheduler", "timestep-matrix", "noise")


def read_safetensors(path):
    """Returns {name: (shape, values as a flat list or NumPy array)}."""
    raw = Path(path).read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    out = {}
    for name, entry in json.loads(raw[8 : 8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        data, kind = raw[8 + length + begin : 8 + length + end], entry["dtype"]
        code, numpy_code = _FORMATS[kind]
        if np is not None:
            values = np.frombuffer(data, numpy_code)
            if kind == "BF16":
                values = (values.astype(np.uint32) << 16).view(np.float32)
            values = values.astype(np.float64)
        elif kind == "F16":
            values = [v[0] for v in struct.iter_unpack("<e", data)]
        else:
            values = array.array(code)
            values.frombytes(data)
            if kind == "BF16":
                values = [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
        out[name] = (entry["shape"], values)
    return out


def relative_error(got, want):
    """max|a - b| / max|b|, infinite for anything not finite"""
    if len(got) != len(want):
        return math.inf
    if np is not None:
        if not np.isfinite(got).all():
            return math.inf
        return float(np.abs(got - want).max(initial=0.0)) / max(float(np.abs(want).max(initial=0.0)), 1e-30)
    if any(not math.isfinite(v) for v in got):
        return math.inf
    top = max((abs(v) for v in want), default=0.0)
    return max((abs(a - b) for a, b in zip(got, want)), default=0.0) / max(top, 1e-30)


def psnr(got, want):
    """The PSNR in dB, relative to the range of the wanted values."""
    if len(got) != len(want) or any(not math.isfinite(float(v)) for v in got):
        return -math.inf
    mse = sum((float(a) - float(b)) ** 2 for a, b in zip(got, want)) / len(want)
    span = float(max(want)) - float(min(want))
    return 10 * math.log10(span * span / max(mse, 1e-30))


class Runner:
    def __init__(self, args, fixtures):
        self.args, self.fixtures = args, fixtures

    def call(self, command):
        """Returns (standard output, None) or (None, what went wrong)."""
        if self.args.threads is not None and command[1] in ("module", "render"):
            command = command + ["--threads", str(self.args.threads)]
        try:
            done = subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
                timeout=self.args.timeout,
                env={**os.environ, "DENOIR_HOME": self.args.home},  # keeps the runs out of the user's history
            )
        except subprocess.TimeoutExpired:
            return None, f"took longer than {self.args.timeout:g} s"
        if done.returncode != 0:
            message = " ".join(done.stderr.decode("utf-8", "replace").split())
            return None, f"exit {done.returncode}: {message[-300:]}"
        return done.stdout, None

    def module(self, folder, case):
        """Returns whether the case holds, and a text."""

        def here(path):
            return os.path.normpath(folder / path)

        with tempfile.TemporaryDirectory() as temporary:
            out = os.path.join(temporary, "out.safetensors")
            command = [self.args.cli, "module", case["module"]]
            if case["weights"]:
                command += ["--weights", *map(here, case["weights"])]
            inputs = here(case.get("inputs", "in.safetensors"))
            if os.path.exists(inputs):
                command += ["--inputs", inputs]
            command += ["--out", out]
            if case["module"] not in _WITHOUT_DTYPE:
                command += ["--dtype", case["dtype"]]
                precision = case.get("precision") or (self.args.precision if case["dtype"] != "f32" else None)
                if precision:
                    command += ["--precision", precision]
            for key, value in case["set"].items():
                command += ["--set", f"{key}={value}"]
            _, wrong = self.call(command)
            if wrong:
                return False, wrong
            got, want = read_safetensors(out), read_safetensors(folder / "expect.safetensors")
        worst, tensor = 0.0, ""
        for name, (shape, values) in want.items():
            if name not in got:
                return False, f"no tensor '{name}' in the output"
            got_shape, got_values = got[name]
            cut = case.get("slices", {}).get(name)
            if list(got_shape) != list(cut["shape"] if cut else shape):
                return False, f"'{name}' has shape {got_shape}, wanted {cut['shape'] if cut else shape}"
            if cut:
                got_values = got_values[cut["offset"] : cut["offset"] + len(values)]
            error = relative_error(got_values, values)
            if not error <= worst:
                worst, tensor = error, name
        return worst <= case["tol"], f"error {worst:.1e} of {case['tol']:.0e} {tensor}"

    def pipeline(self, folder, case):
        def here(path):
            return os.path.normpath(folder / path)

        request = json.loads((folder / case["request"]).read_text(encoding="utf-8"))
        for part, key in ((request, "model"), (request, "image"), (request, "last_image"), (request.get("noise", {}), "file"), (request.get("forcing", {}), "video"),
                          *((lora, "file") for lora in request.get("loras", ()))):
            if part.get(key):
                part[key] = here(part[key])
        with tempfile.TemporaryDirectory() as temporary:
            path, run = os.path.join(temporary, "request.json"), os.path.join(temporary, "run")
            Path(path).write_text(json.dumps(request, ensure_ascii=False), encoding="utf-8")
            video = os.path.join(temporary, "out.mp4")
            _, wrong = self.call([self.args.cli, "render", path, "--out", video, "--run-dir", run, "--latents", "last"])
            if wrong:
                return False, wrong
            files = sorted(Path(run, "latents").glob("step_*.safetensors"))
            if not files or not os.path.exists(video):
                return False, "no latents in the run folder" if not files else "no video was written"
            got, want = read_safetensors(files[-1]), read_safetensors(folder / "expect.safetensors")
        if "latent" not in got or list(got["latent"][0]) != list(want["latent"][0]):
            return False, f"'latent' has shape {got.get('latent', [None])[0]}, wanted {want['latent'][0]}"
        value = psnr(got["latent"][1], want["latent"][1])
        return value >= case["psnr"], f"{value:.1f} dB of {case['psnr']}"

    def tokenize(self, folder, entry):
        command = [
            self.args.cli,
            "tokenize",
            "--json",
            "--model",
            os.path.normpath(folder / entry["model"]),
            "--",
            entry["text"],
        ]
        out, wrong = self.call(command)
        if wrong:
            return False, wrong
        got = json.loads(out)
        if got.get("text") != entry["cleaned"]:
            return False, f"cleaned text {got.get('text')!r}, wanted {entry['cleaned']!r}"
        if got.get("ids") != entry["ids"]:
            return False, f"ids {got.get('ids')}, wanted {entry['ids']}"[:400]
        return True, f"{len(entry['ids'])} ids"

    def tasks(self):
        """Returns (name, note, function) of every selected case."""
        out = []
        for path in sorted(self.fixtures.glob("*/case.json")):
            case = json.loads(path.read_text(encoding="utf-8"))
            kind = self.module if "module" in case else self.pipeline
            out.append((path.parent.name, case["note"], lambda k=kind, f=path.parent, c=case: k(f, c)))
        texts = self.fixtures / "tokenize" / "cases.json"
        if texts.exists():
            for entry in json.loads(texts.read_text(encoding="utf-8")):
                out.append(
                    (f"tokenize-{entry['name']}", entry["note"], lambda f=texts.parent, e=entry: self.tokenize(f, e))
                )
        wanted = self.args.globs or ["*"]
        return [t for t in out if any(fnmatch.fnmatch(t[0], g) for g in wanted)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", help="path of denoir-cli")
    parser.add_argument("globs", nargs="*", help="names of cases, default all")
    parser.add_argument("--fixtures", type=Path, default=Path(__file__).resolve().parent / "fixtures")
    parser.add_argument("--precision", help="for cases below f32 that name none")
    parser.add_argument("--threads", type=int, help="handed on to the program")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time (default 2)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one case (default 60)")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--verbose", action="store_true", help="also print what holds")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as args.home:
        return run_all(args)


def run_all(args):
    tasks = Runner(args, args.fixtures).tasks()
    if args.list:
        print("\n".join(name for name, _, _ in tasks))
        return 0
    args.cli = os.path.abspath(args.cli)
    if not os.access(args.cli, os.X_OK):
        print(f"{args.cli} is no program")
        return 1

    def run(task):
        started = time.monotonic()
        try:
            holds, text = task[2]()
        except (OSError, ValueError, KeyError, struct.error) as error:
            holds, text = False, f"unreadable output: {error}"
        return task, holds, text, time.monotonic() - started

    failed = 0
    with ThreadPoolExecutor(max(args.jobs, 1)) as pool:
        for (name, note, _), holds, text, seconds in pool.map(run, tasks):
            failed += not holds
            if not holds or args.verbose:
                print(
                    f"{'ok  ' if holds else 'FAIL'} {name}: {text} ({seconds:.1f} s)" + ("" if holds else f"; {note}"),
                    flush=True,
                )
    print(f"{len(tasks) - failed} passed, {failed} failed")
    return 0 if tasks and not failed else 1


if __name__ == "__main__":
    sys.exit(main())

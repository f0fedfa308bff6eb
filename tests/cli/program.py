# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of denoir-cli: the program, its fixtures, and one way to call it. Needs only Python 3."""

import hashlib
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

CLI = os.path.abspath(sys.argv[1])
FIXTURES = pathlib.Path(sys.argv[2]).resolve()
MODEL = FIXTURES / "_models" / "Wan2.1-T2V-tiny-Diffusers"
PACE = float(os.environ.get("DENOIR_TEST_PACE", "1"))  # how much slower the program is, for builds with sanitizers
HAS_BENCH = os.environ.get("DENOIR_TEST_BENCH", "ON") == "ON"
PROMPT = "A red fox jumps over the lazy dog."


class Result:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def json(self):
        return json.loads(self.out)


def tree(folder):
    """Every path below a folder, by which a test sees that nothing was left behind."""
    return sorted(str(p.relative_to(folder)) for p in pathlib.Path(folder).rglob("*"))


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def latents(run):
    """The checksums of a run's latents by file."""
    return {p.name: sha256(p) for p in sorted((pathlib.Path(run) / "latents").iterdir())}


def write_safetensors(path, tensors):
    """Writes {name: (dtype, shape, bytes)}."""
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    """Reads {name: (dtype, shape, bytes)}."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__", None)
    return {n: (t["dtype"], t["shape"], raw[8 + size + t["data_offsets"][0] : 8 + size + t["data_offsets"][1]]) for n, t in header.items()}


class Case(unittest.TestCase):
    """Gives each test a temporary folder and a home of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="denoir-cli-test-"))
        self.home = self.folder / "home"
        self.work = self.folder / "work"
        self.work.mkdir()
        self.environment = dict(os.environ, DENOIR_HOME=str(self.home), LC_ALL="C.UTF-8")

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *words, **options):
        options = {"stderr": subprocess.PIPE, "cwd": self.work} | options
        return subprocess.Popen([CLI, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=self.environment, **options)

    def run_cli(self, *words, timeout=120, **options):
        begin = time.monotonic()
        process = self.start(*words, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"took too long: {words}")
        return Result(process.returncode, out.decode("utf-8", "strict"), err.decode("utf-8", "strict"), time.monotonic() - begin)

    def wait_until(self, there):
        """Waits until `there()` is true: for a moment of the program's work and not of the clock, which other work on the machine would move."""
        until = time.monotonic() + 60 * PACE
        while not there():
            self.assertLess(time.monotonic(), until, "never came")
            time.sleep(0.005)

    def done(self, *words, **options):
        result = self.run_cli(*words, **options)
        self.assertEqual(result.code, 0, f"{words}: {result.err}")
        return result

    def refused(self, *words, codes=(1, 2), names=(), **options):
        """Expects one clean line, a fitting exit code, and nothing left behind."""
        before = tree(self.work)
        result = self.run_cli(*words, **options)
        self.assertIn(result.code, codes, f"{words}: {result.code} {result.err!r}")
        lines = [line for line in result.err.splitlines() if not line.startswith("warning:")]
        self.assertEqual(len(lines), 1, f"{words}: {result.err!r}")
        self.assertTrue(lines[0].startswith("denoir-cli: "), lines[0])
        self.assertLessEqual(len(lines[0].encode()), 400)
        self.assertTrue(lines[0].isprintable(), lines[0])
        for word in ("exception", "std::", "CLI11", "libav", "nlohmann", "what()", "Traceback"):
            self.assertNotIn(word, lines[0])
        for name in names:
            self.assertIn(str(name), lines[0])
        self.assertEqual(tree(self.work), before, f"{words}: something was left behind")
        return result

    def render_words(self, out, *more, steps=4, seed=7, size="80x48"):
        return ("render", "--model", MODEL, "--prompt", PROMPT, "--size", size, "--frames", 9, "--steps", steps, "--seed", seed, "--dtype", "f32", "--out", out, *more)


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)

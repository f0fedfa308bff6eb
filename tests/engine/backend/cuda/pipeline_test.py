#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A whole tiny render on the emulated card, through the module and the command line, beside the same on the processor: 40 dB or better.

Usage: pipeline_test.py DENOIR_CLI EMULATED_MODULE SOURCE_DIR"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    cli, module, source = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "SkyReels-V2-DF-tiny")
        subprocess.run([sys.executable, os.path.join(source, "packaging", "tiny_model.py"), model], check=True)
        environment = {**os.environ, "DENOIR_HOME": os.path.join(folder, "home"), "DENOIR_CUDA_MODULE": module}

        def run(*command):
            done = subprocess.run([cli, *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            assert done.returncode == 0, (command, done.stderr)
            return json.loads(done.stdout)

        videos = []
        for device in ("cpu", "cuda"):
            videos.append(os.path.join(folder, device))
            result = run("render", "--model", model, "--prompt", "a red balloon", "--size", "64x48", "--frames", "5", "--steps", "3", "--seed", "5",
                         "--dtype", "bf16", "--device", device, "--out", videos[-1], "--json")
            print(device, {k: round(v, 2) for k, v in result["stages"].items()})
            assert len(list(Path(videos[-1]).glob("*.png"))) == 5
        psnr = run("compare", *videos, "--json")["mean"]["psnr"]
        print(f"{psnr} dB")
        assert psnr is None or psnr >= 40, psnr
    return 0


if __name__ == "__main__":
    sys.exit(main())

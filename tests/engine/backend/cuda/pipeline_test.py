#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A whole tiny render on the emulated card, through the module and the command line, beside the same on the processor: 40 dB or better. Then
again while memory runs out here and there.

Usage: pipeline_test.py DENOIR_CLI EMULATED_MODULE SOURCE_DIR FIRST:LAST FIRST:LAST
The last two: allocations of the first render that fail, once to begin it anew and once to decode in strips."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    cli, module, source, *failing = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "SkyReels-V2-DF-tiny")
        subprocess.run([sys.executable, os.path.join(source, "packaging", "tiny_model.py"), model], check=True)
        environment = {**os.environ, "DENOIR_HOME": os.path.join(folder, "home"), "DENOIR_CUDA_MODULE": module}

        def run(*command):
            done = subprocess.run([cli, *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            assert done.returncode == 0, (command, done.stderr)
            return json.loads(done.stdout)

        def render(device, out, model=model, more=("--size", "64x48", "--steps", "3"), frames=5):
            return ["render", "--model", model, "--prompt", "a red balloon", "--frames", str(frames), "--seed", "5", "--dtype", "bf16", *more,
                    "--device", device, "--out", out, "--json"]

        def both(name, *which, frames=5, reused=False):
            """The folders of pictures that the processor and the card make."""
            videos = [os.path.join(folder, f"{name}-{device}") for device in ("cpu", "cuda")]
            for device, out in zip(("cpu", "cuda"), videos):
                result = run(*render(device, out, *which, frames=frames))
                print(name, device, {k: round(v, 2) for k, v in result["stages"].items()})
                assert (result.get("cache", {}).get("reused", 0) > 0) == reused, result
                assert len(list(Path(out).glob("*.png"))) == frames
            psnr = run("compare", *videos, "--json")["mean"]["psnr"]
            print(f"{name}: {psnr} dB")
            assert psnr is None or psnr >= 40, psnr
            return videos

        videos = both("forcing")
        windows = Path(folder, "windows.json")  # the second one begins with pictures of the first, encoded again
        windows.write_text(json.dumps({"schema": 1, "forcing": {"base": 9, "overlap": 5, "condition_noise": 20}}))
        both("windows", model, (str(windows), "--size", "64x48", "--steps", "2"), frames=13)
        fixtures = os.path.join(source, "tests", "fixtures")
        both("ti2v", os.path.join(fixtures, "_models", "Wan2.2-TI2V-tiny"),
             ("--size", "64x32", "--steps", "2", "--image", os.path.join(fixtures, "_inputs", "landscape.png")))
        t2v, changes = os.path.join(fixtures, "_models", "Wan2.1-T2V-tiny"), os.path.join(fixtures, "_inputs", "style-comfy.safetensors")
        plain = both("plain", t2v, ("--size", "32x32", "--steps", "2"))
        changed = both("lora", t2v, ("--size", "32x32", "--steps", "2", "--lora", changes))
        assert run("compare", plain[1], changed[1], "--json")["mean"]["psnr"] < 40

        # TeaCache: the blocks alone are recorded, what they added lasts from step to step.
        # This model's features move so far that I2V's polynomial falls.
        both("cache", os.path.join(fixtures, "_models", "SkyReels-V2-I2V-tiny"),
             ("--size", "32x32", "--family", "wan", "--steps", "4", "--cache-threshold", "0.2", "--image", os.path.join(fixtures, "_inputs", "landscape.png")), reused=True)

        # Memory that runs out somewhere: the stage starts again on the next rung and gives the same pictures, or one line says what to do and
        # nothing is left behind.
        pictures = [p.read_bytes() for p in sorted(Path(videos[1]).glob("*.png"))]
        again = ""
        for which in failing:
            out = os.path.join(folder, f"fails-{which}")
            done = subprocess.run([cli, *render("cuda", out)], env={**environment, "DENOIR_FAKE_CARD_FAILS": which},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            print(f"allocations {which} fail: {done.returncode} {done.stderr.strip()}")
            if done.returncode == 0:
                again += done.stderr
                assert [p.read_bytes() for p in sorted(Path(out).glob("*.png"))] == pictures, which
            else:
                last = done.stderr.strip().splitlines()[-1]
                assert done.returncode == 1 and "memory" in last and "on the card" in last and ";" in last, done.stderr
                assert not os.path.exists(out)
        assert "starting again" in again and "decoding again" in again, again
    return 0


if __name__ == "__main__":
    sys.exit(main())

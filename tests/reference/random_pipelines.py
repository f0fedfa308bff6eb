#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random requests for `denoir-cli render` on the tiny models of tests/fixtures: modes, sizes, pictures, solvers, forcing drawn by seed.

    python tests/reference/random_pipelines.py build/release/bin/denoir-cli [--count 40] [--seed 0]

What is expected comes from the loops of denoir_reference, which make_fixtures.py holds against diffusers' modules. The final latents must
reach 60 dB. Cases that do not are kept in a folder that is named, and the exit status is 1.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from denoir_reference import models, pipelines  # noqa: E402
from denoir_reference.cases_pipelines import Maker, picture, psnr  # noqa: E402
from denoir_reference.files import Fixtures, write_safetensors  # noqa: E402
from denoir_reference.values import normal  # noqa: E402

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
WORDS = "a red fox jumps over the lazy dog slowly camera pans left; two cats… “three” birds &amp; (sea) 7".split()


class Drawn(Maker):
    """One request, with its pictures in `folder`."""

    def __init__(self, folder: Path, rng: random.Random, seed: str):
        super().__init__(Fixtures(folder, lambda text: None))
        self.folder, self.rng = folder, rng
        pick = rng.choice
        kind = pick(("t2v", "t2v", "i2v", "i2v", "flf2v", "df", "df", "df", "ti2v", "ti2v"))
        model = {"t2v": pick((models.T2V, models.T2V_DIFFUSERS)), "i2v": models.I2V, "flf2v": models.FLF2V, "df": models.DF, "ti2v": pick((models.TI2V, models.TI2V_DIFFUSERS))}[kind]
        multiple = 2 * model.stride
        width, height, frames = multiple * rng.randrange(1, 7), multiple * rng.randrange(1, 7), 1 + 4 * rng.randrange(0, 4)
        request = {
            "schema": 1, "model": str(FIXTURES / "_models" / model.folder), "prompt": " ".join(rng.choices(WORDS, k=rng.randrange(1, 20))),
            "negative_prompt": " ".join(rng.choices(WORDS, k=rng.randrange(1, 9))), "width": width, "height": height, "frames": frames,
            "steps": rng.randrange(1, 8), "guidance": pick((1.0, 3.5, 5.0, 6.0, 0.0)), "shift": pick((1.0, 3.0, 5.0, 8.0, 16.0)), "seed": 1,
            "sampler": pick(("unipc", "unipc", "dpmpp", "euler")), "fps": pick((16, 24)), "dtype": "f32", "device": "cpu", "threads": pick((1, 2, 3)),
            "noise": {"file": "noise.safetensors"},
        }  # fmt: skip
        if kind in ("i2v", "flf2v"):
            request["family"] = "wan" if kind == "flf2v" else pick(("wan", "skyreels"))
            request["image"] = self.draw("first", seed)
        elif kind == "t2v":
            request["family"] = pick(("wan", "skyreels"))
        elif kind == "ti2v" and rng.random() < 0.7:
            request["image"] = self.draw("first", seed)
            request["preprocess"] = pick(("original", "diffusers"))
        if kind == "flf2v":
            request["last_image"] = self.draw("second", seed)
            request["frames"] = frames = max(frames, 5)
        if kind == "df":
            request["sampler"] = "unipc"
            image = rng.random() < 0.6
            end = image and rng.random() < 0.4
            request["frames"] = frames = max(frames, 5) if image else frames
            latent_frames = 1 + (frames - 1) // 4
            block = pick([b for b in range(1, latent_frames + 1) if latent_frames % b == 0]) if not image else 1
            after = not image and latent_frames > block and rng.random() < 0.5
            request["forcing"] = {"ar_step": rng.randrange(0, request["steps"] + 1), "block": block}
            if rng.random() < 0.4 and not end:
                request["forcing"]["causal_attention"] = True
            if after:
                ready = block * rng.randrange(1, latent_frames // block)
                overlap, size = 4 * ready - 3, (rng.randrange(24, 200), rng.randrange(24, 200))
                self.before = [picture(*size, f"{seed}/before/{i}") for i in range(overlap + rng.randrange(0, 4))]
                (folder / "before").mkdir()
                for i, image in enumerate(self.before):
                    image.save(folder / "before" / f"{i}.png")
                request["forcing"] |= {"video": "before", "overlap": overlap, "video_frames": rng.randrange(overlap, len(self.before) + 1)}
            elif image:
                request["image"] = self.draw("first", seed)
                if end:
                    request["last_image"] = self.draw("second", seed)
        windows = [(frames - 1) // 4 + 1]
        if kind == "df" and rng.random() < 0.5:
            # Whole blocks, as many windows as it takes; what is given at the beginning stays less than a window.
            given = request["forcing"].get("overlap", rng.choice((1, 5)) if block == 1 else 4 * block - 3)
            overlap = (given - 1) // 4 + 1
            base, more = overlap + block * rng.randrange(1, 4), block * rng.randrange(1, 8)
            request["frames"] = frames = 4 * (base + more) - 3
            request["forcing"] |= {"base": 4 * base - 3, "overlap": given}
            windows = pipelines.window_frames(frames, 4 * base - 3, given)
        caching = random.Random(seed + "/cache")  # of its own: what the numbers stand for stays
        if caching.random() < 0.4:
            polynomial = caching.choice(([1.0, 0.0], [0.3, 0.5, 0.1], [-0.2, 1.0, 0.0]))
            request["cache"] = {"threshold": caching.choice((0.7, 1.5, 3.0)), "ret_steps": caching.random() < 0.2, "coefficients": polynomial}
            request["steps"] += caching.randrange(0, 6)
        self.noise = normal(seed + "/noise", (model.config.out_channels, sum(windows), height // model.stride, width // model.stride))
        self.model, self.request = model, request

    def draw(self, name: str, seed: str) -> str:
        # One size for both: Wan's rule for a last frame of another size is a slip of the original's that Denoir does not repeat.
        size = self.images["first"].size if name == "second" else (self.rng.randrange(24, 200), self.rng.randrange(24, 200))
        image = self.images[name] = picture(*size, f"{seed}/{name}")
        path = self.folder / f"{name}.png"
        image.save(path)
        return str(path)

    def expected(self) -> torch.Tensor:
        return self.run(self.model, self.request, self.noise, self.ours(self.model))

    def call(self, cli: str) -> tuple:
        """-> (latents, "") or (None, what went wrong)"""
        write_safetensors(self.folder / "noise.safetensors", {"noise": self.noise})
        path, run = self.folder / "request.json", self.folder / "run"
        path.write_text(json.dumps(self.request), encoding="utf-8")
        command = [cli, "render", path, "--out", self.folder / "out.mp4", "--run-dir", run, "--latents", "last"]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode:
            return None, f"exit {done.returncode}: {done.stderr.strip()}"
        from safetensors.torch import load_file

        return load_file(sorted((run / "latents").glob("step_*.safetensors"))[-1])["latent"], ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    home, wrong = Path(tempfile.mkdtemp(prefix="denoir-random-")), 0
    for number in range(args.seed, args.seed + args.count):
        folder = home / str(number)
        folder.mkdir()
        drawn = Drawn(folder, random.Random(number), f"random-pipeline/{number}")
        r = drawn.request
        shown = {k: r[k] for k in ("family", "sampler", "steps", "guidance", "shift", "forcing", "cache", "width", "height", "frames", "threads") if k in r}
        got, fault = drawn.call(args.cli)
        if not fault:
            want = drawn.expected()
            value = psnr(got, want) if got.shape == want.shape else float("-inf")
            fault = "" if value >= 60 else f"{value:.1f} dB of shape {tuple(got.shape)}, wanted 60 of {tuple(want.shape)}"
            shown["dB"] = round(value)
        print(f"{number} {drawn.model.folder} {shown}" + (f"\n    WRONG: {fault}; kept in {folder}" if fault else ""), flush=True)
        wrong += bool(fault)
        if not fault:
            shutil.rmtree(folder)
    print(f"{args.count} requests, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

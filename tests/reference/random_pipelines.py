#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random requests for `denoir-cli render` on the tiny models of tests/fixtures: modes, sizes, pictures, solvers, forcing, layouts on disk,
experts, LoRAs, generators drawn by seed.

    python tests/reference/random_pipelines.py build/release/bin/denoir-cli [--count 40] [--seed 0] [--device cuda]

What is expected comes from the loops of denoir_reference, which make_fixtures.py holds against diffusers' modules. The final latents must
reach 60 dB. Cases that do not are kept in a folder that is named, and the exit status is 1.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from denoir_reference import lora, models, names, noise, pipelines  # noqa: E402
from denoir_reference.files import Fixtures, write_json, write_safetensors  # noqa: E402
from denoir_reference.pipeline_maker import Maker, picture, psnr  # noqa: E402
from denoir_reference.weights import transformer_config  # noqa: E402
from denoir_reference.values import normal  # noqa: E402

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
WORDS = "a red fox jumps over the lazy dog slowly camera pans left; two cats… “three” birds &amp; (sea) 7".split()


CLASSES = {"i2v": "WanImageToVideoPipeline", "flf2v": "WanImageToVideoPipeline", "df": "SkyReelsV2DiffusionForcingPipeline"}


def write_shards(folder: Path, stem: str, weights: dict, rng: random.Random):
    """Writes two or three files, with or without an index."""
    keys, parts = sorted(weights), rng.randrange(2, 4)
    rng.shuffle(keys)
    files = [f"{stem}-{part + 1:05d}-of-{parts:05d}.safetensors" for part in range(parts)]
    for part, file in enumerate(files):
        write_safetensors(folder / file, {k: weights[k] for k in keys[part::parts]}, {"format": "pt"})
    if rng.random() < 0.5:
        write_json(folder / f"{stem}.safetensors.index.json", {"metadata": {}, "weight_map": {k: files[i % parts] for i, k in enumerate(keys)}})


def write_comfy(folder: Path, model: models.Model):
    """Writes ComfyUI's folders, in which the tokenizer is a tensor of the text encoder. The tiny heads are not 128 wide, so config.json gives their number."""
    text = names.umt5_to_hf(models.text_weights()) | {"spiece_model": torch.frombuffer(bytearray(models.spiece()), dtype=torch.uint8)}
    vae = models.vae22_weights() if model.second_vae else models.vae_weights()
    write_json(folder / "diffusion_models" / "config.json", transformer_config(model.config, model.model_type))
    for expert, weights in {"high_": model.weights(), "low_": model.low_weights()}.items() if model.boundary else {"": model.weights()}.items():
        name = f"{model.folder.lower()}_{expert}noise_bf16.safetensors" if expert else f"{model.folder.lower()}_bf16.safetensors"
        write_safetensors(folder / "diffusion_models" / name, {"model.diffusion_model." + k: v for k, v in weights.items()})
    write_safetensors(folder / "text_encoders" / "umt5_xxl_bf16.safetensors", text)
    write_safetensors(folder / "vae" / "wan_vae.safetensors", vae)
    if model.clip_width:
        # One head of 80, as it must be without a config.json.
        write_safetensors(folder / "clip_vision" / "clip_vision_h.safetensors", names.clip_to_hf(model.clip_weights()))


def write_whole(folder: Path, model: models.Model):
    """Writes all networks into one file, as all-in-one checkpoints do."""
    text = names.umt5_to_hf(models.text_weights()) | {"spiece_model": torch.frombuffer(bytearray(models.spiece()), dtype=torch.uint8)}
    vae = models.vae22_weights() if model.second_vae else models.vae_weights()
    parts = {"model.diffusion_model.": model.weights(), "vae.": vae, "text_encoders.umt5xxl.transformer.": text}
    write_json(folder / "config.json", transformer_config(model.config, model.model_type))
    write_safetensors(folder / f"{model.folder}-aio.safetensors", {prefix + k: v for prefix, weights in parts.items() for k, v in weights.items()})


class Drawn(Maker):
    """A random request, with its pictures in `folder`."""

    def __init__(self, folder: Path, rng: random.Random, seed: str):
        super().__init__(Fixtures(folder, lambda text: None))
        self.way = ""
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
            # The clip has whole blocks and as many windows as it takes; what it begins with is shorter than a window.
            given = request["forcing"].get("overlap", rng.choice((1, 5)) if block == 1 else 4 * block - 3)
            overlap = (given - 1) // 4 + 1
            base, more = overlap + block * rng.randrange(1, 4), block * rng.randrange(1, 8)
            request["frames"] = frames = 4 * (base + more) - 3
            request["forcing"] |= {"base": 4 * base - 3, "overlap": given}
            windows = pipelines.window_frames(frames, 4 * base - 3, given)
        caching = random.Random(seed + "/cache")  # a generator of its own, so that the requests of earlier seeds stay what they were
        if caching.random() < 0.4:
            polynomial = caching.choice(([1.0, 0.0], [0.3, 0.5, 0.1], [-0.2, 1.0, 0.0]))
            request["cache"] = {"threshold": caching.choice((0.7, 1.5, 3.0)), "ret_steps": caching.random() < 0.2, "coefficients": polynomial}
            request["steps"] += caching.randrange(0, 6)
        until = random.Random(seed + "/until")
        if until.random() < 0.3:
            request["guidance_until"] = until.choice((100, 400.5, 700, 900, 1000))
        self.noise = normal(seed + "/noise", (model.config.out_channels, sum(windows), height // model.stride, width // model.stride))
        self.model, self.request = model, request
        # These have generators of their own for the same reason.
        self.choose_experts(random.Random(seed + "/experts"), kind)
        self.choose_layout(random.Random(seed + "/layout"), kind)
        self.choose_loras(random.Random(seed + "/loras"), seed)
        if len(windows) == 1:
            self.choose_noise(random.Random(seed + "/generator"))
        if kind in ("i2v", "flf2v") and random.Random(seed + "/preprocess").random() < 0.3:
            request["preprocess"] = "diffusers"

    def choose_experts(self, rng: random.Random, kind: str):
        if rng.random() > 0.4 or kind not in ("t2v", "i2v") or "cache" in self.request:
            return
        self.model = models.A14B_T2V if kind == "t2v" else models.A14B_I2V
        self.request |= {"model": str(FIXTURES / "_models" / self.model.folder), "family": "wan2.2"}
        if rng.random() < 0.6:
            self.request["guidance_low"] = rng.choice((1.0, 2.0, 4.5))

    def choose_layout(self, rng: random.Random, kind: str):
        way = rng.choice(("as it is", "as it is", "diffusers", "shards", "comfy", "part", "whole"))
        if way == "as it is" or way in ("part", "whole") and self.model.boundary or way == "whole" and self.model.clip_width:
            return
        self.way = way
        if way == "part":  # only the transformer's file or folder is named, and its companions must be found
            home = FIXTURES / "_models" / self.model.folder
            diffusers = self.model.layout == "diffusers"
            inside = home / "transformer" if diffusers else home
            file = inside / models.TRANSFORMER_FILE if diffusers else inside / self.model.file
            self.request["model"] = str(rng.choice((inside, file, file)))
            return
        folder = self.f.model(self.model.folder)
        diffusers = way == "diffusers"
        config = replace(self.model.config, text_len=512 if diffusers else 40)
        self.model = replace(self.model, layout="diffusers" if diffusers else "original", config=config, pipeline_class=CLASSES.get(kind, "WanPipeline"))
        if diffusers and rng.random() < 0.4:
            channels = self.model.config.out_channels
            self.model.latents = tuple([rng.uniform(low, high) for _ in range(channels)] for low, high in ((-1, 1), (0.5, 3)))
            self.way += ", latents of its own"
        if way == "comfy":
            write_comfy(folder, self.model)
        elif way == "whole":
            write_whole(folder, self.model)
            folder = rng.choice((folder, folder / f"{self.model.folder}-aio.safetensors"))
        else:
            self.model.write(self.f)
        if way == "shards":
            for file in [*folder.rglob("diffusion_pytorch_model.safetensors"), *folder.rglob("model.safetensors")]:
                low = file.parent.name == "low_noise_model"
                file.unlink()
                write_shards(file.parent, file.stem, self.model.low_weights() if low else self.model.weights(), rng)
        self.request["model"] = str(folder)

    def choose_loras(self, rng: random.Random, seed: str):
        """Chooses LoRAs in any spelling for any of the models; of two experts they change one or both."""
        if rng.random() > 0.3:
            return
        weights, chosen = self.model.weights(), []
        for i in range(rng.randrange(1, 3)):
            changes, strength = lora.changes(weights, f"{seed}/lora/{i}", rng.randrange(1, 5)), rng.choice((-0.6, 0.5, 1.0))
            spelling, alpha, more = rng.choice(("kohya", "comfy", "peft")), rng.choice((2.0, 4.0, 16.0)), {}
            if spelling == "comfy":
                more = {"head.head.bias": normal(f"{seed}/lora/{i}/bias", weights["head.head.bias"].shape, 0.2)}
            factor = strength * (alpha / lora.RANK if spelling == "kohya" else 1)
            made = {"kohya": lambda: lora.kohya(changes, alpha), "comfy": lambda: lora.comfy(changes, more), "peft": lambda: lora.peft(changes)}
            file = self.folder / f"change-{i}.safetensors"
            write_safetensors(file, made[spelling]())
            entry = {"file": str(file), "strength": strength}
            expert = rng.choice(("high", "low", "both")) if self.model.boundary else "both"
            if self.model.boundary:
                entry["expert"] = expert
            chosen.append((entry, expert, (changes, factor, more, strength)))
        self.request["loras"] = [entry for entry, _, _ in chosen]
        of = lambda expert: [part for _, on, part in chosen if on in (expert, "both")]  # noqa: E731
        made = {"weights": lora.merged(weights, of("high"))}
        if self.model.boundary:
            made["low"] = lora.merged(self.model.low_weights(), of("low"))
        self.model = replace(self.model, _made=self.model._made | made)

    def choose_noise(self, rng: random.Random):
        """Sometimes draws the noise with a generator instead of reading it from a file."""
        if rng.random() > 0.3:
            return
        seed, shape = rng.choice((0, 2**32 - 1, 2**53, 2**63, 2**64 - 1, rng.randrange(2**64))), self.noise.shape
        cards = rng.choice((0, 0, 2, 132))
        values = noise.torch_cuda(seed, self.noise.numel(), cards) if cards else noise.torch_cpu(seed, self.noise.numel())
        self.noise = torch.from_numpy(np.ascontiguousarray(values)).reshape(shape)
        self.request |= {"seed": seed, "noise": {"kind": f"torch-cuda:{cards}" if cards else "torch-cpu"}}

    def draw(self, name: str, seed: str) -> str:
        # Both pictures have one size, because Wan's rule for a last frame of another size has a slip that Denoir does not repeat.
        size = self.images["first"].size if name == "second" else (self.rng.randrange(24, 200), self.rng.randrange(24, 200))
        image = self.images[name] = picture(*size, f"{seed}/{name}")
        path = self.folder / f"{name}.png"
        image.save(path)
        return str(path)

    def expected(self) -> torch.Tensor:
        return self.run(self.model, self.request, self.noise, self.ours(self.model))

    def call(self, cli: str) -> tuple:
        """Returns (latents, "") or (None, what went wrong)."""
        write_safetensors(self.folder / "noise.safetensors", {"noise": self.noise})
        path, run = self.folder / "request.json", self.folder / "run"
        path.write_text(json.dumps(self.request), encoding="utf-8")
        command = [cli, "render", path, "--out", self.folder / "out.mp4", "--run-dir", run, "--latents", "last"]
        own = {**os.environ, "DENOIR_HOME": str(self.folder / "home")}  # keeps the runs out of the user's history
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=own)
        if done.returncode:
            return None, f"exit {done.returncode}: {done.stderr.strip()}"
        from safetensors.torch import load_file

        return load_file(sorted((run / "latents").glob("step_*.safetensors"))[-1])["latent"], ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    torch.set_num_threads(1)
    home, wrong = Path(tempfile.mkdtemp(prefix="denoir-random-")), 0
    for number in range(args.seed, args.seed + args.count):
        folder = home / str(number)
        folder.mkdir()
        drawn = Drawn(folder, random.Random(number), f"random-pipeline/{number}")
        r = drawn.request
        r["device"] = args.device
        shown = {k: r[k] for k in ("family", "sampler", "steps", "guidance", "guidance_low", "guidance_until", "shift", "forcing", "cache", "width", "height", "frames", "threads",
                                   "preprocess") if k in r}  # fmt: skip
        shown |= {k: v for k, v in (("layout", drawn.way), ("loras", len(r.get("loras", ()))), ("noise", r["noise"].get("kind"))) if v}
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

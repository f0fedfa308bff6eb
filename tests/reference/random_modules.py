#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases for `denoir-cli module`: sizes, layouts, storage types, timesteps, threads drawn by seed.

    python tests/reference/random_modules.py build/release/bin/denoir-cli [--count 100] [--seed 0] [--only wan-transformer,umt5] [--device cuda]

What is expected comes from denoir_reference's float64 programs, which make_fixtures.py holds against diffusers and transformers. Each
case prints a line; those that miss their tolerance (f32 1e-4, bf16 2e-2) are kept in a folder that is named, and the exit status is 1.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from denoir_reference import clip, names, noise, quanto, umt5, vae, vae22  # noqa: E402
from denoir_reference.files import relative_error, write_json, write_pth, write_safetensors  # noqa: E402
from denoir_reference.forcing import timestep_matrix  # noqa: E402
from denoir_reference.schedulers import DpmPlusPlus, Euler, UniPC, sigma_list  # noqa: E402
from denoir_reference.transformer import Config, Transformer  # noqa: E402
from denoir_reference.values import normal, uniform  # noqa: E402
from denoir_reference.weights import (  # noqa: E402
    clip_config,
    clip_weights,
    textual_half,
    transformer_config,
    transformer_diffusers_config,
    transformer_weights,
    umt5_config,
    umt5_weights,
    vae22_config,
    vae22_weights,
    vae_config,
    vae_weights,
)

STORED = (torch.float32, torch.float16, torch.bfloat16)


def widened(weights: dict) -> dict:
    return {k: v.float() for k, v in weights.items()}


class Case:
    """The inputs of one call, and the result that is expected."""

    def __init__(self, folder: Path, rng: random.Random, seed: str):
        self.folder, self.rng, self.seed = folder, rng, seed
        self.weights, self.inputs, self.expect, self.settings, self.words = [], {}, {}, {}, []
        self.dtype, self.precision, self.tolerance = "f32", None, 1e-4

    def say(self, *words):
        self.words += [str(w) for w in words]

    def pick(self, *values):
        return self.rng.choice(values)

    def retyped(self, weights: dict) -> dict:
        """Sometimes gives each tensor a type of its own, of those that hold its numbers."""
        rng = random.Random(self.seed + "/types")
        if rng.random() > 0.3:
            return weights
        self.say("types mixed")
        drawn = {k: v.to(rng.choice((*STORED, torch.float64))) if v.is_floating_point() else v for k, v in weights.items()}
        return {k: drawn[k] if torch.equal(drawn[k].double(), v.double()) else v for k, v in weights.items()}

    def quantised(self, weights: dict, stored: dict) -> tuple:
        """Sometimes makes matrices optimum-quanto's int8. Returns the values, and what is stored; `stored` has the same tensors under other names."""
        rng = random.Random(self.seed + "/quanto")
        if rng.random() > 0.15:
            return weights, stored
        self.say("quanto")
        linears = [k for k, v in weights.items() if k.endswith(".weight") and v.ndim == 2 and rng.random() < 0.9]
        same = {id(weights[k]) for k in linears}
        _, values = quanto.quantised(weights, linears)
        return values, quanto.quantised(stored, [k for k, v in stored.items() if id(v) in same])[0]

    def store(self, weights: dict, config: dict | None, stem: str):
        """Writes the tensors as one file, as shards, or as a state dict, with or without `config` beside them."""
        home, weights = self.folder / "weights", self.retyped(weights)
        other = random.Random(self.seed + "/store")  # a generator of its own, so that the cases of earlier seeds stay what they were
        if other.random() < 0.4:
            self.rng.random(), self.pick(0, 1)
            return self.store_otherwise(other, home, weights, config, stem)
        way = self.pick("file", "file", "folder", "shards", "pth")
        if any(v.dtype == torch.int64 for v in weights.values()) and way == "pth":
            way = "file"
        self.say(way)
        if config is not None:
            write_json(home / "config.json", config)
        if way == "shards":
            keys = sorted(weights)
            self.rng.shuffle(keys)
            parts = 1 + self.rng.randrange(4)
            index = {"metadata": {"total_size": sum(v.numel() * v.element_size() for v in weights.values())}, "weight_map": {}}
            for part in range(parts):
                file = f"{stem}-{part + 1:05d}-of-{parts:05d}.safetensors"
                mine = keys[part::parts]
                write_safetensors(home / file, {k: weights[k] for k in mine}, {"format": "pt"})
                index["weight_map"] |= dict.fromkeys(mine, file)
            write_json(home / f"{stem}.safetensors.index.json", index)
            self.weights = [home]
        elif way == "pth":
            write_pth(home / f"{stem}.pth", weights)
            self.weights = [home / f"{stem}.pth"]
        else:
            write_safetensors(home / f"{stem}.safetensors", weights, {"format": "pt"} if self.rng.random() < 0.5 else None)
            self.weights = [home if way == "folder" else home / f"{stem}.safetensors"]


    def store_otherwise(self, rng: random.Random, home: Path, weights: dict, config: dict | None, stem: str):
        """Writes shards without an index, each named or all in a folder; state dicts of views, or with a further level; or another file beside an index."""
        keys, parts = sorted(weights), rng.randrange(2, 4)
        rng.shuffle(keys)
        split = [{k: weights[k] for k in keys[part::parts]} for part in range(parts)]
        way = rng.choice(("named", "unlisted", "pth shards", "views", "nested", "stray"))
        if way == "views" and any(v.dtype == torch.int8 for v in weights.values()):
            way = "nested"  # all views are cut from one tensor
        self.say(way)
        if config is not None:
            write_json(home / "config.json", config)
        self.weights = [home]
        if way in ("named", "unlisted"):
            files = [home / f"{stem}-{part}.safetensors" for part in range(parts)]
            for file, tensors in zip(files, split):
                write_safetensors(file, tensors)
            self.weights = files if way == "named" else [home]
        elif way == "pth shards":
            for part, tensors in enumerate(split):
                write_pth(home / f"{stem}-{part}.pth", tensors)
        elif way == "stray":  # the index does not name it
            write_safetensors(home / f"{stem}-00001-of-00001.safetensors", weights)
            write_safetensors(home / "other.safetensors", {k: v + 1 for k, v in split[0].items()})
            write_json(home / f"{stem}.safetensors.index.json", {"metadata": {}, "weight_map": dict.fromkeys(keys, f"{stem}-00001-of-00001.safetensors")})
        else:
            stored = dict(weights)
            if way == "views":
                whole = torch.cat([weights[k].reshape(-1) for k in keys])
                ends = np.cumsum([weights[k].numel() for k in keys])
                for k, end in zip(keys, ends):
                    stored[k] = whole[int(end) - weights[k].numel() : int(end)].reshape(weights[k].shape)
                    if weights[k].ndim == 2 and rng.random() < 0.5:
                        stored[k] = weights[k].t().contiguous().t()
            home.mkdir(parents=True, exist_ok=True)
            under = rng.choice(("state_dict", "model", "module"))
            torch.save(stored if way == "views" else {"epoch": 3, under: stored, "note": None}, home / f"{stem}.pth")
            self.weights = [home / f"{stem}.pth"]


def wan_transformer(c: Case):
    heads = c.pick(1, 2, 3, 4, 5)
    head = c.pick(2, 6, 8, 12, 16, 20, 22, 24, 32, 34, 40, 48, 64, 128)
    variant = c.pick("t2v", "t2v", "i2v", "flf2v", "condition", "df", "df", "tokens")
    clip_dim = c.pick(16, 48, 80, 96) if variant in ("i2v", "flf2v") else 0
    out_channels = c.pick(4, 16, 16, 16, 48)
    extra = {"i2v": 20, "flf2v": 20, "condition": c.pick(1, 4, 20)}.get(variant, 0)
    sizes = Config(
        dim=heads * head, heads=heads, ffn=c.pick(1, 24, 52, 96, 130, 200), layers=c.pick(1, 1, 2, 3), in_channels=out_channels + extra,
        out_channels=out_channels, freq_dim=c.pick(2, 16, 32, 64, 256), text_dim=c.pick(1, 8, 24, 33, 64), text_len=c.pick(512, 512, 1, 7, 32, 226),
        clip_dim=clip_dim, clip_positions=514 if variant == "flf2v" else 0, fps=variant == "df" and c.rng.random() < 0.6,
    )  # fmt: skip
    weights = transformer_weights(sizes, c.seed, c.pick(*STORED))
    layout = c.pick("original", "original", "diffusers", "comfy")
    where = c.pick("config", "config", "set")
    if layout == "diffusers":
        stored, config = names.transformer_to_diffusers(weights), transformer_diffusers_config(sizes, variant == "df")
        config["text_len"] = sizes.text_len
    else:
        kind = {"i2v": "i2v", "flf2v": "flf2v"}.get(variant, "t2v")
        stored, config = weights, transformer_config(sizes, kind)
    if layout == "comfy":
        prefix = random.Random(c.seed + "/prefix").choice(("model.diffusion_model.", "model.diffusion_model.", "diffusion_model.", "model."))
        stored = {prefix + k: v for k, v in stored.items()}
    if where == "set" and sizes.text_len == 512:
        config = None
        c.settings["heads"] = heads
    t, h, w = c.pick(1, 2, 3, 5, 7, 22), 2 * c.pick(1, 2, 3, 5, 6), 2 * c.pick(1, 2, 3, 4, 7)
    tokens = t * h * w // 4
    level = lambda n: torch.tensor([c.pick(0.0, 999.0, 1000.0, round(c.rng.random() * 1000, 2)) for _ in range(n)])  # noqa: E731
    shape = (out_channels, t, h, w)
    rows = c.rng.randrange(1, sizes.text_len + 1)
    text = torch.zeros(sizes.text_len, sizes.text_dim)
    text[:rows] = normal(c.seed + "/text", (rows, sizes.text_dim), 0.6)
    block = 0
    if variant == "df":
        time = level(1)[0] if c.rng.random() < 0.2 else level(t)
        if time.ndim and c.rng.random() < 0.4:
            block = c.pick(*[b for b in range(1, t + 1) if t % b == 0])
            c.settings["causal_block"] = block
    elif variant == "tokens":
        time = level(tokens)
    else:
        time = level(1) if c.rng.random() < 0.2 else level(1)[0]
    c.inputs = {"latent": normal(c.seed + "/x", shape), "timestep": time, "text": text}
    if sizes.clip_dim:
        c.inputs["clip"] = normal(c.seed + "/clip", (514 if variant == "flf2v" else 257, sizes.clip_dim))
    if extra:
        c.inputs["condition"] = normal(c.seed + "/y", (extra, t, h, w))
    if sizes.fps:
        c.inputs["fps"] = torch.tensor(float(c.pick(0, 1)))
    if c.rng.random() < 0.3:
        c.dtype, c.precision, c.tolerance = "bf16", c.pick("wan", "skyreels"), 2e-2
    c.say(variant, layout, weights["head.modulation"].dtype, f"{heads}x{head}", f"{t}x{h}x{w}", f"text {rows}/{sizes.text_len}", c.precision or "f32")
    weights, stored = c.quantised(weights, stored)
    c.store(stored, config, "diffusion_pytorch_model")
    arguments = (c.inputs["latent"], time, text, c.inputs.get("clip"), c.inputs.get("condition"), int(c.inputs.get("fps", torch.tensor(1.0))), block)
    model = Transformer(widened(weights), heads, sizes.text_len, c.precision or "f32")
    c.expect = {"velocity": model.forward(*arguments)}


def _vae(c: Case, encode: bool):
    second = c.rng.random() < 0.5  # Wan 2.2's VAE
    published = 48 if second else 16
    base, decoder_base, z = c.pick(2, 3, 4, 8), c.pick(2, 3, 4, 6), c.pick(1, 4, published, published, 20)
    wide = random.Random(c.seed + "/wide").random() < 0.3  # enough channels and columns for the other way of convolving
    if wide:
        base = decoder_base = 16
    stored = c.pick(*STORED)
    weights = vae22_weights(base, decoder_base, z, c.seed, stored) if second else vae_weights(base, z, c.seed, stored)
    own = z != published or c.rng.random() < 0.5
    mean = [c.rng.uniform(-1, 1) for _ in range(z)] if own else vae22.MEAN if second else vae.MEAN
    std = [c.rng.uniform(0.5, 3) for _ in range(z)] if own else vae22.STD if second else vae.STD
    diffusers = c.rng.random() < 0.5
    c.say("2.2" if second else "2.1", "diffusers" if diffusers else "original", f"base {base} z {z}")
    config = vae22_config(base, decoder_base, z, mean, std) if second else vae_config(base, z, mean, std)
    c.store(names.vae_to_diffusers(weights) if diffusers else weights, config if own else None, "Wan2.2_VAE" if second else "Wan2.1_VAE")
    model = (vae22.Vae22 if second else vae.Vae)(widened(weights), mean, std)
    if encode:
        side, other = ((16, 32, 48), (16, 32, 64)) if second else ((8, 16, 24, 40, 25, 31), (8, 16, 32, 9, 23))
        shape = (3, c.pick(1, 2, 4, 5, 7, 9, 13, 17), c.pick(*side), c.pick(*other))
        if wide:
            shape = (3, min(shape[1], 9), shape[2], 128)
        c.inputs = {"video": uniform(c.seed + "/v", shape)}
        latent, raw = model.encode(c.inputs["video"])
        c.expect = {"latent": latent, "mean": raw}
    else:
        shape = (z, c.pick(1, 2, 3, 5, 9), c.pick(1, 2, 3, 5), c.pick(1, 2, 4, 7))
        if wide:
            shape = (z, min(shape[1], 3), shape[2], 17 if second else 29)
        c.inputs = {"latent": normal(c.seed + "/z", shape)}
        c.expect = {"video": model.decode(c.inputs["latent"])}
    c.say("x".join(map(str, shape)))


def wan_vae_encode(c: Case):
    _vae(c, True)


def wan_vae_decode(c: Case):
    _vae(c, False)


def umt5_encoder(c: Case):
    heads, per, width = c.pick(1, 2, 3, 6), c.pick(4, 8, 16), c.pick(12, 24, 40, 64)
    sizes = (c.pick(20, 97, 300), width, heads * per, c.pick(16, 40, 72), heads, c.pick(1, 2, 4))
    weights = umt5_weights(c.seed, *sizes, dtype=c.pick(*STORED))
    text_len, hf = c.pick(512, 512, 1, 77, 640), c.rng.random() < 0.5
    count = c.rng.randrange(1, min(text_len, 512) + 1)
    c.inputs = {"tokens": torch.tensor([c.rng.randrange(2, sizes[0]) for _ in range(count - 1)] + [1])}
    other = random.Random(c.seed + "/config")  # a generator of its own, so that the cases of earlier seeds stay what they were
    max_distance, eps = other.choice((128, 128, 9, 20, 64, 72, 300, 1000)), other.choice((1e-6, 1e-6, 1e-5, 1e-3, 0.1))
    config = umt5_config(*sizes) if hf else {"model_type": "umt5"} if text_len != 512 or (max_distance, eps) != (128, 1e-6) else None
    if config is not None:
        config |= {"relative_attention_max_distance": max_distance, "layer_norm_epsilon": eps}
    if text_len != 512:
        config |= {"text_len": text_len}
    stored = names.umt5_to_hf(weights) if hf else weights
    if hf:
        form = c.pick("shared", "embed", "both")
        if form != "shared":
            stored["encoder.embed_tokens.weight"] = stored["shared.weight"]
        if form == "embed":
            del stored["shared.weight"]
    c.say("hf" if hf else "original", sizes, f"{count} tokens of {text_len}", f"max distance {max_distance}, eps {eps}")
    weights, stored = c.quantised(weights, stored)
    c.store(stored, config, "models_t5_umt5-xxl-enc")
    c.expect = {"text": umt5.padded(widened(weights), c.inputs["tokens"], text_len, max_distance=max_distance, eps=eps)}


def clip_vision(c: Case):
    heads = c.pick(1, 2, 3, 5)
    width, side = heads * c.pick(8, 12, 16, 20), 14 * c.pick(1, 2, 3, 4, 5)
    mlp, layers = c.pick(24, 50, 96), c.pick(2, 3, 5)
    weights = clip_weights(c.seed, width, mlp, layers, image=side, dtype=c.pick(*STORED))
    form = c.pick("hf", "original", "open_clip")
    config = None
    if form == "hf":
        stored, config = names.clip_to_hf(weights, position_ids=c.rng.random() < 0.5), clip_config(width, mlp, layers, heads, image=side)
    elif form == "open_clip":
        stored = names.clip_to_open_clip(weights)
    else:
        stored = weights | (textual_half(c.seed) if c.rng.random() < 0.5 else {})
    if config is None:
        c.settings["heads"] = heads
    c.inputs = {"image": normal(c.seed + "/image", (3, side, side))}
    c.say(form, f"{width} wide, {heads} heads, {layers} layers, {side} pixels")
    c.store(stored, config, "clip")
    c.expect = {"features": clip.encode(widened(weights), heads, c.inputs["image"])}


def scheduler(c: Case):
    sampler, steps, shift = c.pick("unipc", "unipc", "dpmpp", "euler"), c.rng.randrange(1, 61), c.pick(0.5, 1, 1.7, 3, 5, 8, 12, 16)
    kind = c.pick(None, None, "C", "D")
    listed = kind or ("B" if sampler == "dpmpp" else "A")
    sigmas, timesteps = sigma_list(listed, steps, shift)
    shape = (c.pick(1, 3, 16), c.pick(1, 2), c.pick(1, 3), c.pick(2, 5))
    latent = normal(c.seed + "/latent", shape)
    c.inputs = {"latent": latent}
    run, x = {"unipc": UniPC, "dpmpp": DpmPlusPlus, "euler": Euler}[sampler](sigmas), latent.numpy()
    for i in range(steps):
        v = latent - uniform(c.seed + "/x0", shape, 1.5) + 0.3 * normal(f"{c.seed}/v{i}", shape)
        c.inputs[f"velocity_{i}"] = v
        x = run.step(v.numpy(), x)
        c.expect[f"latent_{i + 1}"] = torch.from_numpy(np.ascontiguousarray(x))
    c.expect |= {"sigmas": torch.from_numpy(sigmas), "timesteps": torch.from_numpy(timesteps.astype(np.float32))}
    c.settings = {"sampler": sampler, "steps": steps, "shift": shift} | ({"sigmas": kind} if kind else {})
    c.say(*c.settings.values())


def timesteps_of_forcing(c: Case):
    block = c.rng.randrange(1, 6)
    frames, steps = block * c.rng.randrange(1, 9), c.rng.randrange(1, 31)
    ar_step, ready, shift = c.rng.randrange(0, steps + 4), c.rng.randrange(0, frames), c.pick(1, 3, 5, 8)
    base = c.pick(frames, frames, max(block, frames // 2 // block * block))
    template = sigma_list("A", steps, shift)[1]
    try:
        timesteps, update, _ = timestep_matrix(template, frames, ar_step, ready, block, base)
    except ValueError:  # a window that is too short for this ar_step
        ar_step = steps
        timesteps, update, _ = timestep_matrix(template, frames, ar_step, ready, block, base)
    c.expect = {"timesteps": torch.from_numpy(timesteps), "update": torch.from_numpy(update).float()}
    c.settings = {"frames": frames, "steps": steps, "ar_step": ar_step, "block": block, "ready": ready, "base": base, "shift": shift}
    c.tolerance = 1e-6
    c.say(c.settings)


def random_noise(c: Case):
    seed, shape = c.rng.choice([c.rng.randrange(2**64), c.rng.randrange(2**32), c.rng.randrange(100)]), [c.rng.randrange(1, 9) for _ in range(c.rng.randrange(1, 5))]
    count, cuda = int(np.prod(shape)), c.rng.random() < 0.4
    sms = c.pick(1, 2, 46, 132)
    kind = f"torch-cuda:{sms}" if cuda else "torch-cpu"
    values = noise.torch_cuda(seed, count, sms) if cuda else noise.torch_cpu(seed, count)
    c.expect = {"noise": torch.from_numpy(values).reshape(shape)}
    c.settings = {"kind": kind, "seed": seed, "shape": ",".join(map(str, shape))}
    c.tolerance = 2e-6 / min(1, float(np.abs(values).max()))  # an angle is rounded to f32 in any case
    c.say(kind, seed, shape)


MODULES = {
    "wan-transformer": (wan_transformer, 8), "wan-vae-encode": (wan_vae_encode, 2), "wan-vae-decode": (wan_vae_decode, 2), "umt5": (umt5_encoder, 3),
    "clip-vision": (clip_vision, 2), "scheduler": (scheduler, 3), "timestep-matrix": (timesteps_of_forcing, 2), "noise": (random_noise, 1),
}  # fmt: skip


def read(path: Path) -> dict:
    from safetensors.torch import load_file

    return load_file(path)


def run(cli: str, module: str, c: Case, device: str) -> str:
    """Returns "" if everything holds, and otherwise what does not."""
    command = [cli, "module", module, "--out", c.folder / "out.safetensors"]
    if c.inputs:
        write_safetensors(c.folder / "in.safetensors", c.inputs)
        command += ["--inputs", c.folder / "in.safetensors"]
    if c.weights:
        command += ["--weights", *c.weights]
        command += ["--dtype", c.dtype, "--threads", c.pick(1, 2, 3, 4), "--device", device]
    if c.precision:
        command += ["--precision", c.precision]
    for k, v in c.settings.items():
        command += ["--set", f"{k}={v}"]
    (c.folder / "command.txt").write_text(" ".join(str(w) for w in command) + "\n")
    done = subprocess.run([str(w) for w in command], capture_output=True, text=True)
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip()}"
    got, worst = read(c.folder / "out.safetensors"), 0.0
    for name, want in c.expect.items():
        if name not in got:
            return f"no tensor {name}"
        if tuple(got[name].shape) != tuple(want.shape):
            return f"{name}: shape {tuple(got[name].shape)}, wanted {tuple(want.shape)}"
        worst = max(worst, relative_error(got[name], want) if torch.isfinite(got[name]).all() else float("inf"))
    c.say(f"error {worst:.1e}")
    return "" if worst <= c.tolerance else f"error {worst:.2e} above {c.tolerance:.0e}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="modules, by commas")
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    torch.set_num_threads(1)
    chosen = [m for m in MODULES if not args.only or m in args.only.split(",")]
    home, wrong, seen = Path(tempfile.mkdtemp(prefix="denoir-random-")), 0, Counter()
    for number in range(args.seed, args.seed + args.count):
        rng = random.Random(number)
        module = rng.choices(chosen, [MODULES[m][1] for m in chosen])[0]
        c = Case(home / f"{number}-{module}", rng, f"random/{number}")
        c.folder.mkdir()
        MODULES[module][0](c)
        # The text and image encoders are left out: on networks as small as these PyTorch's own bf16 differs by up to 8e-2 from f64.
        if module.startswith("wan-vae") and rng.random() < 0.25:
            c.dtype, c.tolerance = "bf16", 2e-2
            c.say("bf16")
        fault = run(args.cli, module, c, args.device)
        seen[module] += 1
        print(f"{number} {module}: {' '.join(c.words)}" + (f"\n    WRONG: {fault}; kept in {c.folder}" if fault else ""), flush=True)
        wrong += bool(fault)
        if not fault:
            shutil.rmtree(c.folder)
    print(f"{sum(seen.values())} cases ({', '.join(f'{n} {m}' for m, n in seen.items())}), {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

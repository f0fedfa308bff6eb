# SPDX-License-Identifier: Apache-2.0
"""A contact sheet directly from a checkpoint, for watching a training: Euler steps in PyTorch, pictures by the linear latent. At the
scorer's size it also counts what the scorer finds."""

from pathlib import Path

import numpy as np
import torch
from PIL import Image

import captions
import export
import measure
import score
import world
from denoise import denoise, ladder
from latent import Latent
from optim import load
from transformer import Sizes, TextEncoder, Transformer


def sample(net, encoder, tokenizer, prompts, latent_shape, steps=16, guidance=export.DEFAULTS["guidance"], shift=3.0, seed=0):
    """-> latents [B,16,T,h,w]"""
    x = torch.randn(len(prompts), net.sizes.z, *latent_shape, generator=torch.Generator().manual_seed(seed))
    return denoise(net, encoder, tokenizer, prompts, x, ladder(steps, shift), guidance)


def sheet(work: Path, plan: str, latent: Latent, tokenizer, out: Path, count: int = 16, width: int = 128, height: int = 80, frames: int = 1) -> None:
    state = load(export.checkpoints(work, plan)["transformer"])
    sizes = Sizes(**state["sizes"])
    net, encoder = Transformer(sizes), TextEncoder(sizes, len(tokenizer))
    export.put_average(encoder, state, export.put_average(net, state, 0))
    rng = np.random.default_rng(987)
    scenes = [world.sample(rng, 1 if i % 4 < 3 else 2) for i in range(count)]
    prompts = [captions.caption(rng, s) for s in scenes]
    shape = ((frames - 1) // 4 + 1, height // 8, width // 8)
    z = torch.cat([sample(net, encoder, tokenizer, prompts[i : i + 8], shape, seed=i) for i in range(0, count, 8)])
    rows, totals = [], {1: {}, 2: {}}
    for scene, p, one in zip(scenes, prompts, z):
        video = latent.decode(one.numpy())
        if (height, width) == (measure.HEIGHT, measure.WIDTH):
            score.add(totals[len(scene.objects)], score.judge(video, scene))
        rows.append(np.concatenate([video[k] for k in sorted({0, frames // 2, frames - 1})], 1))
        print(len(rows) - 1, p)
    per_row = 4 if frames == 1 else 2
    lines = [np.concatenate(rows[i : i + per_row], 1) for i in range(0, len(rows), per_row)]
    Image.fromarray((np.concatenate(lines) * 255).round().astype(np.uint8)).save(out)
    print(f"{out}: after {state['done']}")
    for objects, total in totals.items():
        print(*(f"{objects} object(s), {k}: {a} of {b};" for k, (a, b) in total.items() if k != "motion" or frames > 1))

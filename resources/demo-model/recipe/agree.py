# SPDX-License-Identifier: Apache-2.0
"""Compares Denoir with PyTorch: the bundled model's latents from the same noise, once by Denoir, once by diffusers' transformer,
transformers' text encoder and the reference solver (sigma list A) of tests/reference."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

import export
import text
from transformer import Sizes

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "reference"))
from denoir_reference import oracles, pipelines, transformer  # noqa: E402


class Model:
    """The part of a model that pipelines.force uses: turns prompts into features."""

    def __init__(self, folder: Path):
        self.weights = export.read(folder / export.TRANSFORMER)
        self.text_weights = export.read(folder / export.TEXT)[0]
        self.tokenizer = text.Tokenizer(folder / "google" / "umt5-xxl" / "spiece.model")
        self.sizes = Sizes(**json.loads(self.weights[1]["sizes"]))

    def encode_text(self, prompt: str):
        tokens, lengths = self.tokenizer([prompt], self.sizes.text_len)
        return oracles.umt5(self.text_weights, tokens[0, : lengths[0]])

    def forward(self, dtype: torch.dtype):
        s = self.sizes
        config = transformer.Config(s.dim, s.heads, s.ffn, s.layers, freq_dim=s.freq_dim, text_dim=s.text_dim, text_len=s.text_len)
        run = oracles.prepared(self.weights[0], config)
        if dtype == torch.float32:
            return run

        def rounded(*args, **more):
            with torch.autocast("cpu", dtype):
                return run(*args, **more)

        return rounded


def decibels(a, b) -> float:
    """PSNR with the reference's range as its peak."""
    return float(20 * np.log10(np.ptp(b) / np.sqrt(np.mean((a.astype(np.float64) - b) ** 2))))


def run(cli: Path, folder: Path, prompt: str, width: int, height: int, frames: int, steps: int) -> dict:
    """-> the PSNR in dB, by dtype"""
    model, out = Model(folder), {}
    request = {"prompt": prompt, "negative_prompt": "", "steps": steps, "forcing": {}} | {k: export.DEFAULTS[k] for k in ("guidance", "shift", "fps")}
    noise = torch.randn(16, (frames - 1) // 4 + 1, height // 8, width // 8, generator=torch.Generator().manual_seed(5))
    for dtype, name in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
        theirs = pipelines.force(model, request, noise, model.forward(dtype)).numpy()
        with tempfile.TemporaryDirectory() as temporary:
            t = Path(temporary)
            save_file({"noise": noise.numpy()}, t / "noise.safetensors")
            whole = {k: v for k, v in request.items() if k != "forcing"} | {
                "schema": 1, "model": str(folder), "width": width, "height": height, "frames": frames, "dtype": name,
                "noise": {"file": "noise.safetensors"},
            }  # fmt: skip
            (t / "request.json").write_text(json.dumps(whole))
            subprocess.run([cli, "render", t / "request.json", "--run-dir", t / "run", "--latents", "last", "--out", t / "out.mp4"], check=True)
            with safe_open(t / "run" / "latents" / f"step_{steps:03}.safetensors", "np") as f:
                ours = f.get_tensor("latent")
        out[name] = decibels(ours, theirs)
        print(f"{name}: {out[name]:.1f} dB ({width}x{height}, {frames} frames, {steps} steps)", flush=True)
    return out

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the linear map from latent channels to colours with which the studio shows a latent at once, and writes it into resources/preview_factors.json.

Usage: fit_preview_factors.py DENOIR_CLI NAME VAE_FILE RUN...     (finished runs of one model; numpy and Pillow)

Least squares over all latent pixels of the runs: latent frame 0 is the first frame, each later one the mean of four frames; a latent pixel is the mean of
its block of pixels. The frames are the latents' own (`denoir-cli decode`), no codec in between."""
import glob
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

FACTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "preview_factors.json")


def read_latent(path):
    with open(path, "rb") as f:
        (length,) = struct.unpack("<Q", f.read(8))
        entry = json.loads(f.read(length))["latent"]
        begin, end = entry["data_offsets"]
        f.seek(8 + length + begin)
        return np.frombuffer(f.read(end - begin), np.float32).reshape(entry["shape"]).astype(np.float64)


def samples(cli, run):
    latent = read_latent(sorted(glob.glob(os.path.join(run, "latents", "step_*.safetensors")))[-1])
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "frames")
        subprocess.run([cli, "decode", run, "--out", out], check=True, stdout=subprocess.DEVNULL)
        frames = np.stack([np.asarray(Image.open(p), np.float64) / 255 for p in sorted(glob.glob(out + "/*.png"))])
    channels, t, h, w = latent.shape
    step = frames.shape[1] // h
    small = frames.reshape(len(frames), h, step, w, step, 3).mean((2, 4))
    small = np.stack([small[0]] + [small[4 * i - 3 : 4 * i + 1].mean(0) for i in range(1, t)])
    return latent.transpose(1, 2, 3, 0).reshape(-1, channels), small.reshape(-1, 3)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    cli, name, vae, runs = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    pairs = [samples(cli, run) for run in runs]
    x, y = np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])
    x = np.concatenate([x, np.ones((len(x), 1))], 1)
    ridge = np.diag([1e-3 * len(x)] * (x.shape[1] - 1) + [0])
    solution = np.linalg.solve(x.T @ x + ridge, x.T @ y)
    error = np.sqrt(np.mean((x @ solution - y) ** 2))
    print(f"{len(x)} latent pixels, {20 * np.log10(1 / error):.1f} dB")
    with open(vae, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    with open(FACTORS, encoding="utf-8") as f:
        document = json.load(f)
    document["entries"] = [e for e in document["entries"] if e["name"] != name]
    entry = {"name": name, "sha256": digest}
    config = os.path.join(os.path.dirname(vae), "config.json")
    if os.path.exists(config):
        with open(config, encoding="utf-8") as f:
            scale = json.load(f).get("latents_std")
        entry |= {"latents_std": scale} if scale else {}
    document["entries"].append(entry | {"factors": np.round(solution[:-1], 5).tolist(), "bias": np.round(solution[-1], 5).tolist()})
    with open(FACTORS, "w", encoding="utf-8") as f:
        text = json.dumps(document, indent=1)
        f.write(re.sub(r"\[\s+([-\d.,e\s]+?)\s+\]", lambda m: "[" + " ".join(m[1].split()) + "]", text) + "\n")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/metrics/pairs.json: MSE, PSNR, SSIM and percentiles of twenty pairs of pictures after scikit-image and numpy,
and what ffmpeg's psnr filter prints for those of 8 bits.

    python tests/reference/picture_metrics_golden.py           needs scikit-image, and the program ffmpeg on the PATH

The pictures are whole-number formulas (`picture` below) that the C++ test repeats, so that none has to be stored. ffmpeg's
ssim is kept as a remark only: its windows are blocks of 8 x 8 without a Gaussian."""

import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np
from skimage.metrics import mean_squared_error, peak_signal_noise_ratio, structural_similarity

# name, width, height, seed, change of B, float
PAIRS = [
    ("square", 64, 64, 1, "noise 3", False), ("equal", 40, 30, 2, "none", False), ("window", 11, 11, 3, "noise 20", False),
    ("narrow", 10, 40, 4, "noise 5", False), ("low", 40, 10, 5, "noise 5", False), ("one", 1, 1, 6, "noise 40", False),
    ("column", 11, 97, 7, "noise 9", False), ("odd", 33, 47, 8, "noise 1", False), ("prime", 127, 131, 9, "shift 1", False),
    ("dark", 96, 54, 10, "scale 90", False), ("inverse", 65, 41, 11, "invert", False), ("flat", 50, 50, 12, "plus 2", False),
    ("seam", 139, 60, 13, "noise 60", False), ("one-sample", 73, 71, 14, "one", False), ("wan", 832, 480, 15, "noise 2", False),
    ("skyreels", 960, 544, 16, "shift 2", False), ("wide", 2047, 33, 17, "noise 12", False),
    ("float", 61, 83, 18, "noise 4", True), ("float-small", 12, 13, 19, "noise 50", True), ("float-large", 640, 360, 20, "noise 1", True),
]


def mixed(x, y, c, seed):
    """A 32-bit hash of a sample's place."""
    h = (x * np.uint64(0x9E3779B1) + y * np.uint64(0x85EBCA77) + c * np.uint64(0xC2B2AE3D) + np.uint64(seed * 0x27D4EB2F)) & np.uint64(0xFFFFFFFF)
    for shift, factor in ((15, 0x2C1B3C6D), (12, 0x297A2D39)):
        h ^= h >> np.uint64(shift)
        h = (h * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return h ^ (h >> np.uint64(15))


def grid(width, height):
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(3), indexing="ij")
    return x.astype(np.uint64), y.astype(np.uint64), c.astype(np.uint64)


def picture(width, height, seed, move=0):
    """[H, W, 3] int64: a ramp that folds, a chequered part, a little noise."""
    x, y, c = grid(width, height)
    x = x + np.uint64(move)
    ramp = (x * (np.uint64(2) + c) + y * np.uint64(3) + np.uint64(40) * c) % np.uint64(480)
    ramp = np.where(ramp < 240, ramp, 479 - ramp).astype(np.int64)
    chequered = ((x // np.uint64(8) + y // np.uint64(8)) % np.uint64(5) == 0).astype(np.int64) * 60
    noise = (mixed(x, y, c, seed) % np.uint64(9)).astype(np.int64)
    return np.clip(ramp * 3 // 4 + chequered + noise, 0, 255)


def pair(width, height, seed, change, is_float):
    a = picture(width, height, seed)
    kind, _, amount = change.partition(" ")
    n = int(amount or 0)
    h = mixed(*grid(width, height), seed + 1000).astype(np.int64)
    b = {"none": lambda: a, "noise": lambda: np.clip(a + h % (2 * n + 1) - n, 0, 255), "shift": lambda: picture(width, height, seed, n),
         "scale": lambda: a * n // 100, "invert": lambda: 255 - a, "plus": lambda: np.clip(a + n, 0, 255), "one": lambda: a.copy()}[kind]()
    if kind == "one":
        b[height // 2, width // 2, 1] ^= 255
    if not is_float:
        return a.astype(np.uint8), b.astype(np.uint8)
    fraction = mixed(*grid(width, height), seed + 2000).astype(np.int64)
    return np.minimum(a + (fraction % 256) / 256, 255.0), np.minimum(b + (fraction // 256 % 256) / 256, 255.0)


def printed_by_ffmpeg(a, b):
    """The averages that ffmpeg's filters print, as text."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = []
        for name, value in (("a", a), ("b", b)):
            path = pathlib.Path(folder) / name
            path.write_bytes(value.tobytes())
            inputs += ["-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", f"{a.shape[1]}x{a.shape[0]}", "-i", str(path)]
        found = {}
        for name in ("psnr", "ssim"):
            log = pathlib.Path(folder) / name
            graph = f"[0:v]format=gbrp[a];[1:v]format=gbrp[b];[a][b]{name}=stats_file={log}"
            if subprocess.run(["ffmpeg", "-v", "error", *inputs, "-lavfi", graph, "-f", "null", "-"], stderr=subprocess.DEVNULL).returncode:
                continue
            text = log.read_text()
            for key in ("mse_avg", "psnr_avg", "All"):
                if m := re.search(rf"\b{key}:(\S+)", text):
                    found["ssim_blocks" if key == "All" else key] = m.group(1)
        return found


def main():
    rows = []
    for name, width, height, seed, change, is_float in PAIRS:
        a, b = pair(width, height, seed, change, is_float)
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
        mse = mean_squared_error(a, b)
        ssim = structural_similarity(a, b, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=255, channel_axis=2) \
            if min(width, height) >= 11 else None
        rows.append({"name": name, "width": width, "height": height, "seed": seed, "change": change, "float": is_float, "mse": float(mse),
                     "psnr": float(peak_signal_noise_ratio(a, b, data_range=255)) if mse else None, "ssim": None if ssim is None else float(ssim),
                     "mean": float(difference.mean()), "max": float(difference.max()), "p95": float(np.percentile(difference, 95)),
                     "p99": float(np.percentile(difference, 99)), "ffmpeg": {} if is_float else printed_by_ffmpeg(a, b)})
    out = pathlib.Path(__file__).resolve().parents[1] / "fixtures" / "metrics" / "pairs.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times Denoir's CPU engine and PyTorch eager (diffusers, transformers) in one run, on the same sizes, and prints one table.

    python bench/beside_pytorch.py build/release/bin/denoir-cli [--layers 4] [--size 256x256] [--frames 17] [--repeat 3] [--out FILE]

The widths are those of Wan2.1-1.3B, UMT5-XXL and the Wan 2.1 VAE; each transformer has only `--layers` layers, so that both fit into memory. One
side runs after the other; the table has the medians and their ratio. Needs the packages of tests/reference/requirements.txt."""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROMPT_TOKENS = 20


def median(run, repeat):
    run()  # warm-up: packs weights, fills caches
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def torch_times(args, width, height):
    import torch
    from diffusers import AutoencoderKLWan, WanTransformer3DModel
    from transformers import UMT5Config, UMT5EncoderModel

    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    frames = (args.frames - 1) // 4 + 1
    latent = torch.randn(1, 16, frames, height // 8, width // 8)
    out = {}
    with torch.inference_mode():
        for dtype in (torch.float32, torch.bfloat16):
            name = "f32" if dtype is torch.float32 else "bf16"
            model = WanTransformer3DModel(num_attention_heads=12, attention_head_dim=128, ffn_dim=8960, num_layers=args.layers).to(dtype).eval()
            text = torch.randn(1, 512, 4096, dtype=dtype)
            step = lambda: [model(latent.to(dtype), torch.tensor([500]), text) for _ in range(2)]  # both branches of guidance
            out[f"step {name}"] = median(step, args.repeat)
            del model
        config = UMT5Config(vocab_size=1000, d_model=4096, d_kv=64, d_ff=10240, num_layers=args.layers, num_heads=64, feed_forward_proj="gated-gelu")
        ids = torch.randint(4, 1000, (1, 512))
        mask = (torch.arange(512) < PROMPT_TOKENS)[None].long()
        for dtype in (torch.float32, torch.bfloat16):
            model = UMT5EncoderModel(config).to(dtype).eval()
            out[f"text {'f32' if dtype is torch.float32 else 'bf16'}"] = median(lambda: [model(ids, mask) for _ in range(2)], args.repeat)
            del model
        vae = AutoencoderKLWan().eval()
        out["decode f32"] = median(lambda: vae.decode(latent), 1)
    return out


def our_times(args, folder, width, height):
    out = {}
    for dtype in ("f32", "bf16"):
        runs = {}
        for _ in range(args.repeat if dtype == "f32" else max(1, args.repeat)):
            command = [args.cli, "bench", "--model", folder, "--size", f"{width}x{height}", "--frames", str(args.frames), "--dtype", dtype,
                       "--threads", str(args.threads), "--only", "model/*", "--json"]
            for result in json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["results"]:
                runs.setdefault(result["name"].split("/")[1], []).append(result["seconds"])
        for name, seconds in runs.items():
            out[f"{name} {dtype}"] = statistics.median(seconds)
    return out


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--size", default="256x256")
    parser.add_argument("--frames", type=int, default=17)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    with tempfile.TemporaryDirectory() as tmp:
        maker = ROOT / "tests" / "reference" / "make_models.py"
        subprocess.run([sys.executable, maker, tmp, "--model", "wan-t2v-1.3b", "--layers", str(args.layers), "--text-encoder",
                        "--text-layers", str(args.layers)], check=True, stdout=subprocess.DEVNULL)
        ours = our_times(args, os.path.join(tmp, "Wan2.1-T2V-1.3B"), width, height)
    theirs = torch_times(args, width, height)
    lines = [f"{time.strftime('%Y-%m-%d')}, {cpu_name()}, {args.threads} threads; {args.layers} layers of the 1.3B transformer and of UMT5-XXL, "
             f"{args.size}, {args.frames} frames; medians of {args.repeat}", "",
             "| what | Denoir s | PyTorch eager s | PyTorch / Denoir |", "|---|---|---|---|"]
    for name, seconds in theirs.items():
        if name in ours:
            lines.append(f"| {name} | {ours[name]:.2f} | {seconds:.2f} | {seconds / ours[name]:.2f} |")
    table = "\n".join(lines) + "\n"
    print(table)
    if args.out:
        args.out.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times whole renders of Denoir and of stable-diffusion.cpp on the CPU, in turns, from the same weights, and prints one table.

    python bench/beside_sdcpp.py build/release/bin/denoir-cli path/to/sd-cli [--size 256x256] [--frames 9] [--steps 2] [--threads 2] [--out FILE]

The model is Wan2.1-T2V-1.3B at its true size with random weights, in the forms that people keep for either program: 16-bit and Q8_0. The text encoder has
UMT5-XXL's width and `--text-layers` of its 24 layers, so that it fits on a small machine. Both sides use the same solver (Euler), size, steps and guidance. A
stage's seconds include loading what it needs. Each number is the median of `--repeat` runs, in which the programs take turns. With `--cpu-seconds` the whole
is given in the processor's time, for a machine that has other work. Needs numpy, 12 GiB of disk and as much memory."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from beside_pytorch import cpu_name

ROOT = Path(__file__).resolve().parent.parent
PROMPT = "A red balloon rises over the sea at sunset."
STAGES = ("text", "denoise", "decode")
THEIR_STAGES = {"text": "get_learned_condition", "denoise": "sampling", "decode": "decode_first_stage"}


def run(command, log):
    """Runs a command, its output in `log` -> whole (seconds by the clock), processor (its seconds) and memory (the most, in GiB)."""
    start = time.perf_counter()
    with open(log, "wb") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} ended with {child.returncode}: {Path(log).read_text(errors='replace')[-2000:]}")
    return {"whole": time.perf_counter() - start, "processor": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / (1 << 20)}


def ours(args, model, folder):
    out = folder / "ours.json"
    command = [args.cli, "render", "--model", model, "--prompt", PROMPT, "--negative-prompt", "", "--size", args.size, "--frames", str(args.frames),
               "--steps", str(args.steps), "--sampler", "euler", "--shift", "3", "--guidance", "5", "--seed", "1", "--threads", str(args.threads),
               "--out", folder / "ours.mp4", "--json", "--progress", "none"]
    figures = run(command, out)
    text = out.read_text()
    stages = json.loads(text[text.index("{"):])["stages"]
    figures["text"] = stages["load_text"] + stages["text"]
    figures["denoise"] = stages["load_transformer"] + stages["denoise"]
    figures["decode"] = stages["load_vae"] + stages["decode"]
    return figures


def theirs(args, transformer, text_encoder, vae, folder):
    width, height = args.size.split("x")
    log = folder / "theirs.log"
    command = [args.sd, "-M", "vid_gen", "--diffusion-model", transformer, "--vae", vae, "--t5xxl", text_encoder, "-p", PROMPT, "-W", width, "-H", height,
               "--video-frames", str(args.frames), "--steps", str(args.steps), "--cfg-scale", "5", "--sampling-method", "euler", "--flow-shift", "3",
               "--diffusion-fa", "-t", str(args.threads), "-s", "1", "-o", folder / "theirs.avi"]
    figures = run(command, log)
    text = log.read_text(errors="replace")
    for stage, name in THEIR_STAGES.items():
        figures[stage] = float(re.search(rf"{name} completed, taking ([0-9.]+)s", text).group(1))
    return figures


def make_models(args, folder):
    """Makes the 1.3B model twice, 16-bit and Q8_0 -> by name, the folder for Denoir and the three files for stable-diffusion.cpp."""
    maker = ROOT / "tests" / "reference" / "make_models.py"
    subprocess.run([sys.executable, maker, folder, "--model", "wan-t2v-1.3b", "--text-encoder", "--text-layers", str(args.text_layers)], check=True,
                   stdout=subprocess.DEVNULL)
    made = folder / "Wan2.1-T2V-1.3B"

    def convert(source, to, *options):
        subprocess.run([args.cli, "convert", source, to, *options, "--progress", "none"], check=True, stdout=subprocess.DEVNULL)

    text, vae = made / "models_t5_umt5-xxl-enc-bf16.pth", made / "Wan2.1_VAE.pth"
    convert(made / "diffusion_pytorch_model.safetensors", folder / "f16.safetensors", "--dtype", "f16")
    convert(made / "diffusion_pytorch_model.safetensors", folder / "q8_0.gguf", "--quantize", "q8_0")
    convert(text, folder / "umt5_f16.safetensors", "--layout", "comfy", "--dtype", "f16")
    convert(vae, folder / "vae.safetensors", "--layout", "comfy")
    (made / "diffusion_pytorch_model.safetensors").unlink()
    for name, file in (("f16", "diffusion_pytorch_model.safetensors"), ("q8_0", "wan2.1-t2v-1.3b-q8_0.gguf")):
        model = folder / f"Wan2.1-T2V-1.3B-{name}"
        model.mkdir()
        for part in (text, vae, made / "google"):
            (model / part.name).symlink_to(part)
        (model / file).symlink_to(folder / ("f16.safetensors" if name == "f16" else "q8_0.gguf"))
        if name == "f16":
            (model / "config.json").symlink_to(made / "config.json")
    return {name: (folder / f"Wan2.1-T2V-1.3B-{name}", (folder / file, folder / "umt5_f16.safetensors", folder / "vae.safetensors"))
            for name, file in (("f16", "f16.safetensors"), ("q8_0", "q8_0.gguf"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", type=Path)
    parser.add_argument("sd", type=Path)
    parser.add_argument("--size", default="256x256")
    parser.add_argument("--frames", type=int, default=9)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--text-layers", type=int, default=4)
    parser.add_argument("--weights", nargs="+", default=["f16", "q8_0"], choices=["f16", "q8_0"])
    parser.add_argument("--cpu-seconds", action="store_true")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    args.cli, args.sd = args.cli.resolve(), args.sd.resolve()
    whole = "processor" if args.cpu_seconds else "whole"
    lines = [f"{time.strftime('%Y-%m-%d')}, {cpu_name()}, {args.threads} thread{'s' * (args.threads > 1)}; Wan2.1-T2V-1.3B, {args.text_layers} of UMT5-XXL's 24 layers, {args.size}, "
             f"{args.frames} frames, {args.steps} steps, guidance 5; seconds with loading, "
             f"medians of {args.repeat}", "",
             f"| weights, program | text | denoise | decode | {'whole, of the processor' if args.cpu_seconds else 'whole'} | peak GiB |",
             "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        os.environ["DENOIR_HOME"] = str(folder / "home")
        for name, (model, files) in make_models(args, folder).items():
            if name not in args.weights:
                continue
            sides = {"Denoir": [], "stable-diffusion.cpp": []}
            for _ in range(args.repeat):
                sides["Denoir"].append(ours(args, model, folder))
                sides["stable-diffusion.cpp"].append(theirs(args, *files, folder))
            for side, runs in sides.items():
                figures = {key: statistics.median(r[key] for r in runs) for key in runs[0]}
                times = " | ".join(f"{figures[key]:.1f}" for key in (*STAGES, whole))
                lines.append(f"| {name}, {side} | {times} | {figures['memory']:.2f} |")
                print(lines[-1], flush=True)
    table = "\n".join(lines) + "\n"
    print(table)
    if args.out:
        args.out.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()

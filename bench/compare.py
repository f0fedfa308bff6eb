#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `denoir-cli compare` beside ffmpeg's psnr and ssim filters on the same two videos, in turns, and prints one table.

    python3 bench/compare.py build/release/bin/denoir-cli [--frames 97] [--size 960x544] [--repeat 5] [--out FILE]

Both decode two H.264 videos and measure every frame over RGB. Needs the ffmpeg program (with libx264), which also makes the videos; Denoir itself does
not use it."""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path


def timed(words):
    """Runs a command -> seconds by the clock, seconds of the processor, most memory in MiB, stdout and stderr together."""
    with tempfile.TemporaryFile() as out:
        begin = time.perf_counter()
        pid = os.posix_spawnp(words[0], [str(w) for w in words], os.environ,
                              file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, out.fileno(), 2)])
        _, status, usage = os.wait4(pid, 0)
        wall = time.perf_counter() - begin
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    if status != 0:
        raise SystemExit(f"{words}: {text[-500:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def make_videos(folder, size, frames):
    a, b = folder / "a.mp4", folder / "b.mp4"
    source = ["-f", "lavfi", "-i", f"mandelbrot=size={size}:rate=24,noise=alls=3:allf=t"]
    common = ["ffmpeg", "-v", "error", "-y"]
    subprocess.run([*common, *source, "-frames:v", str(frames), "-c:v", "libx264", "-crf", "14", "-pix_fmt", "yuv420p", a], check=True)
    subprocess.run([*common, "-i", a, "-c:v", "libx264", "-crf", "30", "-pix_fmt", "yuv420p", b], check=True)
    return a, b


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--frames", type=int, default=97)
    parser.add_argument("--size", default="960x544")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        a, b = make_videos(Path(name), args.size, args.frames)
        filters = ["ffmpeg", "-nostdin", "-threads", "1", "-i", a, "-threads", "1", "-i", b, "-filter_threads", args.threads, "-filter_complex_threads", args.threads]
        rgb = "[0:v]format=gbrp,split[a1][a2];[1:v]format=gbrp,split[b1][b2];[a1][b1]psnr;[a2][b2]ssim"
        yuv = "[0:v]split[a1][a2];[1:v]split[b1][b2];[a1][b1]psnr;[a2][b2]ssim"
        sides = {
            "denoir-cli compare (RGB; PSNR, SSIM, percentiles, histograms)": [args.cli, "compare", a, b, "--json", "--threads", args.threads],
            "ffmpeg psnr + ssim, RGB": [*filters, "-lavfi", rgb, "-f", "null", "-"],
            "ffmpeg psnr + ssim, YUV as stored": [*filters, "-lavfi", yuv, "-f", "null", "-"],
        }
        samples, last = {side: [] for side in sides}, {}
        for _ in range(args.repeat):  # in turns, so that other work on the machine slows all sides alike
            for side, words in sides.items():
                *figures, last[side] = timed(words)
                samples[side].append(figures)
        # The memory for only ten frames, to show how it depends on the length.
        short = Path(name) / "short.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", a, "-frames:v", "10", "-c", "copy", short], check=True)
        few = timed([args.cli, "compare", short, short, "--json", "--threads", args.threads])[2]
    first, *others = sides
    rows = []
    for side in sides:
        wall, cpu, peak = (statistics.median(column) for column in zip(*samples[side]))
        rows.append(f"| {side} | {wall:.2f} | {args.frames / wall:.1f} | {cpu:.2f} | {args.frames * args.threads / cpu:.1f} | {peak:.0f} |")
    mine = json.loads(last[first])["mean"]
    theirs = {key: re.findall(pattern, last[others[0]])[-1] for key, pattern in (("psnr", r"average:(\S+)"), ("ssim", r"All:(\S+)"))}
    ratios = [statistics.median(s[1] for s in samples[side]) / statistics.median(s[1] for s in samples[first]) for side in others]
    table = "\n".join([
        f"{args.frames} frames {args.size}, two H.264 videos, decoding included, {args.threads} threads, median of {args.repeat} in turns. "
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}.", "",
        "| | seconds | frames/s | processor seconds | frames/s on these cores undisturbed | peak MiB |", "|---|---|---|---|---|---|", *rows, "",
        f"Processor time of ffmpeg's filters to ours: {ratios[0]:.2f} in RGB, {ratios[1]:.2f} in YUV. Peak memory with the first 10 frames: {few:.0f} MiB.",
        f"PSNR {mine['psnr']:.4f} dB here, {theirs['psnr']} printed by ffmpeg (RGB); SSIM {mine['ssim']:.6f} with the Gaussian window, {theirs['ssim']} with ffmpeg's blocks."])
    print(table)
    if args.out:
        args.out.write_text(table + "\n")


if __name__ == "__main__":
    main()

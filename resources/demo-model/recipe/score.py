# SPDX-License-Identifier: Apache-2.0
"""The score sheet: held-out prompts are rendered by denoir-cli and read by the automatic scorer, whose ceiling is its score for drawn clips."""

import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from safetensors.numpy import load_file, save_file

import captions
import measure
import world

SEEDS = {"one object": 900_001, "two objects": 900_002, "image-to-video": 900_003, "continued": 900_005, "VAE round trip": 900_004}
KNOWN = 17  # frames that a continued clip begins with
CONTINUED = 1.0  # where in its scene a continued clip begins, in seconds: its known frames are a drawn clip's last
FIELDS = ("colour", "background", "shape", "motion")


def held_out(kind: str, count: int):
    """-> (scene, caption) pairs that no training draws, as the seeds of trainings are small numbers."""
    rng = np.random.default_rng(SEEDS[kind])
    scenes = [world.sample(rng, 2 if kind == "two objects" else 1) for _ in range(count)]
    return [(s, captions.caption(np.random.default_rng(SEEDS[kind] + i), s)) for i, s in enumerate(scenes)]


def judge(frames, scene: world.Scene) -> dict:
    """How many of the scene's objects, and whether its background, were recognised: sums and counts by field."""
    seen, back = measure.measure(frames, len(scene.objects))
    by_colour = {s.colour: s for s in seen}
    pairs = [(o, by_colour.get(o.colour)) for o in scene.objects]
    return {
        "colour": [sum(s is not None for _, s in pairs), len(pairs)],
        "shape": [sum(s is not None and s.shape == o.shape for o, s in pairs), len(pairs)],
        "motion": [sum(s is not None and s.motion == (o.direction or o.motion) for o, s in pairs), len(pairs)],
        "background": [int(back == (scene.colours or scene.background)), 1],
    }


def add(total: dict, one: dict) -> None:
    for k, (a, b) in one.items():
        s = total.setdefault(k, [0, 0])
        s[0], s[1] = s[0] + a, s[1] + b


def psnr(a, b) -> float:
    return float(-10 * np.log10(max(np.mean((a - b) ** 2), 1e-10)))


def frames_of(folder: Path) -> np.ndarray:
    return np.stack([np.asarray(Image.open(p).convert("RGB"), np.float32) for p in sorted(folder.glob("*.png"))]) / 255


def render(cli: Path, model: Path, out: Path, prompt: str, seed: int, *options: str) -> np.ndarray:
    """Renders one clip in the folder `out` and returns its frames."""
    command = [cli, "render", "--model", model, "--prompt", prompt, "--seed", str(seed), "--run-dir", out / "run", "--latents", "none", "--out", out / "frames"]
    done = subprocess.run([str(c) for c in command] + list(options), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"denoir-cli failed: {done.stderr.strip()}")
    return frames_of(out / "frames")


def continuing(folder: Path, drawn) -> str:
    """A request for what follows the first frames of `drawn`."""
    (folder / "known").mkdir()
    for i, frame in enumerate(drawn[:KNOWN]):
        Image.fromarray((frame * 255).round().astype(np.uint8)).save(folder / "known" / f"{i:03}.png")
    request = {"schema": 1, "frames": 33, "forcing": {"video": "known", "overlap": KNOWN}}
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    return str(folder / "request.json")


def likeness(frames, drawn, scene: world.Scene) -> float:
    """PSNR of a continued clip's new frames, around objects: captions and what is known leave little open of where they go."""
    y, x = np.mgrid[0 : drawn.shape[1], 0 : drawn.shape[2]]
    near = np.zeros(drawn.shape[:3], bool)
    for o in scene.objects:
        cx, cy, radius, _ = (a[:, None, None] for a in world.path(o, CONTINUED + np.arange(len(drawn)) / world.FPS, *drawn.shape[1:3]))
        near |= np.hypot(x - cx, y - cy) < 1.3 * radius + 6
    near[:KNOWN] = False
    return psnr(frames[near], drawn[near])


def run(cli: Path, model: Path, counts: dict, options: tuple, keep: Path | None) -> dict:
    """`counts`: samples by kind. `keep`: folder for a strip of frames of every clip."""
    sheet: dict = {"options": list(options), "date": time.strftime("%Y-%m-%d")}
    for kind, count in counts.items():
        if not count:
            continue
        total, ceiling, firsts = {}, {}, []
        for i, (scene, text) in enumerate(held_out(kind, count)):
            drawn = np.round(world.render(scene, 33, start=CONTINUED if kind == "continued" else 0.0) * 255).astype(np.float32) / 255
            if kind == "VAE round trip":
                firsts.append(round_trip(cli, model, drawn))
                continue
            with tempfile.TemporaryDirectory() as folder:
                extra = list(options)
                if kind == "image-to-video":
                    Image.fromarray((drawn[0] * 255).round().astype(np.uint8)).save(Path(folder) / "start.png")
                    extra += ["--image", str(Path(folder) / "start.png")]
                if kind == "continued":
                    extra.insert(0, continuing(Path(folder), drawn))
                frames = render(cli, model, Path(folder), text, 7000 + i, *extra)
            if kind == "image-to-video":
                firsts.append(psnr(frames[0], drawn[0]))
            if kind == "continued":
                firsts.append(result := likeness(frames, drawn, scene))
            else:
                add(ceiling, judge(drawn, scene))
                add(total, result := judge(frames, scene))
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                strip = np.concatenate([frames[k] for k in (0, 10, 21, 32)], 1)
                Image.fromarray((strip * 255).round().astype(np.uint8)).save(keep / f"{kind.replace(' ', '-')}-{i:03}.png")
                with open(keep / "prompts.txt", "a", encoding="utf-8") as f:
                    f.write(f"{kind} {i}: {text} {result}\n")
        entry: dict = {"samples": count}
        if total:
            entry |= {f: {"share": total[f][0] / total[f][1], "ceiling": ceiling[f][0] / ceiling[f][1]} for f in FIELDS}
        if firsts:
            entry["psnr"] = {"mean": float(np.mean(firsts)), "worst": float(np.min(firsts))}
        sheet[kind] = entry
        print(kind, json.dumps(entry), flush=True)
    return sheet


def round_trip(cli: Path, model: Path, drawn) -> float:
    """The PSNR of Denoir's encoding and decoding in f32."""
    with tempfile.TemporaryDirectory() as folder:
        f = Path(folder)
        save_file({"video": np.ascontiguousarray(drawn.transpose(3, 0, 1, 2) * 2 - 1)}, f / "video.safetensors")
        weights = model / "Wan2.1_VAE.safetensors"
        for name, source, target in (("wan-vae-encode", "video", "latent"), ("wan-vae-decode", "latent", "back")):
            subprocess.run([str(c) for c in (cli, "module", name, "--weights", weights, "--inputs", f / f"{source}.safetensors", "--out", f / f"{target}.safetensors")], check=True)
        back = load_file(f / "back.safetensors")["video"]
    return psnr(back.transpose(1, 2, 3, 0) / 2 + 0.5, drawn)


GOALS = {
    "one object": {"colour": 0.95, "background": 0.95, "shape": 0.90, "motion": 0.90},
    "two objects": {"colour": 0.85, "background": 0.85, "shape": 0.75, "motion": 0.75},
    "image-to-video": {"colour": 0.85, "background": 0.85, "shape": 0.85, "motion": 0.85},
}


def markdown(sheet: dict) -> str:
    """Makes a table; goals are shares of the scorer's ceiling, its score for drawn clips."""
    lines = ["| what | samples | found | scorer's ceiling | share of it | goal |", "|---|---|---|---|---|---|"]
    for kind, goals in GOALS.items():
        for f in FIELDS if kind in sheet else ():
            share, ceiling = sheet[kind][f]["share"], sheet[kind][f]["ceiling"]
            lines.append(f"| {kind}: {f} | {sheet[kind]['samples']} | {share:.0%} | {ceiling:.0%} | {share / max(ceiling, 1e-9):.0%} | {goals[f]:.0%} |")
    for kind, name, goal in (
        ("image-to-video", "first frame to the image", "30 dB"),
        ("continued", "new frames to the drawn ones, around objects", ""),
        ("VAE round trip", "pictures", "34 dB"),
    ):
        if kind in sheet:
            p = sheet[kind]["psnr"]
            lines.append(f"| {kind}: {name} | {sheet[kind]['samples']} | {p['mean']:.1f} dB (worst {p['worst']:.1f}) | | | {goal} |")
    return "\n".join(lines) + "\n"

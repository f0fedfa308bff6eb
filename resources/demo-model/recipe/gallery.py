# SPDX-License-Identifier: Apache-2.0
"""The README's gallery: sample prompts and images rendered by denoir-cli as strips of frames, and one prompt at several steps and guidances."""

import json
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import files
import world
from score import render

STEPS, GUIDANCES = (4, 8, 20, 50), (1, 3, 6)
GRID_PROMPT = "A large red ball bounces over a blue and pink gradient."
BEGIN, END = "<!-- gallery: by `recipe gallery` -->", "<!-- end of the gallery -->"


def strip(frames, count: int) -> np.ndarray:
    picks = [frames[round(i * (len(frames) - 1) / max(count - 1, 1))] for i in range(count)]
    return (np.concatenate(picks, 1) * 255).round().astype(np.uint8)


def moving(path: Path, clips: list, columns: int) -> None:
    """Puts all clips [F,H,W,3] beside each other into one animated picture."""
    rows = [np.concatenate(clips[i : i + columns], 2) for i in range(0, len(clips), columns)]
    first, *rest = (Image.fromarray((f * 255).round().astype(np.uint8)) for f in np.concatenate(rows, 1))
    with files.whole(path) as part:
        first.save(part, "WEBP", save_all=True, append_images=rest, duration=round(1000 / world.FPS), loop=0, quality=70, method=6)


def clip(cli: Path, model: Path, prompt: str, *options: str):
    with tempfile.TemporaryDirectory() as folder:
        return render(cli, model, Path(folder), prompt, 7, *options)


def put(readme: Path, lines: list[str]) -> None:
    """Replaces what stands between the gallery's two marks in the README."""
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{readme}: no place for the gallery: put `{BEGIN}` and `{END}` on lines of their own")
    with files.whole(readme) as part:
        part.write_text(before + begin + "\n".join(["", *lines, ""]) + end + after, encoding="utf-8")


def run(cli: Path, model: Path, root: Path, grid: bool) -> None:
    """Writes resources/pictures/demo*, and the gallery into README.md unless its `grid` would be missing."""
    resources = root / "resources"
    pictures = resources / "pictures"
    prompts = json.loads((resources / "prompts.json").read_text(encoding="utf-8"))
    pictures.mkdir(exist_ok=True)

    def cell(name: str, frames, count: int) -> str:
        Image.fromarray(strip(frames, count)).save(pictures / name, optimize=True)
        print(name, flush=True)
        return f"![](resources/pictures/{name})"

    clips = [clip(cli, model, text) for text in prompts["text"]]
    moving(pictures / "demo.webp", clips, 4)
    lines = ["![the clips of the eight prompts below, moving](resources/pictures/demo.webp)", "", "| prompt | four frames of its clip |", "|---|---|"]
    for i, text in enumerate(prompts["text"]):
        lines.append(f"| {text} | {cell(f'demo-text-{i}.png', clips[i], 4)} |")
    for i, entry in enumerate(prompts["image"]):
        frames = clip(cli, model, entry["prompt"], "--image", str(resources / entry["image"]))
        lines.append(f"| {entry['prompt']} From `resources/{entry['image']}`. | {cell(f'demo-image-{i}.png', frames, 4)} |")
    if not grid:
        return
    lines += ["", f"Steps and guidance: {GRID_PROMPT}", "", "| steps | " + " | ".join(f"guidance {g}" for g in GUIDANCES) + " |", "|---|" + "---|" * len(GUIDANCES)]
    for steps in STEPS:
        cells = [
            cell(f"demo-grid-{steps}-{g}.png", clip(cli, model, GRID_PROMPT, "--steps", str(steps), "--guidance", str(g)), 2) for g in GUIDANCES
        ]
        lines.append(f"| {steps} | " + " | ".join(cells) + " |")
    put(root / "README.md", lines)

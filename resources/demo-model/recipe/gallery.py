# SPDX-License-Identifier: Apache-2.0
"""The gallery: sample prompts and images rendered by denoir-cli as strips of frames, and one prompt at several steps and guidances."""

import json
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from score import render

STEPS, GUIDANCES = (4, 8, 20, 50), (1, 3, 6)
GRID_PROMPT = "A large red ball bounces over a blue and pink gradient."


def strip(frames, count: int) -> np.ndarray:
    picks = [frames[round(i * (len(frames) - 1) / max(count - 1, 1))] for i in range(count)]
    return (np.concatenate(picks, 1) * 255).round().astype(np.uint8)


def clip(cli: Path, model: Path, prompt: str, *options: str):
    with tempfile.TemporaryDirectory() as folder:
        return render(cli, model, Path(folder), prompt, 7, *options)


def run(cli: Path, model: Path, resources: Path, grid: bool) -> None:
    """Writes resources/pictures/demo-*.png and GALLERY.md in the model's folder."""
    prompts = json.loads((resources / "prompts.json").read_text(encoding="utf-8"))
    pictures = resources / "pictures"
    pictures.mkdir(exist_ok=True)
    lines = ["# What the bundled model makes today", "", "Rendered by `denoir-cli render` with its defaults and seed 7; four frames of each clip.", ""]
    lines += ["| prompt | frames |", "|---|---|"]
    for i, text in enumerate(prompts["text"]):
        name = f"demo-text-{i}.png"
        Image.fromarray(strip(clip(cli, model, text), 4)).save(pictures / name, optimize=True)
        lines.append(f"| {text} | ![](../pictures/{name}) |")
        print(name, flush=True)
    for i, entry in enumerate(prompts["image"]):
        name = f"demo-image-{i}.png"
        frames = clip(cli, model, entry["prompt"], "--image", str(resources / entry["image"]))
        Image.fromarray(strip(frames, 4)).save(pictures / name, optimize=True)
        lines.append(f"| from `{entry['image']}`: {entry['prompt']} | ![](../pictures/{name}) |")
        print(name, flush=True)
    if grid:
        lines += ["", f"## Steps and guidance: {GRID_PROMPT}", "", "| steps | " + " | ".join(f"guidance {g}" for g in GUIDANCES) + " |", "|---|" + "---|" * len(GUIDANCES)]
        for steps in STEPS:
            cells = []
            for guidance in GUIDANCES:
                name = f"demo-grid-{steps}-{guidance}.png"
                Image.fromarray(strip(clip(cli, model, GRID_PROMPT, "--steps", str(steps), "--guidance", str(guidance)), 2)).save(pictures / name, optimize=True)
                cells.append(f"![](../pictures/{name})")
                print(name, flush=True)
            lines.append(f"| {steps} | " + " | ".join(cells) + " |")
    (model / "GALLERY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")

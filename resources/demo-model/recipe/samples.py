# SPDX-License-Identifier: Apache-2.0
"""Draws the sample start images of resources/samples, as world.py draws clips."""

from pathlib import Path

import numpy as np
from PIL import Image

import world
from world import Object, Scene

SAMPLES = {
    "balloon-meadow": Scene("meadow", seed=4, objects=[Object("balloon", "red", "large", "float", "up", x=0.45, y=0.8, radius=0.25)]),
    "star-night": Scene("night sky", seed=9, objects=[Object("star", "yellow", "large", "spin", x=0.5, y=0.5, radius=0.25)]),
    "ball-gradient": Scene("gradient", ("purple", "pink"), 0.0, objects=[Object("ball", "green", "large", "bounce", x=0.6, y=0.5, radius=0.25, phase=0.1)]),
}


def draw(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, scene in SAMPLES.items():
        picture = np.round(world.render(scene, 1)[0] * 255).astype(np.uint8)
        Image.fromarray(picture).save(folder / f"{name}.png", optimize=True)

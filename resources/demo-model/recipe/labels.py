# SPDX-License-Identifier: Apache-2.0
"""What every token of a clip shows: the answers that guide.py's heads learn to give."""

import numpy as np

import draw
import world

PATCH = 16  # pixels that a token covers in each direction
TARGETS = 9


def labels(scene: world.Scene, frames: int, height: int, width: int, ends: bool = False, start: float = 0.0):
    """The nearest object of each latent frame and token: classes int8 [T,S,2] (shape, colour; 0: background) and targets f32 [T,S,9]. The
    targets are: offset from its centre, x and y in radii; log2 of its radius / 20 pixels; velocity, x and y in radii per second; growth, twice
    the share of its radius that it gains per second; turn, half the radians per second; sine and cosine of its angle. Velocity, growth and
    turn of a single picture are 0. `ends`: the last latent frame is a picture of its own. `start`: where in the
    scene the clip begins, in seconds."""
    groups = (frames - 1) // 4
    times = np.concatenate([[0.0], (4 * np.arange(1, groups + 1) - 1.5)]) / world.FPS
    if ends:
        times[-1] = (frames - 4) / world.FPS
    times += start
    rows, columns = height // PATCH, width // PATCH
    px, py = (np.arange(columns) + 0.5) * PATCH, (np.arange(rows) + 0.5) * PATCH
    classes, targets = np.zeros((len(times), rows, columns, 2), np.int8), np.zeros((len(times), rows, columns, TARGETS), np.float32)
    nearest = np.full((len(times), rows, columns), np.inf)
    step = 1 / world.FPS
    for o in scene.objects:
        (x, y, r, angle), later = (np.stack(world.path(o, times + t, height, width)) for t in (0, step))
        dx, dy = (px - x[:, None])[:, None] / r[:, None, None], (py - y[:, None])[:, :, None] / r[:, None, None]
        distance = np.hypot(dx, dy)
        here = (distance < 1.1 + PATCH / 2 / r[:, None, None]) & (distance < nearest)
        nearest = np.where(here, distance, nearest)
        classes[here] = 1 + draw.SHAPES.index(o.shape), 1 + tuple(draw.COLOURS).index(o.colour)
        if o.shape in draw.ROUND:
            angle = later[3] = 0 * angle
        turn = (later[3] - angle) / step / 2
        moving = np.stack(
            [np.log2(r / 20), (later[0] - x) / step / r, (later[1] - y) / step / r, (later[2] - r) / step / r * 2, turn, np.sin(angle), np.cos(angle)], -1
        )  # fmt: skip
        full = np.broadcast_arrays(dx, dy, *(m[:, None, None] for m in moving.T))
        targets[here] = np.stack(full, -1)[here]
    if frames == 1:
        targets[..., 3:7] = 0
    return classes.reshape(len(times), -1, 2), targets.reshape(len(times), -1, TARGETS)

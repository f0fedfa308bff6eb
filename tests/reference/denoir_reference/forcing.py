# SPDX-License-Identifier: Apache-2.0
"""The timestep matrix of diffusion forcing (spec pipelines.md 7.1)."""

import numpy as np


def timestep_matrix(template, frames: int, ar_step: int = 0, ready: int = 0, block: int = 1, base: int | None = None):
    """-> (timesteps [rows, frames], update [rows, frames] bool, windows [(begin, end)]), all in latent frames."""
    base = frames if base is None else base
    steps, blocks, window = len(template), frames // block, base // block
    if window < blocks and ar_step * window < steps:
        raise ValueError(f"ar_step {ar_step} is too small for a window of {window} blocks and {steps} steps")
    values = np.concatenate([[999.0], np.asarray(template, dtype=np.float64), [0.0]])
    previous = [steps + 1 if b < ready // block else 0 for b in range(blocks)]
    timesteps, updates, windows, end = [], [], [], window
    while not all(k >= steps for k in previous):
        new = []
        for b in range(blocks):
            ahead = b == 0 or previous[b - 1] >= steps
            new.append(previous[b] + 1 if ahead else new[b - 1] - ar_step)
        new = [min(max(k, 0), steps + 1) for k in new]
        update = [k != p and k != steps + 1 for k, p in zip(new, previous)]
        timesteps.append(values[new])
        updates.append(update)
        if end < blocks and update[end]:
            end += 1
        windows.append((max(end - window, 0) * block, end * block))
        previous = new
    return np.repeat(np.array(timesteps), block, 1), np.repeat(np.array(updates), block, 1), windows

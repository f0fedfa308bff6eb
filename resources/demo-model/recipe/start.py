# SPDX-License-Identifier: Apache-2.0
"""The VAE encoder's start: writes the fixed linear latent into its convolutions, with all residual branches silent.

Each stage keeps those linear measurements of its block of pixels that the 16 components need (reduced-rank regression on drawn patches).
The head's normalisation would remove the scale, so one large constant channel keeps it; SiLU is undone by pairs, silu(x) - silu(-x) = x."""

import numpy as np
import torch

import latent as latents
import world

CONSTANT = 20.0


def patches(seed: int, clips: int):
    """Patches of random clips, in -1...1: of first frames [n,8,8,3] and of later ones [m,4,8,8,3]."""
    rng = np.random.default_rng(seed)
    first, later = [], []
    for _ in range(clips):
        video = world.render(world.sample(rng), 5, start=1.4 * rng.random()) * 2 - 1
        first.append(latents.first_patches(video)[::2])
        later.append(latents.later_patches(video)[::2])
    return np.concatenate(first).reshape(-1, 8, 8, 3).astype(np.float64), np.concatenate(later).reshape(-1, 4, 8, 8, 3).astype(np.float64)


def quarters(x, size: int):
    """[...,2*size,2*size,C] -> [...,2,2,size,size,C]"""
    *lead, _, _, c = x.shape
    x = x.reshape(*lead, 2, size, 2, size, c)
    return np.moveaxis(x, -3, -4)


def needed(functionals, moment, rank: int):
    """functionals [n,d] of data with second moment [d,d] -> P [rank,d], U [n,rank], so that functionals·x is nearly U·P·x"""
    values, vectors = np.linalg.eigh(functionals @ moment @ functionals.T)
    top = vectors[:, ::-1][:, :rank]
    return top.T @ functionals, top


def encoder(net, latent: latents.Latent, clips: int = 60) -> None:
    """Writes the start into the encoder of `net` (vae.Vae)."""
    first, later = patches(3, clips)
    t = {k: v.astype(np.float64) for k, v in latent.tables.items()}
    w_first = quarters((t["to_first"] / t["std"]).reshape(8, 8, 3, 16).transpose(3, 0, 1, 2), 4).reshape(16, 4, 48)  # [16, quarter, 4x4x3]
    w_later = quarters((t["to_later"] / t["std"]).reshape(4, 8, 8, 3, 16).transpose(4, 0, 1, 2, 3), 4).reshape(16, 4, 4, 48)  # [16, frame, quarter, 48]

    # 4x4x3 pixels of one frame -> 31 numbers.
    cells = quarters(np.concatenate([first, later.reshape(-1, 8, 8, 3)]), 4).reshape(-1, 48)
    p, u = needed(np.concatenate([w_first.reshape(-1, 48), w_later.reshape(-1, 48)]), cells.T @ cells / len(cells), 31)
    g_first, g_later = u[:64].reshape(16, 4, 31), u[64:].reshape(16, 4, 4, 31)

    # Those of two frames -> 31 numbers.
    s = quarters(later, 4).reshape(-1, 4, 4, 48) @ p.T  # [n, frame, quarter, 31]
    pairs = s.reshape(-1, 2, 2, 4, 31).transpose(0, 1, 3, 2, 4).reshape(-1, 62)  # [n * pair * quarter, frame in pair x 31]
    wanted = g_later.reshape(16, 2, 2, 4, 31).transpose(0, 1, 3, 2, 4).reshape(128, 62)  # [16 x pair x quarter, 62]
    q, u2 = needed(wanted, pairs.T @ pairs / len(pairs), 31)

    # The four quarters -> the first frame's 16 components and 31 numbers for the later ones.
    a_first = g_first.reshape(16, 124) * t["std"][:, None]
    l_both = u2.reshape(16, 2, 4, 31).transpose(1, 0, 2, 3).reshape(32, 124)
    halves = (pairs @ q.T).reshape(-1, 2, 4 * 31)  # [n, pair, 124]
    flat = halves.reshape(-1, 124)
    r2, _ = needed(l_both, flat.T @ flat / len(flat), 31)
    r = np.concatenate([a_first, 0.02 * r2])  # [47,124]; small compared with the constant, or it would count in the first frame's norm
    bias_first = -t["mean_first"] @ t["to_first"]

    # The 47 numbers of both pairs -> the later components, by least squares.
    seen = (halves @ r.T + np.concatenate([bias_first, np.zeros(31)])).reshape(-1, 94)
    target = (later.reshape(-1, 768) - t["mean_later"]) @ t["to_later"]
    solution, *_ = np.linalg.lstsq(np.concatenate([seen, np.ones((len(seen), 1))], 1), target, rcond=None)

    def put(layer, weight, bias):
        layer.weight.copy_(torch.from_numpy(weight).reshape(layer.weight.shape))
        layer.bias.copy_(torch.from_numpy(bias))

    def stage(outer, inner, matrix, channels, constant_at, constant):
        """A convolution of stride 2, [outer,inner,3,3], whose four used taps apply `matrix` [rows, 4*channels], with the quarter as the slowest index."""
        weight, bias = np.zeros((outer, inner, 3, 3)), np.zeros(outer)
        block = matrix.reshape(len(matrix), 2, 2, channels).transpose(0, 3, 1, 2)
        weight[: len(matrix), :channels, :2, :2] = block
        bias[constant_at] = constant
        return weight, bias

    with torch.no_grad():
        e = net.encoder
        for module in e.modules():
            if hasattr(module, "residual"):
                module.residual["6"].weight.zero_()
                module.residual["6"].bias.zero_()
        w = np.zeros((16, 3, 3, 3, 3))
        w[range(3), range(3), 2, 1, 1] = 1
        put(e.conv1, w, np.zeros(16))
        put(e.downsamples[1].resample["1"], *stage(16, 16, np.eye(12), 3, 12, 1.0))  # channels (dy, dx, colour)
        put(e.downsamples[2].shortcut, np.eye(32, 16), np.zeros(32))
        # The pixels of a 4x4 cell are in the order (y, x, colour), the channels in the order (quarter y, quarter x, dy, dx, colour).
        index = np.arange(48).reshape(2, 2, 2, 2, 3).transpose(0, 2, 1, 3, 4).ravel()
        put(e.downsamples[3].resample["1"], *stage(32, 32, p[:, index], 12, 31, 1.0))
        time = np.zeros((32, 32, 3, 1, 1))
        time[:31, :31, 1, 0, 0], time[:31, :31, 2, 0, 0] = q[:, :31], q[:, 31:]
        put(e.downsamples[3].time_conv, time, np.eye(32)[31])
        put(e.downsamples[4].shortcut, np.eye(64, 32), np.zeros(64))
        weight, bias = stage(64, 64, r, 31, 47, CONSTANT)
        bias[:16] = bias_first
        weight[48:], bias[48:] = -weight[:16], -bias[:16]
        put(e.downsamples[5].resample["1"], weight, bias)
        time, bias = np.zeros((64, 64, 3, 1, 1)), np.zeros(64)
        time[:16, :47, 1, 0, 0], time[:16, :47, 2, 0, 0], bias[:16] = solution[:47].T, solution[47:94].T, solution[94]
        time[48:], bias[48:], bias[47] = -time[:16], -bias[:16], CONSTANT
        put(e.downsamples[5].time_conv, time, bias)
        e.head["0"].gamma.fill_(CONSTANT / 8)
        w = np.zeros((32, 64, 3, 3, 3))
        w[range(16), range(16), 2, 1, 1], w[range(16), range(48, 64), 2, 1, 1] = 1, -1
        put(e.head["2"], w, np.zeros(32))
        put(net.conv1, np.eye(32), np.zeros(32))

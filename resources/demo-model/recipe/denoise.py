# SPDX-License-Identifier: Apache-2.0
"""Euler steps with guidance in PyTorch, for watching a training and for near.py. Denoir's own samplers are in the engine."""

import numpy as np
import torch


def ladder(steps: int, shift: float) -> list[float]:
    """Noise levels from nearly 1 to 0, one more than steps."""
    line = np.linspace(0.999, 0, steps + 1)
    return [float(s) for s in shift * line / (1 + (shift - 1) * line)]


@torch.no_grad()
def denoise(net, encoder, tokenizer, prompts, x, sigmas, guidance: float):
    """Denoises x [B,16,T,h,w] by Euler steps from sigmas[0] to sigmas[-1]."""
    tokens, lengths = tokenizer(list(prompts) + [""] * len(prompts), net.sizes.text_len)
    text = encoder(tokens, lengths)
    for a, b in zip(sigmas[:-1], sigmas[1:]):
        t = torch.full((2 * len(x), x.shape[2]), 1000 * a)
        with torch.autocast("cpu", torch.bfloat16):
            v, u = net(torch.cat([x, x]), t, text, lengths).float().chunk(2)
        x = x + (b - a) * (u + guidance * (v - u))
    return x

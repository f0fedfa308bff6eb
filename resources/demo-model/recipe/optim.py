# SPDX-License-Identifier: Apache-2.0
"""The optimizer (Muon for matrices, Adam for the rest), averaged weights, and checkpoints."""

import pickle
from pathlib import Path

import torch

import files


def orthogonal(g, steps: int = 5):
    """Nearest orthogonal matrices of g [n,a,b], roughly (Newton-Schulz iteration of Jordan et al., "Muon", 2024)."""
    x = g.bfloat16()
    flip = x.shape[-2] > x.shape[-1]
    x = x.mT if flip else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return (x.mT if flip else x).float()


class Muon(torch.optim.Optimizer):
    """Momentum, then orthogonal updates of a size like Adam's. The kernels of a convolution are a matrix with one row for each output
    channel. Matrices of one shape are handled together."""

    def __init__(self, params, lr: float, momentum: float = 0.95, weight_decay: float = 0.01):
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            shapes: dict = {}
            for p in group["params"]:
                if p.grad is not None:
                    shapes.setdefault(p.shape, []).append(p)
            for shape, params in shapes.items():
                updates = []
                for p in params:
                    if "momentum" not in self.state[p]:
                        self.state[p]["momentum"] = torch.zeros_like(p)
                    m = self.state[p]["momentum"]
                    m.lerp_(p.grad, 1 - group["momentum"])
                    updates.append(p.grad.lerp(m, group["momentum"]).flatten(1))
                size = 0.2 * max(updates[0].shape) ** 0.5 * group["lr"]
                for p, u in zip(params, orthogonal(torch.stack(updates))):
                    p.mul_(1 - group["lr"] * group["weight_decay"]).add_(u.reshape(shape), alpha=-size)


def in_blocks(name: str, p) -> bool:
    """Whether it is an inner matrix of the transformer or the text encoder."""
    return p.ndim == 2 and name.startswith("blocks.") and "embedding" not in name


def kernels(name: str, p) -> bool:
    """Whether it is a convolution of the VAE, except those at its two ends."""
    return p.ndim >= 4 and p.shape[1] > 1 and "conv1." not in name and "conv2." not in name and "head." not in name


class Optimizers:
    """Muon for the parameters that `inside(name, parameter)` picks, Adam for the others; `factor` scales both rates."""

    def __init__(self, named, lr: float, inside=in_blocks, weight_decay: float = 0.01):
        named = list(named)
        matrices, rest = [p for n, p in named if inside(n, p)], [p for n, p in named if not inside(n, p)]
        self.parts = [Muon(matrices, lr, weight_decay=weight_decay)] if matrices else []
        fused = bool(rest) and rest[0].is_cuda
        self.parts.append(torch.optim.AdamW(rest, lr, betas=(0.9, 0.98), weight_decay=0.0, fused=fused))
        self.lr = lr

    def step(self, factor: float):
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = self.lr * factor
            part.step()

    def zero_grad(self):
        for part in self.parts:
            part.zero_grad(set_to_none=True)

    def state_dict(self):
        return [p.state_dict() for p in self.parts]

    def load_state_dict(self, state):
        for part, s in zip(self.parts, state):
            part.load_state_dict(s)


class Average:
    """Exponential mean of all parameters. It is short at first, so that early exports are useful."""

    def __init__(self, modules, decay: float):
        self.live = [p for m in modules for p in m.parameters()]
        self.mean = [p.detach().clone() for p in self.live]
        self.decay, self.count = decay, 0

    @torch.no_grad()
    def update(self):
        self.count += 1
        keep = min(self.decay, (1 + self.count) / (10 + self.count))
        torch._foreach_lerp_(self.mean, self.live, 1 - keep)


def save(path: Path, state: dict) -> None:
    with files.whole(path) as part:
        torch.save(state, part)


def load(path: Path) -> dict:
    """Loads what `save` wrote, to the processor. If the file is not whole, ends the program with a line about it."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise files.damaged(path, error) from None

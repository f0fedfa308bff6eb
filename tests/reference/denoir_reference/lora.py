# SPDX-License-Identifier: Apache-2.0
"""Makes LoRA files of spec checkpoints.md 9, and merges them as it says, in float32 with one rounding."""

import torch

from . import names
from .values import uniform

RANK = 4


def _modules(weights: dict) -> list:
    """The names of the blocks' linear layers of every kind."""
    return [k.removesuffix(".weight") for k in weights if k.startswith("blocks.") and k.endswith(".weight") and weights[k].ndim == 2]


def changes(weights: dict, seed: str, every: int = 1) -> dict:
    """module -> (up [out, rank], down [rank, in])"""
    out = {}
    for module in _modules(weights)[::every]:
        rows, columns = weights[module + ".weight"].shape
        scale = 0.8 * (3 / columns) ** 0.5
        out[module] = (uniform(f"{seed}/{module}/up", (rows, RANK), 0.7), uniform(f"{seed}/{module}/down", (RANK, columns), scale))
    return out


def _diffusers(module: str) -> str:
    return next(iter(names.transformer_to_diffusers({module + ".weight": torch.zeros(1)}))).removesuffix(".weight")


def kohya(low_rank: dict, alpha: float) -> dict:
    out = {}
    for module, (up, down) in low_rank.items():
        name = "lora_unet_" + module.replace(".", "_")
        out |= {name + ".lora_down.weight": down, name + ".lora_up.weight": up, name + ".alpha": torch.tensor(alpha)}
    return out


def comfy(low_rank: dict, more: dict) -> dict:
    """`more`: whole differences by original tensor name."""
    out = {}
    for module, (up, down) in low_rank.items():
        out |= {f"diffusion_model.{module}.lora_A.weight": down, f"diffusion_model.{module}.lora_B.weight": up}
    for name, difference in more.items():
        ending = {"weight": "diff", "bias": "diff_b"}[name.rsplit(".", 1)[1]]
        out[f"diffusion_model.{name.rsplit('.', 1)[0]}.{ending}"] = difference
    return out


def peft(low_rank: dict) -> dict:
    out = {}
    for module, (up, down) in low_rank.items():
        name = "base_model.model." + _diffusers(module)
        out |= {name + ".lora_A.default.weight": down, name + ".lora_B.default.weight": up}
    return out


def merged(weights: dict, parts: list) -> dict:
    """The weights with `parts` added, each (low_rank, factor, whole differences, their factor)."""
    out = {}
    for name, stored in weights.items():
        value = stored.float()
        for low_rank, factor, more, strength in parts:
            if name.endswith(".weight") and (pair := low_rank.get(name.removesuffix(".weight"))):
                value = value + factor * (pair[0].double() @ pair[1].double()).float()
            if name in more:
                value = value + strength * more[name]
        out[name] = value.to(stored.dtype)
    return out

# SPDX-License-Identifier: Apache-2.0
"""Weights in 8 bits as optimum-quanto makes them (qint8) and mmgp, the loader of Wan2GP, stores them.

The packages themselves are not needed: optimum-quanto 0.2.7 and mmgp 3.8.2 were given the weights of both fixtures by hand
(2026-11-29), and every tensor and all metadata were the same.
"""

import base64
import json

import torch


def quantised(weights: dict, linears) -> tuple:
    """-> what the file stores, and the values that this stands for. `linears`: the names of the weights to quantise."""
    stored, values = {}, dict(weights)
    for name, weight in weights.items():
        if name not in linears:
            stored[name] = weight
            continue
        layer = name.removesuffix(".weight")
        scale = weight.abs().amax(dim=1, keepdim=True) / 127  # for each row, in the type of the weights
        numbers = (weight / scale).round().clamp(-128, 127).to(torch.int8)
        stored |= {f"{name}._data": numbers, f"{name}._scale": scale}
        for of in ("input_scale", "output_scale"):  # of activations, which are not quantised
            stored[f"{layer}.{of}"] = torch.ones((), dtype=weight.dtype)
        values[name] = numbers.float() * scale.float()
    return stored, values


def metadata(linears) -> dict:
    """The metadata of the file."""
    kinds = {weight.removesuffix(".weight"): {"weights": "qint8", "activations": "none"} for weight in linears}
    text = base64.b64encode(json.dumps(kinds).encode()).decode()
    return {"quantization_format": "quanto", "quantization_map_base64": text}

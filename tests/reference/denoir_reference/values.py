# SPDX-License-Identifier: Apache-2.0
"""Values that are the same on every machine and in every version, because they are hashes of counters and need no generator."""

import numpy as np
import torch

_FNV_OFFSET, _FNV_PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1


def fnv1a(name: str) -> int:
    """64-bit FNV-1a of the UTF-8 name."""
    h = _FNV_OFFSET
    for byte in name.encode("utf-8"):
        h = ((h ^ byte) * _FNV_PRIME) & _MASK
    return h


def named_values(name: str, count: int) -> np.ndarray:
    """val(name, 0..count-1) of spec vae21.md section 6: float64, uniform in [-1, 1)."""
    with np.errstate(over="ignore"):
        z = np.arange(count, dtype=np.uint64) + np.uint64(fnv1a(name)) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53 * 2.0 - 1.0


def numbered_values(number: int, count: int) -> np.ndarray:
    """u of spec dit.md section 11 for tensor `number`: float64, uniform in [-0.5, 0.5)."""
    with np.errstate(over="ignore"):
        z = np.arange(count, dtype=np.uint32) + np.uint32((1000003 * number) & 0xFFFFFFFF)
        z = (z ^ (z >> np.uint32(16))) * np.uint32(0x7FEB352D)
        z = (z ^ (z >> np.uint32(15))) * np.uint32(0x846CA68B)
        z = z ^ (z >> np.uint32(16))
    return z.astype(np.float64) / 2.0**32 - 0.5


def uniform(name: str, shape, scale: float = 1.0) -> torch.Tensor:
    """float32 tensor, uniform in [-scale, scale)."""
    values = named_values(name, int(np.prod(shape, dtype=np.int64))) * scale
    return torch.from_numpy(values.astype(np.float32)).reshape(tuple(shape))


def normal(name: str, shape, scale: float = 1.0) -> torch.Tensor:
    """float32 tensor with nearly normal values. Each is the sum of twelve uniform values, so that only sums are rounded."""
    count = int(np.prod(shape, dtype=np.int64))
    total = sum(named_values(f"{name}/{k}", count) for k in range(12))
    return torch.from_numpy((total * (scale / 2.0)).astype(np.float32)).reshape(tuple(shape))

# SPDX-License-Identifier: Apache-2.0
"""Goldens for resizing: Pillow's Lanczos and bicubic filters on bytes, PyTorch's bicubic filter without antialias on floats."""

import numpy as np
import torch
from PIL import Image

from .files import Fixtures, write_json, write_safetensors
from .values import named_values

SOURCES = {"photo": (61, 47), "strip": (90, 11), "tall": (13, 40)}  # width, height
PILLOW = {
    "photo": [(61, 47), (32, 32), (80, 48), (47, 61), (16, 16), (1, 1), (61, 20)],
    "strip": [(48, 32), (16, 48), (90, 5), (7, 3)],
    "tall": [(64, 64), (5, 80), (13, 17)],
}
TORCH = {"photo": [(224, 224), (32, 48), (96, 16)], "strip": [(224, 224), (16, 16)], "tall": [(224, 224), (30, 7)]}


def source(name: str) -> np.ndarray:
    """[height, width, 3] bytes: smooth shapes, hard edges, and noise that reaches 0 and 255."""
    width, height = SOURCES[name]
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    image = np.stack(
        [255 * x / max(width - 1, 1), 255 * y / max(height - 1, 1), 127 + 127 * np.sin(x / 3.0) * np.cos(y / 4.0)],
        axis=-1,
    )
    image[(x // 6 + y // 6) % 5 == 0] = (250, 3, 128)
    noise = named_values(f"resize/{name}", height * width * 3).reshape(height, width, 3)
    return np.clip(np.round(image + 60 * noise), 0, 255).astype(np.uint8)


def pillow(image: np.ndarray, size: tuple, how) -> np.ndarray:
    return np.asarray(Image.fromarray(image, "RGB").resize(size, how))


def torch_bicubic(image: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """[3, h, w] float -> [3, height, width]: a = -0.75, half-pixel centres, no antialias, overshoot kept."""
    return torch.nn.functional.interpolate(image[None], size=(height, width), mode="bicubic", align_corners=False)[0]


def make(fixtures: Fixtures):
    folder, out = fixtures.root / "resize", {}
    for name in SOURCES:
        image = source(name)
        out[f"{name}/source"] = torch.from_numpy(image)
        for width, height in PILLOW[name]:
            out[f"{name}/lanczos/{width}x{height}"] = torch.from_numpy(
                pillow(image, (width, height), Image.LANCZOS).copy()
            )
            out[f"{name}/bicubic/{width}x{height}"] = torch.from_numpy(
                pillow(image, (width, height), Image.BICUBIC).copy()
            )
    write_safetensors(folder / "pillow.safetensors", out)
    out = {}
    for name in SOURCES:
        value = torch.from_numpy(source(name)).permute(2, 0, 1).float() / 255 * 2 - 1
        out[f"{name}/source"] = value
        for width, height in TORCH[name]:
            result = torch_bicubic(value.double(), height, width).float()
            if width * height > 10000:  # of a large image two rows are enough
                out[f"{name}/bicubic/{width}x{height}/rows"] = result[:, [0, 112]].contiguous()
            else:
                out[f"{name}/bicubic/{width}x{height}"] = result
    line = torch.tensor([0.0, 1, 4, 9, 16, 25, 36, 49]).expand(3, 8, 8).contiguous()
    for width, want in ((4, [0.21875, 6.125, 20.125, 43.53125]), (3, [0.5960648, 12.125, 38.8206])):
        got = torch_bicubic(line.double(), 8, width)[0, 0]
        assert (got - torch.tensor(want)).abs().max() < 1e-4, got  # spec clip.md 2.1
    write_safetensors(folder / "torch.safetensors", out)
    write_json(
        folder / "note.json",
        {
            "pillow.safetensors": "NAME/source [h,w,3] u8; NAME/{lanczos,bicubic}/WxH [H,W,3] u8: Pillow's, exact",
            "torch.safetensors": "NAME/source [3,h,w] f32 in -1..1; NAME/bicubic/WxH [3,H,W] f32: torch, bicubic, "
            "align_corners false, antialias false, computed in f64; WxH/rows: rows 0 and 112 only",
        },
    )
    fixtures.log("  resize: pillow and torch goldens")

# SPDX-License-Identifier: Apache-2.0
"""The CLIP vision tower of spec clip.md, in float64."""

import torch
import torch.nn.functional as F

MEAN = (0.48145466, 0.4578275, 0.40821073)
STD = (0.26862954, 0.26130258, 0.27577711)


def shapes(width: int, mlp: int, layers: int, patch: int = 14, image: int = 224, head: int = 8) -> dict:
    """The original tensor names with their shapes (section 3)."""
    tokens = (image // patch) ** 2 + 1
    s = {
        "visual.patch_embedding.weight": (width, 3, patch, patch),
        "visual.cls_embedding": (1, 1, width),
        "visual.pos_embedding": (1, tokens, width),
        "visual.head": (width, head),
    }
    for name in ("visual.pre_norm", "visual.post_norm"):
        s[name + ".weight"] = s[name + ".bias"] = (width,)
    for i in range(layers):
        p = f"visual.transformer.{i}."
        for norm in ("norm1", "norm2"):
            s[f"{p}{norm}.weight"] = s[f"{p}{norm}.bias"] = (width,)
        for part, (rows, columns) in {
            "attn.to_qkv": (3 * width, width),
            "attn.proj": (width, width),
            "mlp.0": (mlp, width),
            "mlp.2": (width, mlp),
        }.items():
            s[f"{p}{part}.weight"], s[f"{p}{part}.bias"] = (rows, columns), (rows,)
    return s


def encode(weights: dict, heads: int, image: torch.Tensor) -> torch.Tensor:
    """image [3,S,S], normalised -> [1 + patches, width] float64, after all blocks but the last."""
    w = {k: v.to(torch.float64) for k, v in weights.items()}
    patch = w["visual.patch_embedding.weight"]
    width = patch.shape[0]
    x = F.conv2d(image.double()[None], patch, stride=patch.shape[-1])[0].flatten(1).transpose(0, 1)
    x = torch.cat([w["visual.cls_embedding"].reshape(1, width), x]) + w["visual.pos_embedding"].reshape(-1, width)

    def norm(name, x):
        return F.layer_norm(x, (width,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    def linear(name, x):
        return F.linear(x, w[name + ".weight"], w[name + ".bias"])

    x = norm("visual.pre_norm", x)
    for i in range(len({k.split(".")[2] for k in w if k.startswith("visual.transformer.")}) - 1):
        p = f"visual.transformer.{i}."
        q, k, v = linear(p + "attn.to_qkv", norm(p + "norm1", x)).reshape(len(x), 3, heads, -1).permute(1, 2, 0, 3)
        a = torch.softmax(q @ k.transpose(1, 2) / (width // heads) ** 0.5, -1) @ v
        x = x + linear(p + "attn.proj", a.transpose(0, 1).flatten(1))
        x = x + linear(p + "mlp.2", F.gelu(linear(p + "mlp.0", norm(p + "norm2", x))))
    return x


def preprocess(image: torch.Tensor) -> torch.Tensor:
    """[3,h,w] in -1..1 -> [3,224,224] normalised: bicubic without antialias, aspect ratio not kept (section 2.1)."""
    x = F.interpolate(image[None], size=(224, 224), mode="bicubic", align_corners=False)[0] * 0.5 + 0.5
    column = (3, 1, 1)
    return (x - torch.tensor(MEAN, dtype=x.dtype).reshape(column)) / torch.tensor(STD, dtype=x.dtype).reshape(column)


def preprocess_diffusers(image) -> torch.Tensor:
    """A PIL image -> [3,224,224] as by CLIPImageProcessor: resizes the shortest edge with Pillow's bicubic filter, crops the middle (section 2.2)."""
    from transformers import CLIPImageProcessor

    return torch.from_numpy(CLIPImageProcessor()(image, return_tensors="np")["pixel_values"][0])

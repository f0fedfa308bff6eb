# SPDX-License-Identifier: Apache-2.0
"""The UMT5 encoder of spec umt5.md over the real tokens, in float64."""

import math

import torch
import torch.nn.functional as F


def shapes(vocabulary: int, width: int, attention: int, ffn: int, heads: int, layers: int) -> dict:
    """Original tensor names with their shapes (section 2)."""
    s = {"token_embedding.weight": (vocabulary, width), "norm.weight": (width,)}
    for i in range(layers):
        p = f"blocks.{i}."
        s[p + "norm1.weight"] = s[p + "norm2.weight"] = (width,)
        for part in "qkv":
            s[f"{p}attn.{part}.weight"] = (attention, width)
        s[p + "attn.o.weight"] = (width, attention)
        s[p + "pos_embedding.embedding.weight"] = (32, heads)
        s[p + "ffn.gate.0.weight"] = s[p + "ffn.fc1.weight"] = (ffn, width)
        s[p + "ffn.fc2.weight"] = (width, ffn)
    return s


def bucket(relative: int, max_distance: int = 128) -> int:
    """The bucket, one of 32 (section 1). The logarithms are in float32, as in transformers: this decides if a bucket ends on a whole number."""
    n = abs(relative)
    if n >= 8:
        n = min(15, 8 + int(torch.log(torch.tensor(n / 8)) / math.log(max_distance / 8) * 8))
    return n + (16 if relative > 0 else 0)


def _norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def encode(weights: dict, tokens: torch.Tensor, max_distance: int = 128, eps: float = 1e-6) -> torch.Tensor:
    """tokens int64 [n] without padding -> [n, width] float64."""
    w = {k: v.to(torch.float64) for k, v in weights.items()}
    count = len(tokens)
    line = torch.tensor([bucket(n, max_distance) for n in range(1 - count, count)])
    table = torch.stack([line[count - 1 - i : 2 * count - 1 - i] for i in range(count)])
    heads = w["blocks.0.pos_embedding.embedding.weight"].shape[1]
    x = w["token_embedding.weight"][tokens]
    for i in range(len({k.split(".")[1] for k in w if k.startswith("blocks.")})):
        p = f"blocks.{i}."
        n = _norm(x, w[p + "norm1.weight"], eps)
        q, k, v = (F.linear(n, w[f"{p}attn.{c}.weight"]).reshape(count, heads, -1).transpose(0, 1) for c in "qkv")
        bias = w[p + "pos_embedding.embedding.weight"][table].permute(2, 0, 1)
        a = torch.softmax(q @ k.transpose(1, 2) + bias, -1) @ v
        x = x + F.linear(a.transpose(0, 1).flatten(1), w[p + "attn.o.weight"])
        n = _norm(x, w[p + "norm2.weight"], eps)
        gate = F.gelu(F.linear(n, w[p + "ffn.gate.0.weight"]), approximate="tanh")
        x = x + F.linear(F.linear(n, w[p + "ffn.fc1.weight"]) * gate, w[p + "ffn.fc2.weight"])
    return _norm(x, w["norm.weight"], eps)


def padded(weights: dict, tokens: torch.Tensor, text_len: int, **config) -> torch.Tensor:
    """-> [text_len, width], with zeros in the rows from len(tokens) on"""
    text = encode(weights, tokens, **config)
    return F.pad(text, (0, 0, 0, text_len - len(tokens)))

# SPDX-License-Identifier: Apache-2.0
"""The diffusion-forcing transformer and the text encoder with the names of the original layout (SkyReels-V2, UMT5), made for training.

Dimension letters: B batch, T H W latent grid, L tokens, D width, N heads. Parameters are kept in f32; `forward` follows autocast."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Sizes:
    dim: int = 192
    heads: int = 3
    ffn: int = 768
    layers: int = 6
    freq_dim: int = 256
    text_dim: int = 128
    text_heads: int = 4
    text_ffn: int = 320
    text_layers: int = 2
    text_len: int = 64
    z: int = 16


class RmsNorm(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return F.rms_norm(x.float(), x.shape[-1:], self.weight, 1e-6).to(x.dtype)


def _linear(inner: int, outer: int, std: float | None = None, bias: bool = True) -> nn.Linear:
    layer = nn.Linear(inner, outer, bias=bias)
    nn.init.normal_(layer.weight, std=inner**-0.5 if std is None else std) if std != 0 else nn.init.zeros_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def rope(frames: int, rows: int, columns: int, head_dim: int, device=None):
    """-> cos, sin [L, head_dim/2]: a third of the pairs each for height and width, the rest for time (`rope_apply` in wan/modules/model.py of Wan 2.1)"""
    pairs = head_dim // 2
    side = pairs // 3

    def axis(count, n):
        at, pair = (torch.arange(k, dtype=torch.float64, device=device) for k in (count, n))
        return at[:, None] * 10000.0 ** (-pair / n)

    grid = (frames, rows, columns, -1)
    t, h, w = axis(frames, pairs - 2 * side), axis(rows, side), axis(columns, side)
    angle = torch.cat([t[:, None, None].expand(grid), h[None, :, None].expand(grid), w[None, None].expand(grid)], -1)
    angle = angle.reshape(frames * rows * columns, pairs)
    return angle.cos().float(), angle.sin().float()


def rotate(x, cos, sin):
    """Turns x [B,N,L,head_dim], whose pairs are interleaved."""
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2).to(x.dtype)


def attend(q, k, v, bias, scale: float):
    """softmax(q k^T scale + bias) v. On a processor PyTorch's fused attention is three times slower than plain products at these sizes."""
    if q.is_cuda:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=scale)
    score = (q * scale) @ k.transpose(-1, -2)
    return (score if bias is None else score + bias).softmax(-1).to(v.dtype) @ v


class Attention(nn.Module):
    """Attention of x [B,L,D] to context [B,n,D] -> [B,L,D]. `table`: rotary table for both; `bias` [B,1,1,n] is added to the scores."""

    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = (_linear(dim, dim) for _ in range(3))
        self.o = _linear(dim, dim, 0)
        self.norm_q, self.norm_k = RmsNorm(dim), RmsNorm(dim)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, context, table=None, bias=None):
        q, k, v = self.split(self.norm_q(self.q(x))), self.split(self.norm_k(self.k(context))), self.split(self.v(context))
        if table is not None:
            q, k = rotate(q, *table), rotate(k, *table)
        y = attend(q, k, v, None if bias is None else bias.to(q.dtype), q.shape[-1] ** -0.5)
        return self.o(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        self.modulation = nn.Parameter(torch.zeros(1, 6, s.dim))
        self.modulation.data[:, (2, 5)] = 1.0  # gates open; the branches themselves begin at zero
        self.self_attn, self.cross_attn = Attention(s.dim, s.heads), Attention(s.dim, s.heads)
        self.norm3 = nn.LayerNorm(s.dim, eps=1e-6)
        self.ffn = nn.Sequential(_linear(s.dim, s.ffn), nn.GELU("tanh"), _linear(s.ffn, s.dim, 0))

    def forward(self, x, e0, context, bias, table):
        """x [B,T,S,D], e0 [B,T,6,D], context [B,n,D], bias [B,1,1,n]"""
        m = (self.modulation + e0).unsqueeze(-2).unbind(2)  # six [B,T,1,D]
        shape = x.shape
        a = F.layer_norm(x, shape[-1:], eps=1e-6) * (1 + m[1]) + m[0]
        a = a.flatten(1, 2)
        x = x + self.self_attn(a, a, table).reshape(shape) * m[2]
        b = self.norm3(x).flatten(1, 2)
        x = x + self.cross_attn(b, context, None, bias).reshape(shape)
        d = F.layer_norm(x, shape[-1:], eps=1e-6) * (1 + m[4]) + m[3]
        return x + self.ffn(d) * m[5]


class Head(nn.Module):
    def __init__(self, dim: int, out: int):
        super().__init__()
        self.modulation = nn.Parameter(torch.zeros(1, 2, dim))
        self.head = _linear(dim, out, 0)


class Transformer(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        self.sizes = s
        self.patch_embedding = nn.Conv3d(s.z, s.dim, (1, 2, 2), (1, 2, 2))
        nn.init.normal_(self.patch_embedding.weight, std=(4 * s.z) ** -0.5)
        nn.init.zeros_(self.patch_embedding.bias)
        self.text_embedding = nn.Sequential(_linear(s.text_dim, s.dim), nn.GELU("tanh"), _linear(s.dim, s.dim))
        self.time_embedding = nn.Sequential(_linear(s.freq_dim, s.dim), nn.SiLU(), _linear(s.dim, s.dim))
        self.time_projection = nn.Sequential(nn.SiLU(), _linear(s.dim, 6 * s.dim, 0.2 * s.dim**-0.5))
        self.blocks = nn.ModuleList(Block(s) for _ in range(s.layers))
        self.head = Head(s.dim, 4 * s.z)

    def forward(self, x, t, text, lengths, tap: int | None = None):
        """x [B,z,T,H,W]; t [B,T] in 0...1000; text [B,n,text_dim] with zeros in the rows past `lengths` [B] -> velocity like x; with `tap` also
        the features [B,T,S,D] after so many blocks.

        The rows between a prompt's length and text_len are all alike, so they are one key whose score is raised by the logarithm of their
        number, which gives the same result."""
        s = self.sizes
        batch, _, frames, height, width = x.shape
        h, w = height // 2, width // 2
        patches = x.reshape(batch, s.z, frames, h, 2, w, 2).permute(0, 2, 3, 5, 1, 4, 6).reshape(batch, frames, h * w, 4 * s.z)
        x = F.linear(patches, self.patch_embedding.weight.flatten(1), self.patch_embedding.bias)

        half = s.freq_dim // 2
        angle = t.float()[..., None] * (10000.0 ** (-torch.arange(half, device=x.device) / half))
        with torch.autocast(x.device.type, enabled=False):
            e = self.time_embedding(torch.cat([angle.cos(), angle.sin()], -1))
            e0 = self.time_projection(e).unflatten(-1, (6, s.dim))

        n = text.shape[1]
        text = torch.cat([text, text.new_zeros(batch, 1, s.text_dim)], 1)
        context = self.text_embedding(text)
        at = torch.arange(n + 1, device=x.device)
        bias = torch.where(at < lengths[:, None], 0.0, -1e9)
        bias[:, n] = torch.log((s.text_len - lengths).float().clamp(min=1e-9))
        table = rope(frames, h, w, s.dim // s.heads, x.device)
        features = None
        for i, block in enumerate(self.blocks):
            x = block(x, e0, context, bias[:, None, None], table)
            if i + 1 == tap:
                features = x

        m = (self.head.modulation + e[..., None, :]).unsqueeze(-2)  # [B,T,2,1,D]
        x = F.layer_norm(x.float(), x.shape[-1:], eps=1e-6) * (1 + m[:, :, 1]) + m[:, :, 0]
        with torch.autocast(x.device.type, enabled=False):
            x = self.head.head(x)
        x = x.reshape(batch, frames, h, w, 2, 2, s.z).permute(0, 6, 1, 2, 4, 3, 5).reshape(batch, s.z, frames, height, width)
        return x if tap is None else (x, features)


def bucket(relative: torch.Tensor) -> torch.Tensor:
    """UMT5's 32 buckets of relative positions, the farthest at 128."""
    n = relative.abs()
    far = (8 + (torch.log(n.clamp(min=1).float() / 8) / math.log(16) * 8).floor().long()).clamp(max=15)
    return torch.where(n < 8, n, far) + 16 * (relative > 0)


class TextAttention(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        self.heads = s.text_heads
        # This network does not divide by the root of the head size, so the queries begin small instead.
        self.q = _linear(s.text_dim, s.text_dim, (s.text_dim * s.text_dim / s.text_heads) ** -0.5, False)
        self.k, self.v = (_linear(s.text_dim, s.text_dim, bias=False) for _ in range(2))
        self.o = _linear(s.text_dim, s.text_dim, 0.3 * s.text_dim**-0.5, False)

    def forward(self, x, bias):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = attend(q, k, v, bias.to(q.dtype), 1.0)
        return self.o(y.transpose(1, 2).flatten(2))


class GatedFfn(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        self.gate = nn.Sequential(_linear(s.text_dim, s.text_ffn, bias=False), nn.GELU("tanh"))
        self.fc1 = _linear(s.text_dim, s.text_ffn, bias=False)
        self.fc2 = _linear(s.text_ffn, s.text_dim, 0.3 * s.text_ffn**-0.5, False)

    def forward(self, x):
        return self.fc2(self.fc1(x) * self.gate(x))


class TextBlock(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        self.norm1, self.norm2 = RmsNorm(s.text_dim), RmsNorm(s.text_dim)
        self.attn, self.ffn = TextAttention(s), GatedFfn(s)
        self.pos_embedding = nn.Module()
        self.pos_embedding.embedding = nn.Embedding(32, s.text_heads)
        nn.init.zeros_(self.pos_embedding.embedding.weight)
        # One head looks at the word before, one at the word after, two at the words around. From zero it would take these scores hours
        # to grow, by a learning rate in each step, and until then every colour might belong to any object.
        with torch.no_grad():
            for head, near, score in ((0, [-1], 5.0), (1, [1], 5.0), (2, [-3, -2, -1], 3.0), (3, [1, 2, 3], 3.0)):
                if head < s.text_heads:
                    self.pos_embedding.embedding.weight[bucket(torch.tensor(near)), head] = score

    def forward(self, x, buckets, mask):
        bias = self.pos_embedding.embedding(buckets).permute(2, 0, 1)[None] + mask
        x = x + self.attn(self.norm1(x), bias)
        return x + self.ffn(self.norm2(x))


class TextEncoder(nn.Module):
    def __init__(self, s: Sizes, vocabulary: int):
        super().__init__()
        self.token_embedding = nn.Embedding(vocabulary, s.text_dim)
        self.blocks = nn.ModuleList(TextBlock(s) for _ in range(s.text_layers))
        self.norm = RmsNorm(s.text_dim)

    def forward(self, tokens, lengths):
        """tokens int64 [B,n] padded with 0, lengths [B] -> [B,n,text_dim], with zeros in the rows past the length"""
        at = torch.arange(tokens.shape[1], device=tokens.device)
        real = at < lengths[:, None]
        mask = torch.where(real, 0.0, -1e9)[:, None, None]
        buckets = bucket(at[None] - at[:, None])
        x = self.token_embedding(tokens)
        for block in self.blocks:
            x = block(x, buckets, mask)
        return self.norm(x) * real[..., None]

# SPDX-License-Identifier: Apache-2.0
"""The video transformer of spec dit.md, written to be read: float64 throughout, with roundings where a policy says so."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F


@dataclass
class Config:
    dim: int
    heads: int
    ffn: int
    layers: int
    in_channels: int = 16
    out_channels: int = 16
    freq_dim: int = 64
    text_dim: int = 32
    text_len: int = 512
    clip_dim: int = 0  # 0: no CLIP branch
    clip_positions: int = 0  # 514: first-last-frame table
    fps: bool = False


def shapes(c: Config) -> dict:
    """Original tensor names with their shapes (dit.md section 3)."""
    d, s = c.dim, {}

    def linear(name, rows, cols):
        s[f"{name}.weight"], s[f"{name}.bias"] = (rows, cols), (rows,)

    s["patch_embedding.weight"], s["patch_embedding.bias"] = (d, c.in_channels, 1, 2, 2), (d,)
    linear("text_embedding.0", d, c.text_dim)
    linear("text_embedding.2", d, d)
    linear("time_embedding.0", d, c.freq_dim)
    linear("time_embedding.2", d, d)
    linear("time_projection.1", 6 * d, d)
    if c.fps:
        s["fps_embedding.weight"] = (2, d)
        linear("fps_projection.0", d, d)
        linear("fps_projection.2", 6 * d, d)
    if c.clip_dim:
        for i, (rows, cols) in {"1": (c.clip_dim, c.clip_dim), "3": (d, c.clip_dim)}.items():
            linear(f"img_emb.proj.{i}", rows, cols)
        for i, n in {"0": c.clip_dim, "4": d}.items():
            s[f"img_emb.proj.{i}.weight"], s[f"img_emb.proj.{i}.bias"] = (n,), (n,)
    if c.clip_positions:
        s["img_emb.emb_pos"] = (1, c.clip_positions, c.clip_dim)
    for i in range(c.layers):
        b = f"blocks.{i}."
        s[b + "modulation"] = (1, 6, d)
        for attn in ("self_attn", "cross_attn"):
            for part in "qkvo":
                linear(f"{b}{attn}.{part}", d, d)
            s[f"{b}{attn}.norm_q.weight"] = s[f"{b}{attn}.norm_k.weight"] = (d,)
        if c.clip_dim:
            linear(b + "cross_attn.k_img", d, d)
            linear(b + "cross_attn.v_img", d, d)
            s[b + "cross_attn.norm_k_img.weight"] = (d,)
        s[b + "norm3.weight"], s[b + "norm3.bias"] = (d,), (d,)
        linear(b + "ffn.0", c.ffn, d)
        linear(b + "ffn.2", d, c.ffn)
    s["head.modulation"] = (1, 2, d)
    linear("head.head", 4 * c.out_channels, d)
    return s


def bf16(x):
    return x.to(torch.float32).to(torch.bfloat16).to(torch.float64)


def same(x):
    return x


class Policy:
    """The points of casts in dit.md section 7. Each attribute rounds one kind of value; by default nothing is rounded (f32)."""

    name = "f32"
    stored = staticmethod(same)  # every parameter, as it is kept
    weight = staticmethod(same)  # parameters of a "bf16 matmul"
    operand = staticmethod(same)  # inputs and outputs of a "bf16 matmul", GELU inside, attention operands
    sinusoid = staticmethod(same)
    rms = staticmethod(same)  # normalised q, k before their weight
    image_sum = staticmethod(same)  # text attention + image attention
    norm1_of_first = staticmethod(same)  # block 0's norm1 output
    norm3_input_text = staticmethod(same)  # without a CLIP branch
    block_output = staticmethod(same)


class SkyReels(Policy):
    name = "skyreels"
    stored = weight = operand = sinusoid = image_sum = norm3_input_text = block_output = staticmethod(bf16)


class Wan(Policy):
    name = "wan"
    weight = operand = rms = norm1_of_first = staticmethod(bf16)


POLICIES = {"f32": Policy, "skyreels": SkyReels, "wan": Wan}


def _layer_norm(x, weight=None, bias=None, eps=1e-6):
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)


def rotary_table(head_dim: int, frames: int, rows: int, columns: int) -> torch.Tensor:
    """Complex factors [tokens, head_dim / 2] (dit.md section 6)."""
    pairs = head_dim // 2
    side = pairs // 3

    def axis(count, n_pairs):
        omega = 10000.0 ** (-2.0 * torch.arange(n_pairs, dtype=torch.float64) / (2 * n_pairs))
        angle = torch.arange(count, dtype=torch.float64)[:, None] * omega
        return torch.polar(torch.ones_like(angle), angle)

    t, h, w = axis(frames, pairs - 2 * side), axis(rows, side), axis(columns, side)
    grid = (frames, rows, columns, -1)
    return torch.cat(
        [t[:, None, None].expand(grid), h[None, :, None].expand(grid), w[None, None].expand(grid)], dim=-1
    ).reshape(frames * rows * columns, pairs)


class Transformer:
    """`forward` takes one sample, without a batch axis. `weights` have their original names."""

    def __init__(self, weights: dict, heads: int, text_len: int = 512, precision: str = "f32"):
        self.policy = POLICIES[precision]
        self.w = {k: self.policy.stored(v.to(torch.float64)) for k, v in weights.items()}
        self.dim = self.w["head.modulation"].shape[-1]
        self.heads, self.text_len = heads, text_len
        self.layers = len({k.split(".")[1] for k in weights if k.startswith("blocks.")})

    def linear(self, name, x):
        """A matrix product in the policy's arithmetic."""
        p = self.policy
        return p.operand(F.linear(p.operand(x), p.weight(self.w[name + ".weight"]), p.weight(self.w[name + ".bias"])))

    def linear_f32(self, name, x):
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def rms_norm(self, name, x):
        return self.policy.rms(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)) * self.w[name + ".weight"]

    def attention(self, q, k, v, mask=None):
        """q, k, v [tokens, dim] each. The operands are rounded by the policy, the softmax is not."""
        p, n = self.policy, self.heads
        q, k, v = (p.operand(t).reshape(t.shape[0], n, -1).transpose(0, 1) for t in (q, k, v))
        score = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        if mask is not None:
            score = score.masked_fill(~mask, -math.inf)
        return p.operand((score.softmax(-1) @ v).transpose(0, 1).flatten(1))

    def rotate(self, x, table):
        pairs = torch.view_as_complex(x.reshape(x.shape[0], self.heads, -1, 2))
        return torch.view_as_real(pairs * table[:, None]).reshape(x.shape)

    def time_features(self, timestep, fps):
        """-> e [n, D], e0 [n, 6, D] for n timestep values"""
        half = self.w["time_embedding.0.weight"].shape[1] // 2
        freq = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
        angle = timestep.reshape(-1, 1).double() * freq
        e = self.linear_f32("time_embedding.0", self.policy.sinusoid(torch.cat([angle.cos(), angle.sin()], -1)))
        e = self.linear_f32("time_embedding.2", F.silu(e))
        e0 = self.linear_f32("time_projection.1", F.silu(e))
        if "fps_embedding.weight" in self.w:
            g = self.w["fps_embedding.weight"][int(fps)]
            g = self.linear_f32("fps_projection.2", F.silu(self.linear_f32("fps_projection.0", g)))
            e0 = e0 + g
        return e, e0.reshape(-1, 6, self.dim)

    def context(self, text, clip):
        p = self.policy
        padded = torch.zeros(self.text_len, text.shape[1], dtype=torch.float64)
        padded[: len(text)] = text
        text = self.linear(
            "text_embedding.2", p.operand(F.gelu(self.linear("text_embedding.0", padded), approximate="tanh"))
        )
        if clip is None:
            return text, None
        if "img_emb.emb_pos" in self.w:
            clip = clip + self.w["img_emb.emb_pos"][0]
        w = self.w
        image = _layer_norm(clip, w["img_emb.proj.0.weight"], w["img_emb.proj.0.bias"], 1e-5)
        image = self.linear("img_emb.proj.3", p.operand(F.gelu(self.linear("img_emb.proj.1", image))))
        return text, _layer_norm(image, w["img_emb.proj.4.weight"], w["img_emb.proj.4.bias"], 1e-5)

    def block(self, i, x, e0, text, image, table, mask):
        p, b, w = self.policy, f"blocks.{i}.", self.w
        m = (w[b + "modulation"] + e0).unbind(1)  # six [tokens, D]: shift, scale, gate; shift, scale, gate
        norm = _layer_norm(x)
        a = (p.norm1_of_first(norm) if i == 0 else norm) * (1 + m[1]) + m[0]
        s = b + "self_attn."
        q = self.rotate(self.rms_norm(s + "norm_q", self.linear(s + "q", a)), table)
        k = self.rotate(self.rms_norm(s + "norm_k", self.linear(s + "k", a)), table)
        x = x + self.linear(s + "o", self.attention(q, k, self.linear(s + "v", a), mask)) * m[2]
        s = b + "cross_attn."
        a = _layer_norm(x if image is not None else p.norm3_input_text(x), w[b + "norm3.weight"], w[b + "norm3.bias"])
        q = self.rms_norm(s + "norm_q", self.linear(s + "q", a))
        o = self.attention(q, self.rms_norm(s + "norm_k", self.linear(s + "k", text)), self.linear(s + "v", text))
        if image is not None:
            k = self.rms_norm(s + "norm_k_img", self.linear(s + "k_img", image))
            o = p.image_sum(o + self.attention(q, k, self.linear(s + "v_img", image)))
        x = x + self.linear(s + "o", o)
        d = _layer_norm(x) * (1 + m[4]) + m[3]
        y = self.linear(b + "ffn.2", p.operand(F.gelu(self.linear(b + "ffn.0", d), approximate="tanh")))
        return p.block_output(x + y * m[5])

    def forward(self, latent, timestep, text, clip=None, condition=None, fps=1, causal_block=0, cache=None):
        """latent [C,T,H,W]; timestep [], [T] or [T*h*w]; text [n,text_dim]; returns velocity [Cout,T,H,W], float64. `cache`: TeaCache."""
        x = latent.double() if condition is None else torch.cat([latent, condition]).double()
        channels, frames, height, width = x.shape
        rows, columns = height // 2, width // 2
        tokens = x.reshape(channels, frames, rows, 2, columns, 2).permute(1, 2, 4, 0, 3, 5).reshape(-1, channels * 4)
        p, w = self.policy, self.w
        x = p.operand(
            F.linear(
                p.operand(tokens),
                p.weight(w["patch_embedding.weight"]).reshape(self.dim, -1),
                p.weight(w["patch_embedding.bias"]),
            )
        )
        e, e0 = self.time_features(timestep, fps)
        if e.shape[0] == frames and frames > 1:
            e, e0 = (t.repeat_interleave(rows * columns, 0) for t in (e, e0))
        embedded = x
        if cache is not None and cache.skips(e, e0):
            return self.projected(p.operand(x + cache.residual), e, frames, height, width)
        text, image = self.context(text.double(), None if clip is None else clip.double())
        table = rotary_table(self.dim // self.heads, frames, rows, columns)
        mask = None
        if causal_block:
            block = torch.arange(frames).repeat_interleave(rows * columns) // causal_block
            mask = block[None, :] <= block[:, None]
        for i in range(self.layers):
            x = self.block(i, x, e0, text, image, table, mask)
        if cache is not None:
            cache.residual = p.block_output(x - embedded)
        return self.projected(x, e, frames, height, width)

    def projected(self, x, e, frames, height, width):
        rows, columns, w = height // 2, width // 2, self.w
        shift, scale = (w["head.modulation"] + e[:, None]).unbind(1)
        out = self.linear_f32("head.head", _layer_norm(x) * (1 + scale) + shift)
        out = out.reshape(frames, rows, columns, 2, 2, -1).permute(5, 0, 1, 3, 2, 4)
        return out.reshape(-1, frames, height, width)

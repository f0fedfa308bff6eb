# SPDX-License-Identifier: Apache-2.0
"""The Wan transformer and the video VAE in plain PyTorch, written to be fast: bf16, fused attention, channels last. Weights have their original
names. bench/gpu measures Denoir against these."""
import torch
import torch.nn.functional as F
from torch import nn


def rotary(head_dim, frames, rows, columns, device):
    """-> cosines and sines, [1, tokens, 1, head_dim / 2] each"""
    pairs = head_dim // 2
    side = pairs // 3

    def axis(count, n):
        omega = 10000.0 ** (-torch.arange(n, dtype=torch.float64) / n)
        return torch.arange(count, dtype=torch.float64)[:, None] * omega

    t, h, w = axis(frames, pairs - 2 * side), axis(rows, side), axis(columns, side)
    grid = (frames, rows, columns, -1)
    angle = torch.cat([t[:, None, None].expand(grid), h[None, :, None].expand(grid), w[None, None].expand(grid)], -1)
    angle = angle.reshape(1, -1, 1, pairs)
    return angle.cos().float().to(device), angle.sin().float().to(device)


def rotate(x, cos, sin):
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2).to(x.dtype)


class Block(nn.Module):
    def __init__(self, dim, ffn, heads, image):
        super().__init__()
        self.heads, self.image = heads, image
        self.modulation = nn.Parameter(torch.zeros(1, 6, dim))
        for attention in ("self_attn", "cross_attn"):
            part = nn.Module()
            for name in ("q", "k", "v", "o") + (("k_img", "v_img") if image and attention == "cross_attn" else ()):
                setattr(part, name, nn.Linear(dim, dim))
            for name in ("norm_q", "norm_k") + (("norm_k_img",) if image and attention == "cross_attn" else ()):
                setattr(part, name, nn.RMSNorm(dim, eps=1e-6))
            setattr(self, attention, part)
        self.norm3 = nn.LayerNorm(dim, eps=1e-6)
        self.ffn = nn.Sequential(nn.Linear(dim, ffn), nn.GELU(approximate="tanh"), nn.Linear(ffn, dim))

    def attend(self, q, k, v):
        """[1, L, H, D] each -> [1, L, H·D]"""
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1))

    def forward(self, x, e0, text, clip, cos, sin):
        m = (self.modulation + e0).unbind(1)
        norm = lambda t: F.layer_norm(t, t.shape[-1:], eps=1e-6)
        s = self.self_attn
        y = (norm(x).float() * (1 + m[1]) + m[0]).to(torch.bfloat16)
        q, k = rotate(self.split(s.norm_q(s.q(y))), cos, sin), rotate(self.split(s.norm_k(s.k(y))), cos, sin)
        x = x + (s.o(self.attend(q, k, self.split(s.v(y)))) * m[2]).to(x.dtype)
        c = self.cross_attn
        q = self.split(c.norm_q(c.q(self.norm3(x))))
        o = self.attend(q, self.split(c.norm_k(c.k(text))), self.split(c.v(text)))
        if self.image:
            o = o + self.attend(q, self.split(c.norm_k_img(c.k_img(clip))), self.split(c.v_img(clip)))
        x = x + c.o(o)
        y = (norm(x).float() * (1 + m[4]) + m[3]).to(torch.bfloat16)
        return x + (self.ffn(y) * m[5]).to(x.dtype)


class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        c = self.c = config
        self.patch = nn.Linear(c.in_channels * 4, c.dim)
        self.text_embedding = nn.Sequential(nn.Linear(c.text_dim, c.dim), nn.GELU(approximate="tanh"), nn.Linear(c.dim, c.dim))
        self.time_embedding = nn.Sequential(nn.Linear(c.freq_dim, c.dim), nn.SiLU(), nn.Linear(c.dim, c.dim))
        self.time_projection = nn.Sequential(nn.SiLU(), nn.Linear(c.dim, 6 * c.dim))
        if c.clip_dim:
            self.img_emb = nn.Module()
            self.img_emb.proj = nn.Sequential(nn.LayerNorm(c.clip_dim, eps=1e-5), nn.Linear(c.clip_dim, c.clip_dim), nn.GELU(),
                                              nn.Linear(c.clip_dim, c.dim), nn.LayerNorm(c.dim, eps=1e-5))
        self.blocks = nn.ModuleList(Block(c.dim, c.ffn, c.heads, bool(c.clip_dim)) for _ in range(c.layers))
        self.head = nn.Module()
        self.head.modulation = nn.Parameter(torch.zeros(1, 2, c.dim))
        self.head.head = nn.Linear(c.dim, 4 * c.out_channels)
        self.tables = {}

    def load(self, weights):
        own = {"patch." + k.split(".", 1)[1] if k.startswith("patch_embedding") else k: v for k, v in weights.items()}
        own["patch.weight"] = own["patch.weight"].flatten(1)
        self.load_state_dict(own, strict=True, assign=True)
        return self

    def context(self, text, clip):
        text = self.text_embedding(text)
        return text, None if clip is None else self.img_emb.proj(clip)

    def forward(self, latent, timestep, text, clip, cos, sin):
        """latent [C,T,H,W] with its condition; text, clip: as context() returns them."""
        c, (channels, frames, height, width) = self.c, latent.shape
        rows, columns = height // 2, width // 2
        x = latent.reshape(channels, frames, rows, 2, columns, 2).permute(1, 2, 4, 0, 3, 5).reshape(1, -1, channels * 4)
        x = self.patch(x)
        half = c.freq_dim // 2
        freq = 10000.0 ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
        angle = timestep.reshape(1, 1) * freq
        e = self.time_embedding(torch.cat([angle.cos(), angle.sin()], -1).to(x.dtype))
        e0 = self.time_projection(e).float().reshape(1, 6, -1)
        for block in self.blocks:
            x = block(x, e0, text, clip, cos, sin)
        shift, scale = (self.head.modulation + e[:, None]).unbind(1)
        out = self.head.head((F.layer_norm(x, x.shape[-1:], eps=1e-6) * (1 + scale) + shift).to(torch.bfloat16))
        out = out.reshape(frames, rows, columns, 2, 2, -1).permute(5, 0, 1, 3, 2, 4)
        return out.reshape(-1, frames, height, width)


class Decoder:
    """The VAE's decoder and encoder. As in the reference implementations, they work on one latent frame (four frames) at a time, with causal caches."""

    def __init__(self, weights, mean, std, device, dtype=torch.bfloat16):
        self.w = {}
        for name, value in weights.items():
            value = value.to(device, dtype)
            self.w[name] = value.contiguous(memory_format=torch.channels_last_3d) if value.dim() == 5 else value
        self.mean, self.std = (torch.tensor(v, device=device).reshape(-1, 1, 1, 1) for v in (mean, std))
        self.device, self.dtype = device, dtype

    def conv3(self, name, x):
        w = self.w[name + ".weight"]
        side = w.shape[-1] // 2
        if w.shape[2] > 1:
            past = self.past.get(name)
            if past is None:
                past = x.new_zeros((1, x.shape[1], w.shape[2] - 1, *x.shape[3:]))
            whole = torch.cat([past, x], 2)
            self.past[name] = whole[:, :, -(w.shape[2] - 1):]
            x = whole.contiguous(memory_format=torch.channels_last_3d)
        return F.conv3d(x, w, self.w[name + ".bias"], padding=(0, side, side))

    def norm(self, name, x):
        return F.normalize(x, dim=1) * x.shape[1] ** 0.5 * self.w[name + ".gamma"].reshape(1, -1, 1, 1, 1)

    def residual(self, p, x):
        y = self.conv3(p + ".residual.2", F.silu(self.norm(p + ".residual.0", x)))
        y = self.conv3(p + ".residual.6", F.silu(self.norm(p + ".residual.3", y)))
        return y + (self.conv3(p + ".shortcut", x) if p + ".shortcut.weight" in self.w else x)

    def frames2(self, name, x, **options):
        y = F.conv2d(x[0].transpose(0, 1), self.w[name + ".weight"], self.w[name + ".bias"], **options)
        return y.transpose(0, 1)[None]

    def middle(self, p, x):
        x = self.residual(p + ".middle.0", x)
        n, c, t, h, w = x.shape
        qkv = self.frames2(p + ".middle.1.to_qkv", self.norm(p + ".middle.1.norm", x))
        q, k, v = qkv[0].permute(1, 2, 3, 0).reshape(t, 1, h * w, 3, c).unbind(3)
        a = F.scaled_dot_product_attention(q, k, v).reshape(t, h, w, c).permute(3, 0, 1, 2)[None]
        return self.residual(p + ".middle.2", x + self.frames2(p + ".middle.1.proj", a))

    def upsample(self, p, x, first):
        name = p + ".time_conv"
        if name + ".weight" in self.w and not first:
            y = self.conv3(name, x)
            y = y.reshape(1, 2, x.shape[1], y.shape[2], *y.shape[3:])
            x = y.permute(0, 2, 3, 1, 4, 5).flatten(2, 3)
        x = x.repeat_interleave(2, -1).repeat_interleave(2, -2)
        return self.frames2(p + ".resample.1", x, padding=1)

    @torch.inference_mode()
    def decode(self, latent):
        """latent [z,T,h,w] normalised -> list of [3,F,H,W] pieces on the device"""
        self.past, out = {}, []
        z = (latent * self.std + self.mean).to(self.dtype)
        for t in range(z.shape[1]):
            x = self.conv3("conv2", z[None, :, t:t + 1])
            x = self.middle("decoder", self.conv3("decoder.conv1", x))
            for i in range(15):
                p = f"decoder.upsamples.{i}"
                x = self.upsample(p, x, t == 0) if i in (3, 7, 11) else self.residual(p, x)
            out.append(self.conv3("decoder.head.2", F.silu(self.norm("decoder.head.0", x)))[0].clamp(-1, 1))
        return out

    @torch.inference_mode()
    def encode(self, video):
        """video [3,F,H,W] -> list of [2z,1,h,w] pieces"""
        self.past, out = {}, []
        video = video.to(self.dtype)
        for begin in [0, *range(1, video.shape[1], 4)]:
            x = self.conv3("encoder.conv1", video[None, :, begin:1 if begin == 0 else begin + 4])
            for i in range(11):
                p = f"encoder.downsamples.{i}"
                if i not in (2, 5, 8):
                    x = self.residual(p, x)
                    continue
                x = self.frames2(p + ".resample.1", F.pad(x, (0, 1, 0, 1)), stride=2)
                name = p + ".time_conv"
                if name + ".weight" in self.w:
                    before, self.past[name] = self.past.get(name), x[:, :, -1:]
                    if before is not None:
                        x = F.conv3d(torch.cat([before, x], 2), self.w[name + ".weight"], self.w[name + ".bias"], stride=(2, 1, 1))
            x = self.middle("encoder", x)
            out.append(self.conv3("conv1", self.conv3("encoder.head.2", F.silu(self.norm("encoder.head.0", x))))[0])
        return out


def forward_flop(config, tokens, context_rows):
    """Multiplications and additions of one forward of the transformer."""
    d, n = config.dim, tokens
    linears = n * (6 * d * d + 2 * d * config.ffn)
    attention = 2 * n * n * d + 2 * n * context_rows * d
    return 2 * config.layers * (linears + attention)



# SPDX-License-Identifier: Apache-2.0
"""The Wan 2.1 video VAE (original names) with small widths, made for training on processors and accelerators.

Frames are a batch of pictures [B*F,C,H,W]. A causal 3x3x3 convolution is a 2-d one over three frames stacked as channels, which is
several times faster on processors than a 3-d one. All frames of a clip are computed at once (`vae21.md` 4, without caches)."""

import torch
import torch.nn.functional as F
from torch import nn

BASE, MULTIPLIERS, BLOCKS = 16, (1, 2, 4, 4), 1


CHANNELS_LAST = False  # the layout in memory that a GPU's matrix units need; shapes are [B*F,C,H,W] all the same


def laid(x):
    """x in the layout that is wanted in memory."""
    return x.contiguous(memory_format=torch.channels_last) if CHANNELS_LAST else x


def over_time(clip, layer, frames: int, stride: int = 1, zeros: int = 0):
    """Applies `layer` (weight [out,C,3,k,k]) to three consecutive frames of `clip` [B,F,C,H,W], which follow `zeros` frames of zeros. Does this
    `frames` times, `stride` frames farther each time -> [B*frames,out,H,W]. The three frames are stacked as channels."""
    channel = 4 if CHANNELS_LAST else 2
    if CHANNELS_LAST:
        clip = clip.permute(0, 1, 3, 4, 2)
    if zeros:
        clip = torch.cat([clip.new_zeros(clip.shape[0], zeros, *clip.shape[2:]), clip], 1)
    stacked = torch.cat([clip[:, i : i + stride * frames : stride] for i in range(3)], channel).flatten(0, 1)
    if CHANNELS_LAST:
        stacked = stacked.permute(0, 3, 1, 2)
    weight = layer.weight.transpose(1, 2).flatten(1, 2)
    return F.conv2d(stacked, weight, layer.bias, padding=weight.shape[-1] // 2)


class Causal(nn.Module):
    """A causal convolution with `weight` [out,in,3,k,k] and two frames of zeros in front."""

    def __init__(self, inner: int, outer: int, kernel: int = 3, gain: float = 1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outer, inner, 3, kernel, kernel) * gain * (3 * inner * kernel**2) ** -0.5)
        self.bias = nn.Parameter(torch.zeros(outer))

    def forward(self, x, frames: int):
        _, c, h, w = x.shape
        return over_time(x.reshape(-1, frames, c, h, w), self, frames, zeros=2)


class Point(nn.Module):
    """A 1x1x1 convolution."""

    def __init__(self, inner: int, outer: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outer, inner, 1, 1, 1) * inner**-0.5)
        self.bias = nn.Parameter(torch.zeros(outer))

    def forward(self, x):
        return F.conv2d(x, self.weight[:, :, 0], self.bias)


def normalised(x, gamma):
    """RMS norm over the channels of x [n,C,H,W], in f32. The same as F.normalize with its eps of 1e-12, but several times faster on processors."""
    y = x.float()
    return y * (y.square().sum(1, keepdim=True).clamp(min=1e-24).rsqrt() * x.shape[1] ** 0.5) * gamma.reshape(-1, 1, 1)


class Norm(nn.Module):
    def __init__(self, channels: int, frames: bool = True):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(channels, 1, 1, *([1] if frames else [])))

    def forward(self, x):
        return normalised(x, self.gamma)


def activated(x, gamma):
    """SiLU of `normalised`, in the type of x. Computing in f32 in between costs nothing if this is compiled."""
    return F.silu(normalised(x, gamma)).to(x.dtype)


def compile_loops() -> None:
    """Compiles `activated`: on a processor half of a training step is loops over pixels, several in a row, which become one compiled loop."""
    global activated
    activated = torch.compile(activated, dynamic=True)


class Residual(nn.Module):
    """[B*F,inner,H,W] -> [B*F,outer,H,W]"""

    def __init__(self, inner: int, outer: int):
        super().__init__()
        self.residual = nn.ModuleDict({"0": Norm(inner), "2": Causal(inner, outer), "3": Norm(outer), "6": Causal(outer, outer, gain=0.3)})
        if inner != outer:
            self.shortcut = Point(inner, outer)

    def forward(self, x, frames):
        r = self.residual
        y = r["2"](activated(x, r["0"].gamma), frames)
        y = r["6"](activated(y, r["3"].gamma), frames)
        return y + (self.shortcut(x) if hasattr(self, "shortcut") else x)


class SelfAttention(nn.Module):
    """Attention within each frame, with one head; [B*F,C,H,W] -> the same."""

    def __init__(self, channels: int):
        super().__init__()
        self.norm = Norm(channels, frames=False)
        self.to_qkv, self.proj = nn.Conv2d(channels, 3 * channels, 1), nn.Conv2d(channels, channels, 1)
        nn.init.zeros_(self.proj.weight)
        nn.init.zeros_(self.proj.bias)

    def forward(self, x, frames):
        q, k, v = self.to_qkv(self.norm(x)).flatten(2).transpose(1, 2).chunk(3, -1)
        y = F.scaled_dot_product_attention(q[:, None], k[:, None], v[:, None])[:, 0]
        return x + self.proj(y.transpose(1, 2).reshape(x.shape))


class Down(nn.Module):
    """[B*F,C,H,W] -> [B*T,C,H/2,W/2]; `temporal` halves the frames after the first as well, T = 1 + (F-1)/2."""

    def __init__(self, channels: int, temporal: bool):
        super().__init__()
        self.resample = nn.ModuleDict({"1": nn.Conv2d(channels, channels, 3, 2)})
        if temporal:
            self.time_conv = nn.Conv3d(channels, channels, (3, 1, 1))

    def forward(self, x, frames):
        """-> pictures, frames"""
        x = self.resample["1"](F.pad(x, (0, 1, 0, 1)))
        if not hasattr(self, "time_conv") or frames == 1:
            return x, frames
        _, c, h, w = x.shape
        clip = x.reshape(-1, frames, c, h, w)
        after = (frames - 1) // 2
        later = over_time(clip, self.time_conv, after, 2).reshape(-1, after, c, h, w)
        return laid(torch.cat([clip[:, :1], later], 1).flatten(0, 1)), after + 1


class Up(nn.Module):
    """[B*T,C,H,W] -> [B*F,C/2,2H,2W]; `temporal` doubles the frames after the first as well, F = 1 + 2(T-1)."""

    def __init__(self, channels: int, temporal: bool):
        super().__init__()
        self.resample = nn.ModuleDict({"1": nn.Conv2d(channels, channels // 2, 3, padding=1)})
        if temporal:
            self.time_conv = nn.Conv3d(channels, 2 * channels, (3, 1, 1))

    def forward(self, x, frames):
        """-> pictures, frames"""
        if hasattr(self, "time_conv") and frames > 1:
            _, c, h, w = x.shape
            clip = x.reshape(-1, frames, c, h, w)
            pair = over_time(clip[:, 1:], self.time_conv, frames - 1, zeros=2).reshape(-1, frames - 1, 2, c, h, w).flatten(1, 2)
            x, frames = laid(torch.cat([clip[:, :1], pair], 1).flatten(0, 1)), 2 * frames - 1
        return self.resample["1"](F.interpolate(x, scale_factor=2, mode="nearest")), frames


class Middle(nn.Sequential):
    def __init__(self, c: int):
        super().__init__(Residual(c, c), SelfAttention(c), Residual(c, c))

    def forward(self, x, frames):
        for part in self:
            x = part(x, frames)
        return x


class HeadPart(nn.ModuleDict):
    def __init__(self, inner: int, outer: int):
        super().__init__({"0": Norm(inner), "2": Causal(inner, outer)})

    def forward(self, x, frames):
        return self["2"](activated(x, self["0"].gamma), frames)


class Encoder(nn.Module):
    def __init__(self, z: int):
        super().__init__()
        widths = [BASE * m for m in MULTIPLIERS]
        self.conv1 = Causal(3, widths[0])
        parts, width = [], widths[0]
        for level, next_width in enumerate(widths):
            for _ in range(BLOCKS):
                parts.append(Residual(width, next_width))
                width = next_width
            if level < 3:
                parts.append(Down(width, level > 0))
        self.downsamples = nn.ModuleList(parts)
        self.middle, self.head = Middle(width), HeadPart(width, 2 * z)

    def forward(self, x, frames):
        x = self.conv1(x, frames)
        for part in self.downsamples:
            if isinstance(part, Down):
                x, frames = part(x, frames)
            else:
                x = part(x, frames)
        return self.head(self.middle(x, frames), frames)


class Decoder(nn.Module):
    def __init__(self, z: int):
        super().__init__()
        widths = [BASE * m for m in reversed(MULTIPLIERS)]
        self.conv1, self.middle = Causal(z, widths[0]), Middle(widths[0])
        parts, width = [], widths[0]
        for level, next_width in enumerate(widths):
            for _ in range(BLOCKS + 1):
                parts.append(Residual(width, next_width))
                width = next_width
            if level < 3:
                parts.append(Up(width, level < 2))
                width //= 2
        self.upsamples = nn.ModuleList(parts)
        self.head = HeadPart(width, 3)

    def forward(self, x, frames):
        x = self.middle(self.conv1(x, frames), frames)
        for part in self.upsamples:
            if isinstance(part, Up):
                x, frames = part(x, frames)
            else:
                x = part(x, frames)
        return self.head(x, frames)


class Vae(nn.Module):
    """`std` [z]: normalised latent = raw / std (the mean is zero, see latent.py)."""

    def __init__(self, z: int, std):
        super().__init__()
        self.encoder, self.decoder = Encoder(z), Decoder(z)
        self.conv1, self.conv2 = Point(2 * z, 2 * z), Point(z, z)
        self.z = z
        self.register_buffer("std", torch.as_tensor(std, dtype=torch.float32).reshape(1, -1, 1, 1), persistent=False)
        with torch.no_grad():  # at first both only undo the scale
            self.conv2.weight.copy_(torch.diag(1 / self.std.flatten())[:, :, None, None, None])
            scale = torch.cat([self.std.flatten(), torch.ones(z)])
            self.conv1.weight.copy_(torch.diag(scale)[:, :, None, None, None])

    def encode(self, video):
        """[B,3,F,H,W] in -1...1 -> normalised [B,z,T,h,w]"""
        batch, _, frames = video.shape[:3]
        y = self.conv1(self.encoder(video.transpose(1, 2).flatten(0, 1), frames))[:, : self.z] / self.std
        return y.unflatten(0, (batch, -1)).transpose(1, 2)

    def decode(self, latent):
        """normalised [B,z,T,h,w] -> [B,3,F,H,W], which is not clamped"""
        batch, _, frames = latent.shape[:3]
        y = self.decoder(self.conv2(latent.transpose(1, 2).flatten(0, 1) * self.std), frames)
        return y.unflatten(0, (batch, -1)).transpose(1, 2)

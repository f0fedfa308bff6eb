# SPDX-License-Identifier: Apache-2.0
"""The video VAE of spec vae22.md, all frames at once. What is not redefined here is as in vae21.md."""

import torch

from . import vae

MEAN = [
    -0.2289, -0.0052, -0.1323, -0.2339, -0.2799, 0.0174, 0.1838, 0.1557, -0.1382, 0.0542, 0.2813, 0.0891, 0.1570, -0.0098, 0.0375, -0.1825,
    -0.2246, -0.1207, -0.0698, 0.5109, 0.2665, -0.2108, -0.2158, 0.2502, -0.2055, -0.0322, 0.1109, 0.1567, -0.0729, 0.0899, -0.2799, -0.1230,
    -0.0313, -0.1649, 0.0117, 0.0723, -0.2839, -0.2083, -0.0520, 0.3748, 0.0152, 0.1957, 0.1433, -0.2944, 0.3573, -0.0548, -0.1681, -0.0667,
]  # fmt: skip
STD = [
    0.4765, 1.0364, 0.4514, 1.1677, 0.5313, 0.4990, 0.4818, 0.5013, 0.8158, 1.0344, 0.5894, 1.0901, 0.6885, 0.6165, 0.8454, 0.4978,
    0.5759, 0.3523, 0.7135, 0.6804, 0.5833, 1.4146, 0.8986, 0.5659, 0.7069, 0.5338, 0.4889, 0.4917, 0.4069, 0.4999, 0.6866, 0.4093,
    0.5709, 0.6065, 0.6415, 0.4944, 0.5726, 1.2042, 0.5458, 1.6887, 0.3971, 1.0600, 0.3943, 0.5537, 0.5444, 0.4089, 0.7468, 0.7744,
]  # fmt: skip

ENCODER = ((1, 1), (1, 2), (2, 4), (4, 4))  # widths entering and leaving each level, in base widths
DECODER = ((4, 4), (4, 4), (4, 2), (2, 1))


def shapes(base: int, decoder_base: int, z: int) -> dict:
    """Original tensor names with their shapes (section 7)."""
    s = vae.Shapes()
    s.ends("encoder", 12, base, 4 * base, 2 * z)
    for level, (a, b) in enumerate(ENCODER):
        p, width = f"encoder.downsamples.{level}.downsamples", b * base
        s.residual(p + ".0", a * base, width)
        s.residual(p + ".1", width, width)
        if level < 3:
            s.conv(p + ".2.resample.1", width, width, 3, 3)
        if level in (1, 2):
            s.conv(p + ".2.time_conv", width, width, 3, 1, 1)
    s.middle("encoder", 4 * base)
    s.conv("conv1", 2 * z, 2 * z, 1, 1, 1)
    s.conv("conv2", z, z, 1, 1, 1)
    s.ends("decoder", z, 4 * decoder_base, decoder_base, 12)
    s.middle("decoder", 4 * decoder_base)
    for level, (a, b) in enumerate(DECODER):
        p, width = f"decoder.upsamples.{level}.upsamples", b * decoder_base
        for block in range(3):
            s.residual(f"{p}.{block}", (a if block == 0 else b) * decoder_base, width)
        if level < 3:
            s.conv(p + ".3.resample.1", width, width, 3, 3)
        if level in (0, 1):
            s.conv(p + ".3.time_conv", 2 * width, width, 3, 1, 1)
    return s


def patchify(x):
    """[3,F,H,W] -> [12,F,H/2,W/2]: the column's offset is the slow index (section 3)."""
    c, frames, height, width = x.shape
    cells = x.reshape(c, frames, height // 2, 2, width // 2, 2)  # c, t, y, q, x, r
    return cells.permute(0, 5, 3, 1, 2, 4).reshape(4 * c, frames, height // 2, width // 2)


def unpatchify(x):
    c, frames, height, width = x.shape
    cells = x.reshape(c // 4, 2, 2, frames, height, width)  # c, r, q, t, y, x
    return cells.permute(0, 3, 4, 2, 5, 1).reshape(c // 4, frames, 2 * height, 2 * width)


def avg_down(x, out: int, ft: int, fs: int):
    """Space and time to channels, averaged in groups (section 4); zero frames in front fill up the first cell."""
    c = x.shape[0]
    missing = -x.shape[1] % ft
    x = torch.cat([x.new_zeros(c, missing, *x.shape[2:]), x], dim=1)
    frames, height, width = x.shape[1] // ft, x.shape[2] // fs, x.shape[3] // fs
    cells = x.reshape(c, frames, ft, height, fs, width, fs).permute(0, 2, 4, 6, 1, 3, 5)
    return cells.reshape(out, -1, frames, height, width).mean(1)


def dup_up(x, out: int, ft: int, fs: int):
    """Repeats channels and lays them out in space and time; the first frame becomes only one frame (section 4)."""
    c, frames, height, width = x.shape
    cells = x.repeat_interleave(out * ft * fs * fs // c, 0).reshape(out, ft, fs, fs, frames, height, width)
    y = cells.permute(0, 4, 1, 5, 2, 6, 3).reshape(out, frames * ft, height * fs, width * fs)
    return y[:, ft - 1 :]


class Vae22(vae.Vae):
    """`weights` have their original names. Videos are [3,F,H,W], latents [z,T,h,w], all in float64."""

    def __init__(self, weights: dict, mean=MEAN, std=STD):
        super().__init__(weights, mean, std)

    def encode(self, video):
        """-> (normalised latent, raw mean)"""
        x = patchify(video.double()[:, : 1 + (video.shape[1] - 1) // 4 * 4])
        x = self.conv3("encoder.conv1", x)
        for level in range(4):
            p, shortcut = f"encoder.downsamples.{level}.downsamples", x
            x = self.residual(p + ".1", self.residual(p + ".0", x))
            if level < 3:
                x = self.downsample(p + ".2", x)
            x = x + avg_down(shortcut, x.shape[0], 2 if level in (1, 2) else 1, 2 if level < 3 else 1)
        x = self.conv3("conv1", self.head("encoder", self.middle("encoder", x)))
        mean = x[: x.shape[0] // 2]
        return (mean - self.mean) / self.std, mean

    def decode(self, latent, clamp=True):
        x = self.conv3("conv2", latent.double() * self.std + self.mean)
        x = self.middle("decoder", self.conv3("decoder.conv1", x))
        for level in range(4):
            p, shortcut = f"decoder.upsamples.{level}.upsamples", x
            for block in range(3):
                x = self.residual(f"{p}.{block}", x)
            if level < 3:
                x = self.upsample(p + ".3", x)
                x = x + dup_up(shortcut, x.shape[0], 2 if level in (0, 1) else 1, 2)
        x = unpatchify(self.head("decoder", x))
        return x.clamp(-1, 1) if clamp else x

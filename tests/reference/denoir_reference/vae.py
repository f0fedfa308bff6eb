# SPDX-License-Identifier: Apache-2.0
"""The video VAE of spec vae21.md, all frames at once, without the chunks and caches of section 4."""

import torch
import torch.nn.functional as F

MEAN = [
    -0.7571, -0.7089, -0.9113, 0.1075, -0.1745, 0.9653, -0.1517, 1.5508, 0.4134, -0.0715, 0.5517, -0.3632, -0.1922, -0.9497, 0.2503, -0.2921,
]  # fmt: skip
STD = [
    2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743, 3.2687, 2.1526, 2.8652, 1.5579, 1.6382, 1.1253, 2.8251, 1.9160,
]  # fmt: skip


class Shapes(dict):
    """Collects original tensor names with their shapes, layer by layer. These are the layers that both VAEs have."""

    def conv(self, name, *shape):
        self[name + ".weight"], self[name + ".bias"] = shape, (shape[0],)

    def residual(self, p, a, b):
        self[p + ".residual.0.gamma"] = (a, 1, 1, 1)
        self.conv(p + ".residual.2", b, a, 3, 3, 3)
        self[p + ".residual.3.gamma"] = (b, 1, 1, 1)
        self.conv(p + ".residual.6", b, b, 3, 3, 3)
        if a != b:
            self.conv(p + ".shortcut", b, a, 1, 1, 1)

    def middle(self, p, top):
        self.residual(p + ".middle.0", top, top)
        self[p + ".middle.1.norm.gamma"] = (top, 1, 1)
        self.conv(p + ".middle.1.to_qkv", 3 * top, top, 1, 1)
        self.conv(p + ".middle.1.proj", top, top, 1, 1)
        self.residual(p + ".middle.2", top, top)

    def ends(self, p, first_in, first_out, last_in, last_out):
        self.conv(p + ".conv1", first_out, first_in, 3, 3, 3)
        self[p + ".head.0.gamma"] = (last_in, 1, 1, 1)
        self.conv(p + ".head.2", last_out, last_in, 3, 3, 3)


ENCODER = {0: (1, 1), 1: (1, 1), 3: (1, 2), 4: (2, 2), 6: (2, 4), 7: (4, 4), 9: (4, 4), 10: (4, 4)}  # widths in and out
DECODER = {
    0: (4, 4), 1: (4, 4), 2: (4, 4), 4: (2, 4), 5: (4, 4), 6: (4, 4),
    8: (2, 2), 9: (2, 2), 10: (2, 2), 12: (1, 1), 13: (1, 1), 14: (1, 1),
}  # fmt: skip


def shapes(base: int, z: int) -> dict:
    """Names and shapes of section 3.3, for base width `base` and multipliers 1, 2, 4, 4."""
    s, top = Shapes(), 4 * base
    s.ends("encoder", 3, base, top, 2 * z)
    for i, (a, b) in ENCODER.items():
        s.residual(f"encoder.downsamples.{i}", a * base, b * base)
    for i, m in {2: 1, 5: 2, 8: 4}.items():
        s.conv(f"encoder.downsamples.{i}.resample.1", m * base, m * base, 3, 3)
        if i > 2:
            s.conv(f"encoder.downsamples.{i}.time_conv", m * base, m * base, 3, 1, 1)
    s.middle("encoder", top)
    s.conv("conv1", 2 * z, 2 * z, 1, 1, 1)
    s.conv("conv2", z, z, 1, 1, 1)
    s.ends("decoder", z, top, base, 3)
    s.middle("decoder", top)
    for i, (a, b) in DECODER.items():
        s.residual(f"decoder.upsamples.{i}", a * base, b * base)
    for i, m in {3: 4, 7: 4, 11: 2}.items():
        s.conv(f"decoder.upsamples.{i}.resample.1", m * base // 2, m * base, 3, 3)
        if i < 11:
            s.conv(f"decoder.upsamples.{i}.time_conv", 2 * m * base, m * base, 3, 1, 1)
    return s


class Vae:
    """`weights` have their original names. Videos are [3,F,H,W], latents [z,T,h,w], all in float64."""

    def __init__(self, weights: dict, mean=MEAN, std=STD):
        self.w = {k: v.to(torch.float64) for k, v in weights.items()}
        column = (-1, 1, 1, 1)
        self.mean = torch.tensor(mean, dtype=torch.float64).reshape(column)
        self.std = torch.tensor(std, dtype=torch.float64).reshape(column)

    def conv3(self, name, x):
        """Causal in time: two zero frames in front (section 2.1)."""
        w = self.w[name + ".weight"]
        side = w.shape[-1] // 2
        x = F.pad(x, (side, side, side, side, w.shape[2] - 1, 0))
        return F.conv3d(x[None], w, self.w[name + ".bias"])[0]

    def conv2(self, name, x, stride=1, padding=0):
        """Convolves each frame by itself."""
        return F.conv2d(x.transpose(0, 1), self.w[name + ".weight"], self.w[name + ".bias"], stride, padding).transpose(
            0, 1
        )

    def norm(self, name, x):
        gamma = self.w[name + ".gamma"].reshape(-1, 1, 1, 1)
        return F.normalize(x, dim=0, eps=1e-12) * x.shape[0] ** 0.5 * gamma

    def residual(self, p, x):
        y = self.conv3(p + ".residual.2", F.silu(self.norm(p + ".residual.0", x)))
        y = self.conv3(p + ".residual.6", F.silu(self.norm(p + ".residual.3", y)))
        return y + (self.conv3(p + ".shortcut", x) if p + ".shortcut.weight" in self.w else x)

    def attention(self, p, x):
        c, frames, height, width = x.shape
        qkv = self.conv2(p + ".to_qkv", self.norm(p + ".norm", x))
        q, k, v = qkv.permute(1, 2, 3, 0).reshape(frames, height * width, 3, c).unbind(2)
        a = torch.softmax(q @ k.transpose(1, 2) / c**0.5, -1) @ v
        return x + self.conv2(p + ".proj", a.reshape(frames, height, width, c).permute(3, 0, 1, 2))

    def middle(self, p, x):
        return self.residual(p + ".middle.2", self.attention(p + ".middle.1", self.residual(p + ".middle.0", x)))

    def head(self, p, x):
        return self.conv3(p + ".head.2", F.silu(self.norm(p + ".head.0", x)))

    def downsample(self, p, x):
        x = self.conv2(p + ".resample.1", F.pad(x, (0, 1, 0, 1)), stride=2)
        name = p + ".time_conv"
        if name + ".weight" not in self.w or x.shape[1] == 1:
            return x
        later = F.conv3d(x[None], self.w[name + ".weight"], self.w[name + ".bias"], stride=(2, 1, 1))[0]
        return torch.cat([x[:, :1], later], dim=1)

    def upsample(self, p, x):
        name = p + ".time_conv"
        if name + ".weight" in self.w and x.shape[1] > 1:
            c, rest = x.shape[0], x[:, 1:]
            pair = self.conv3_time(name, rest).reshape(2, c, rest.shape[1], *x.shape[2:])
            rest = pair.permute(1, 2, 0, 3, 4).flatten(1, 2)
            x = torch.cat([x[:, :1], rest], dim=1)
        x = x.repeat_interleave(2, -1).repeat_interleave(2, -2)
        return self.conv2(p + ".resample.1", x, padding=1)

    def conv3_time(self, name, x):
        """Kernel (3,1,1) over the frames from 1 on, with zeros before them: frame 0 is never seen (section 2.8)."""
        return F.conv3d(F.pad(x, (0, 0, 0, 0, 2, 0))[None], self.w[name + ".weight"], self.w[name + ".bias"])[0]

    def encode(self, video):
        """-> (normalised latent, raw mean)"""
        x = video.double()[:, : 1 + (video.shape[1] - 1) // 4 * 4]
        x = self.conv3("encoder.conv1", x)
        for i in range(11):
            p = f"encoder.downsamples.{i}"
            x = self.downsample(p, x) if i in (2, 5, 8) else self.residual(p, x)
        x = self.conv3("conv1", self.head("encoder", self.middle("encoder", x)))
        mean = x[: x.shape[0] // 2]
        return (mean - self.mean) / self.std, mean

    def decode(self, latent, clamp=True):
        x = self.conv3("conv2", latent.double() * self.std + self.mean)
        x = self.middle("decoder", self.conv3("decoder.conv1", x))
        for i in range(15):
            p = f"decoder.upsamples.{i}"
            x = self.upsample(p, x) if i in (3, 7, 11) else self.residual(p, x)
        x = self.head("decoder", x)
        return x.clamp(-1, 1) if clamp else x

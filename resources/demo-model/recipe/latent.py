# SPDX-License-Identifier: Apache-2.0
"""The fixed linear latent: 16 principal components of 8x8x3 pixels (first frame) and of 4x8x8x3 (each later group of four frames).

The VAE's networks are trained to follow it, so the transformer can be trained before they are. The two bases are rotated onto each
other (Procrustes), so that a picture at rest has the same latent in the first frame and in later ones. Components are divided by the
root of their standard deviation, not by the deviation itself: whitening would turn small errors of the brightness into visible blocks."""

import zipfile
from pathlib import Path

import numpy as np

import files
import world

Z = 16


def first_patches(video):
    """[F,H,W,3] in -1...1 -> [h*w, 192] of frame 0."""
    h, w = video.shape[1] // 8, video.shape[2] // 8
    return video[0].reshape(h, 8, w, 8, 3).transpose(0, 2, 1, 3, 4).reshape(h * w, 192)


def later_patches(video):
    """[F,H,W,3] -> [(F-1)/4*h*w, 768], group slowest."""
    n, h, w = (video.shape[0] - 1) // 4, video.shape[1] // 8, video.shape[2] // 8
    return video[1:].reshape(n, 4, h, 8, w, 8, 3).transpose(0, 2, 4, 1, 3, 5, 6).reshape(n * h * w, 768)


def fit(seed: int = 0, clips: int = 160) -> dict:
    """Computes the bases from `clips` random clips of 9 frames at full size."""
    rng = np.random.default_rng(seed)
    first, later = [], []
    for _ in range(clips):
        video = world.render(world.sample(rng), 9, start=1.2 * rng.random()) * 2 - 1
        first += [first_patches(video), first_patches(video[4:])]
        later.append(later_patches(video))
    first, later = np.concatenate(first).astype(np.float64), np.concatenate(later).astype(np.float64)
    mean_first, mean_later = first.mean(0), later.mean(0)

    def basis(x):
        values, vectors = np.linalg.eigh(np.cov(x - x.mean(0), rowvar=False))
        return vectors[:, ::-1][:, :Z]

    basis_first, basis_later = basis(first), basis(later)
    # A patch at rest repeats the first frame four times. Both must have the same components, apart from the length sqrt(4) = 2.
    still = np.tile(basis_first.reshape(192, Z), (4, 1)) / 2
    u, _, v = np.linalg.svd(basis_later.T @ still)
    basis_later = basis_later @ (u @ v)
    # Both kinds have one scale: the rms of the pixels over a patch of one frame.
    to_first, to_later = basis_first / 8, basis_later / 16
    components = np.concatenate([(first - mean_first) @ to_first, (later - mean_later) @ to_later])
    root = np.sqrt(components.std(0))
    scale = root * np.sqrt(np.mean((components / root).var(0)))
    return {
        "to_first": to_first, "to_later": to_later, "mean_first": mean_first, "mean_later": mean_later,
        "mean": components.mean(0) * 0, "std": scale,
        "from_first": basis_first * 8, "from_later": basis_later * 16,
    }  # fmt: skip


class Latent:
    """Encodes and decodes with the fixed bases. Latents are normalised, as the transformer sees them."""

    def __init__(self, tables: dict):
        self.tables = {k: np.asarray(v, np.float32) for k, v in tables.items()}
        t = self.tables
        self.a_first, self.a_later = t["to_first"] / t["std"], t["to_later"] / t["std"]
        self.b_first, self.b_later = -t["mean_first"] @ self.a_first, -t["mean_later"] @ self.a_later

    @classmethod
    def load(cls, path: Path) -> "Latent":
        try:
            with open(path, "rb") as f, np.load(f) as tables:
                return cls(dict(tables))
        except (zipfile.BadZipFile, EOFError, ValueError) as error:
            raise files.damaged(path, error) from None

    def save(self, path: Path) -> None:
        with files.whole(path) as part, open(part, "wb") as f:
            np.savez(f, **self.tables)

    def encode(self, frames) -> np.ndarray:
        """[F,H,W,3] in 0...1 -> [16,T,h,w] f32."""
        video = frames * 2 - 1
        h, w = video.shape[1] // 8, video.shape[2] // 8
        z = first_patches(video) @ self.a_first + self.b_first
        if len(video) > 4:
            z = np.concatenate([z, later_patches(video[: 1 + (len(video) - 1) // 4 * 4]) @ self.a_later + self.b_later])
        return np.ascontiguousarray(z.reshape(-1, h, w, Z).transpose(3, 0, 1, 2))

    def decode(self, latent) -> np.ndarray:
        """[16,T,h,w] -> [F,H,W,3] in 0...1: the linear picture, which shows latents without the decoder."""
        t = self.tables
        _, n, h, w = latent.shape
        raw = latent.transpose(1, 2, 3, 0) * t["std"]
        first = (raw[0] @ t["from_first"].T + t["mean_first"]).reshape(h, w, 8, 8, 3).transpose(0, 2, 1, 3, 4).reshape(1, 8 * h, 8 * w, 3)
        later = raw[1:] @ t["from_later"].T + t["mean_later"]
        later = later.reshape(n - 1, h, w, 4, 8, 8, 3).transpose(0, 3, 1, 4, 2, 5, 6).reshape(4 * (n - 1), 8 * h, 8 * w, 3)
        return np.clip(np.concatenate([first, later]) / 2 + 0.5, 0, 1)

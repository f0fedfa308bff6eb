# SPDX-License-Identifier: Apache-2.0
"""Latents as the transformer makes them: those of a drawn clip, half turned into noise and denoised again.

They are the clip's own except for what the transformer gets wrong: edges uneven by a pixel, bent points, shadows where something was.
A decoder trained only with right latents draws all of that; one that saw these together with the right pictures knows what was meant."""

from pathlib import Path

import numpy as np
import torch

import captions
import data
import draw
import export
import world
from denoise import denoise, ladder
from transformer import Sizes, TextEncoder, Transformer

NOISE = (0.34, 0.86)  # with more noise, objects come back in other places than in the picture
MARGIN = 12  # pixels around an object in which it may have left traces


class Returned:
    """Gives pairs of a scene and its returned latents, each about `again` times, as it takes a core a second or two to bring a clip back."""

    def __init__(self, net: Transformer, encoder: TextEncoder, latent, words, again: int = 10, keep: int = 600):
        self.net, self.encoder, self.latent, self.words, self.again, self.keep = net.eval(), encoder.eval(), latent, words, again, keep
        self.kept: list = []

    @classmethod
    def read(cls, model: Path, latent, words, again: int):
        """Uses the exported transformer; None if there is none yet."""
        sizes = Sizes()
        if (found := export.read_transformer(model, sizes)) is None:
            return None
        net, encoder = Transformer(sizes), TextEncoder(sizes, len(words))
        net.load_state_dict(found["transformer"])
        encoder.load_state_dict(found["text"])
        return cls(net, encoder, latent, words, again)

    def _new(self, rng):
        scene, harder = world.sample(rng), rng.random() < data.HARDER
        while harder and not data.hard(rng, scene):
            scene = world.sample(rng)
        z = torch.from_numpy(self.latent.encode(world.render(scene, 33)))[None]
        sigmas = ladder(20, 3.0)
        inside = [i for i, s in enumerate(sigmas) if NOISE[0] < s < NOISE[1]]
        sigmas = sigmas[inside[rng.integers(len(inside))] :]
        noise = torch.from_numpy(rng.standard_normal(z.shape, np.float32))
        x = (1 - sigmas[0]) * z + sigmas[0] * noise
        return scene, denoise(self.net, self.encoder, self.words, [captions.caption(rng, scene)], x, sigmas, rng.uniform(1.5, 4))[0].numpy()

    def draw(self, rng):
        """-> scene, latents [16,9,18,32] of its 33 frames at 256x144"""
        if len(self.kept) < 4 or rng.random() < 1 / self.again:
            self.kept = self.kept[-self.keep + 1 :] + [self._new(rng)]
        return self.kept[rng.integers(len(self.kept))]

    def worth(self, scene: world.Scene, frames: int, height: int = 144, width: int = 256) -> np.ndarray:
        """The weight of the right picture for the decoder in each place, [F,H,W]: 1 around objects, less elsewhere, because the background may
        have come back a little different. It is 0 elsewhere at night: stars come back anywhere, and the decoder would learn to erase them."""
        y, x = np.mgrid[0:height, 0:width]
        worth = np.full((frames, height, width), 0.0 if scene.background == "night sky" else 0.25, np.float32)
        for o in scene.objects:
            cx, cy, radius, _ = (a[:, None, None] for a in world.path(o, np.arange(frames) / world.FPS, height, width))
            worth[np.hypot(x - cx, y - cy) < radius * draw.REACH + MARGIN] = 1.0
        return worth

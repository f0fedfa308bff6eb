# SPDX-License-Identifier: Apache-2.0
"""Heads that learn to tell, from features in the middle of the transformer, what every token shows. They exist only in training. Naming
what is drawn where connects shapes and words much sooner than the error of the pictures would, most of which is noise."""

import torch.nn.functional as F
from torch import nn

import draw
import text
from labels import TARGETS


class Guide(nn.Module):
    """Heads over features of the transformer, and a text.Probe over those of the text encoder."""

    def __init__(self, dim: int, text_dim: int):
        super().__init__()
        self.sizes = (1 + len(draw.SHAPES), 1 + len(draw.COLOURS), TARGETS)
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU("tanh"), nn.Linear(dim, sum(self.sizes)))
        self.probe = text.Probe(text_dim)

    def loss(self, features, classes, targets):
        """features [B,T,S,dim], classes int [B,T,S,2], targets [B,T,S,9] (labels.labels) -> the sum of the cross-entropies, in which the background
        has a weight of a quarter, and the squared error of the targets."""
        shape, colour, found = self.net(features).float().split(self.sizes, -1)
        on = (classes[..., 0] > 0).float()
        weight = 0.25 + 0.75 * on
        said = sum(F.cross_entropy(y.flatten(0, -2), classes[..., i].flatten().long(), reduction="none") for i, y in enumerate((shape, colour)))
        error = (found - targets.float()).square().mean(-1)
        return (said * weight.flatten()).sum() / weight.sum() + (error * on).sum() / on.sum().clamp(min=1)

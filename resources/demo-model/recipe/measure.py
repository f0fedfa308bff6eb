# SPDX-License-Identifier: Apache-2.0
"""The automatic scorer: finds what a clip shows from its pixels alone, by colour masks, outlines compared with drawn templates, and centroids over time."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import ndimage
from scipy.spatial import KDTree

import draw

HEIGHT, WIDTH = 144, 256  # everything is tuned for the default size
BAND = 12  # rows with a background of their own
SIDE = 40  # of an outline's normalised mask, in pixels
_SHADES = np.linspace(0.60, 1.08, 13)  # from the dark rim to the lit side


@dataclass
class Seen:
    """One object."""

    colour: str
    shape: str  # the nearest one; "" if no frame shows enough of it
    fit: float  # how well its outline fits that of the shape, 0...1, mean over time
    motion: str  # one of world.MOTIONS, or the direction instead of "float"; "lost" if too few frames show it
    area: float  # pixels, median over time


def _object_colours():
    for name, c in draw.COLOURS.items():
        for shade in _SHADES:
            yield np.clip(np.array(c) * shade, 0, 1), name
        yield (np.clip(np.array(c) * 0.95 + 0.25, 0, 1) if name != "white" else np.array(c)), name  # under gloss


def _prototypes(place, band: int):
    """Colours [n,3] and what each stands for: an object's colour, or "" for the background, lit and in shadow. `place` is what `background`
    found. Only a gradient's own two colours, or those that a scene may have at this height, count as background: among the colours of all
    backgrounds are those of shaded objects as well."""
    points, names = map(list, zip(*_object_colours()))
    if isinstance(place, tuple):
        first, second = map(draw.background_colour, place)
        backs = np.array([first * (1 - t) + second * t for t in np.linspace(0, 1, 9)])
    else:
        rows = slice(max(BAND * (band - 1), 0), BAND * (band + 2))
        backs = np.concatenate([image[rows, ::8].reshape(-1, 3) for image in _variants(place)])
        backs = np.unique(np.round(backs * 32) / 32, axis=0)
    if place != "night sky":  # which has no shadows
        backs = np.concatenate([backs, backs * 0.72])
    return np.concatenate([np.array(points), backs]).astype(np.float32), np.array(names + [""] * len(backs))


@lru_cache(None)
def _variants(scene: str):
    return [draw.scene(scene, HEIGHT, WIDTH, np.random.default_rng(seed)) for seed in range(8)]


def _clean(mask):
    """The largest piece of the mask, without specks."""
    mask = ndimage.binary_opening(mask, iterations=1)
    pieces, count = ndimage.label(mask)
    if count == 0:
        return mask
    sizes = ndimage.sum_labels(mask, pieces, np.arange(1, count + 1))
    return ndimage.binary_fill_holes(pieces == 1 + int(np.argmax(sizes))) & (pieces == 1 + int(np.argmax(sizes)))


@lru_cache(None)
def _tables(place):
    """What each of 40^3 colours stands for in each band of rows: the index into draw.COLOURS plus one, or 0 for the background."""
    side = (np.arange(40, dtype=np.float32) + 0.5) / 40
    grid = np.stack(np.meshgrid(side, side, side, indexing="ij"), -1).reshape(-1, 3)
    out = np.empty((1 if isinstance(place, tuple) else HEIGHT // BAND, len(grid)), np.uint8)
    for band, table in enumerate(out):
        points, names = _prototypes(place, band)
        kinds = np.array([0 if n == "" else 1 + list(draw.COLOURS).index(n) for n in names], np.uint8)
        table[:] = kinds[KDTree(points).query(grid)[1]]
    return out.reshape(-1, 40, 40, 40)


def kinds_of(frames, place):
    """[F,H,W,3] -> [F,H,W], the index into draw.COLOURS plus one; 0: no object's colour. Every pixel belongs to its nearest prototype."""
    i = np.clip((frames * 40).astype(np.int16), 0, 39)
    tables = _tables(place)
    band = np.arange(HEIGHT) * len(tables) // HEIGHT
    return tables[band[:, None], i[..., 0], i[..., 1], i[..., 2]]


def _normal(mask, centre=None, scale=None):
    """The mask moved to its centroid and scaled to equal area, SIDE x SIDE."""
    y, x = np.nonzero(mask)
    cy, cx = (y.mean(), x.mean()) if centre is None else centre
    scale = np.sqrt(len(y)) if scale is None else scale
    grid = (np.arange(SIDE) + 0.5) / SIDE * 2.4 - 1.2
    sample = np.meshgrid(cy + grid * scale, cx + grid * scale, indexing="ij")
    return ndimage.map_coordinates(mask.astype(np.float32), sample, order=1) > 0.5


@lru_cache(1)
def _templates():
    """Outlines of the shapes at 24 angles: masks [n, SIDE*SIDE], shape and angle of each."""
    masks, shapes, angles = [], [], []
    side = np.linspace(-1.4, 1.4, 113, dtype=np.float32)
    x, y = np.meshgrid(side, -side)
    for shape in draw.SHAPES:
        for angle in [0.0] if shape in draw.ROUND else np.arange(24) * 2 * np.pi / 24:
            c, s = np.cos(angle), np.sin(angle)
            masks.append(_normal(draw.distance(shape, x * c + y * s, y * c - x * s) < 0).ravel())
            shapes.append(shape)
            angles.append(angle)
    return np.array(masks), np.array(shapes), np.array(angles)


def outline(mask):
    """-> shape, fit (the intersection over union with the best template)"""
    masks, shapes, _ = _templates()
    own = _normal(mask).ravel()
    both, either = (masks & own).sum(-1), (masks | own).sum(-1)
    best = int(np.argmax(both / either))
    return str(shapes[best]), float(both[best] / either[best])


def motion(masks) -> str:
    """The masks of one object over time, bool [F,H,W] -> its motion, as in `Seen.motion`. Distances are shares of the picture's height, growth is
    the logarithm of a ratio."""
    found = [m for m in masks if m.sum() >= 30]
    if len(found) < 0.7 * len(masks):
        return "lost"
    centres = np.array([ndimage.center_of_mass(m) for m in found]) / HEIGHT
    sizes = np.array([np.sqrt(m.sum()) for m in found])
    smooth = ndimage.uniform_filter1d(sizes, 5, mode="nearest")
    growth = np.log(smooth[-3:].mean() / smooth[:3].mean())
    cut = any(m[0].any() or m[-1].any() or m[:, 0].any() or m[:, -1].any() for m in found)
    if abs(growth) > (0.25 if cut else 0.18):
        return "grow" if growth > 0 else "shrink"
    centres = ndimage.uniform_filter1d(centres, 3, axis=0, mode="nearest")
    reach = np.ptp(centres, axis=0)  # y, x
    net = centres[-1] - centres[0]
    if reach.max() > 0.18:
        straight = np.abs(net).max() > 0.82 * reach.max() and reach.min() < 0.4 * reach.max()
        if reach.min() > 0.35 * reach.max():
            return "orbit"
        if straight:
            # A bounce may look straight for a moment, but it is curved in time.
            line = np.linspace(0, 1, len(centres))
            k = int(reach[1] > reach[0])
            bend = np.abs(centres[:, k] - np.polyval(np.polyfit(line, centres[:, k], 1), line)).max()
            if bend < 0.13 * reach.max() or k == 1:
                return ("up" if net[0] < 0 else "down") if k == 0 else ("left" if net[1] < 0 else "right")
        return "bounce" if reach[0] > reach[1] else "orbit"
    scale = np.median(sizes)
    first = _normal(found[0], scale=scale)
    same = [(first & n).sum() / max((first | n).sum(), 1) for n in (_normal(m, scale=scale) for m in found)]
    return "spin" if min(same) < 0.86 else "rest"


@lru_cache(1)
def _places():
    """Backgrounds to compare with, of 9 x 16 pixels: gradients in every direction, and scenes in several variants."""
    pictures, names = [], []

    def small(image):
        return image.reshape(9, 16, 16, 16, 3).mean((1, 3))

    for a in draw.COLOURS:
        for b in draw.COLOURS:
            if a != b:
                for direction in (0.0, 0.5, 1.0):
                    pictures.append(small(draw.gradient(HEIGHT, WIDTH, a, b, direction)))
                    names.append((a, b))
    for scene in draw.SCENES:
        for seed in range(12):
            pictures.append(small(draw.scene(scene, HEIGHT, WIDTH, np.random.default_rng(seed))))
            names.append(scene)
    return np.array(pictures), names


def background(frames):
    """-> (first colour, second colour) of a gradient, or a scene's name. A cell that differs much counts no more than one that differs a
    little, so that objects do not decide."""
    small = np.median(frames, 0).reshape(9, 16, 16, 16, 3).mean((1, 3))
    pictures, names = _places()
    error = np.minimum(((pictures - small) ** 2).sum(-1), 0.02).sum((1, 2))
    return names[int(error.argmin())]


def measure(frames, count: int = 1):
    """frames [F,H,W,3] f32 in 0...1 at 256x144 -> list of at most `count` Seen (the largest first), background."""
    back = background(frames)
    kinds = kinds_of(frames, back)
    areas = {}
    for i, c in enumerate(draw.COLOURS):
        sizes = [_clean(k == i + 1).sum() for k in kinds[:: max(1, len(kinds) // 5)]]
        areas[c] = float(np.median(sizes)) if np.median(sizes) < 0.3 * HEIGHT * WIDTH else 0.0
    # The world gives no object a colour of its gradient.
    order = sorted((c for c in areas if areas[c] >= 60 and (isinstance(back, str) or c not in back)), key=lambda c: -areas[c])
    seen = []
    for c in order[:count]:
        index = list(draw.COLOURS).index(c) + 1
        track = np.array([_clean(k == index) for k in kinds])
        votes: dict = {}
        for m in track[:: max(1, len(track) // 6)]:
            if m.sum() >= 60:
                shape, fit = outline(m)
                votes.setdefault(shape, []).append(fit)
        shape = max(votes, key=lambda s: sum(votes[s]), default="")
        seen.append(Seen(c, shape, float(np.mean(votes[shape])) if votes else 0.0, motion(track), areas[c]))
    return seen, back

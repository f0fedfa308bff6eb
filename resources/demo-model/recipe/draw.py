# SPDX-License-Identifier: Apache-2.0
"""Drawing: signed distances of the shapes, soft shading, shadows, backgrounds. Needs only numpy. Colours are sRGB in 0...1, f32."""

import numpy as np

SHAPES = ("ball", "square", "triangle", "star", "ring", "heart", "moon", "balloon")
ROUND = ("ball", "ring")  # turning these makes no visible difference
COLOURS = {
    "red": (0.88, 0.13, 0.14),
    "orange": (1.00, 0.52, 0.06),
    "yellow": (0.98, 0.86, 0.14),
    "green": (0.15, 0.68, 0.24),
    "blue": (0.13, 0.33, 0.90),
    "purple": (0.50, 0.18, 0.72),
    "pink": (1.00, 0.50, 0.72),
    "white": (0.97, 0.97, 0.97),
}
SCENES = ("night sky", "sea", "meadow", "sunset", "desert")
REACH = 1.32  # no shape reaches farther from its centre, in radii
LIGHT = np.array([-0.46, 0.60, 0.655], np.float32)


def _smooth(low: float, high: float, x):
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def _box(x, y, half):
    dx, dy = np.abs(x) - half, np.abs(y) - half
    return np.minimum(np.maximum(dx, dy), 0) + np.sqrt(np.maximum(dx, 0) ** 2 + np.maximum(dy, 0) ** 2)


def _triangle(x, y):
    y = y + 0.12
    return np.maximum(0.8660254 * np.abs(x) + 0.5 * y, -y) - 0.56


def _star(x, y):
    """A star of five points: folds the plane into half a point, then takes the distance to one edge."""
    angle = np.arctan2(x, y)
    sector = 2 * np.pi / 5
    angle = np.abs((angle + sector / 2) % sector - sector / 2)
    radius = np.sqrt(x * x + y * y)
    px, py = radius * np.sin(angle), radius * np.cos(angle)
    outer, inner = 1.08, 0.50
    ix, iy = inner * np.sin(sector / 2), inner * np.cos(sector / 2)
    ex, ey = ix, iy - outer  # edge from the tip (0, outer) to the valley
    length = np.hypot(ex, ey)
    return (px * -ey + (py - outer) * ex) / length


def _heart(x, y):
    """A square standing on its corner with two half discs on its upper sides."""
    x, y = np.abs(x), y + 0.22
    side = 0.62  # half the square's edge
    u, v = (x + y) * 0.70710678, (y - x) * 0.70710678
    dx, dy = np.abs(u) - side, np.abs(v) - side
    square = np.minimum(np.maximum(dx, dy), 0) + np.sqrt(np.maximum(dx, 0) ** 2 + np.maximum(dy, 0) ** 2)
    return np.minimum(square, np.sqrt((u - side) ** 2 + v * v) - side)


def _moon(x, y):
    x = x + 0.14
    return np.maximum(np.sqrt(x * x + y * y) - 1, 0.86 - np.sqrt((x - 0.56) ** 2 + (y - 0.12) ** 2))


def _balloon(x, y):
    head = (np.sqrt((x / 0.70) ** 2 + ((y - 0.22) / 0.96) ** 2) - 1) * 0.8
    knot = np.maximum(1.4 * np.abs(x) + 0.6 * (y + 0.68), -(y + 0.86)) * 0.66
    string = np.maximum(np.abs(x - 0.05 * np.sin(9 * y)) - 0.028, np.maximum(y + 0.84, -1.28 - y))
    return np.minimum(np.minimum(head, knot), string)


def distance(shape: str, x, y):
    """Signed distance to the outline in radii, negative inside; y points up."""
    if shape == "ball":
        return np.sqrt(x * x + y * y) - 0.95
    if shape == "square":
        return _box(x, y, 0.80)
    if shape == "ring":
        return np.abs(np.sqrt(x * x + y * y) - 0.70) - 0.26
    return {"triangle": _triangle, "star": _star, "heart": _heart, "moon": _moon, "balloon": _balloon}[shape](x, y)


def _shade(shape: str, colour, x, y, d):
    """Colour of each point [..., 3]: round bodies are lit as spheres, flat ones get a soft slope and a darker rim."""
    colour = np.asarray(colour, np.float32)
    if shape in ("ball", "balloon"):
        sx, sy = (x / 0.95, y / 0.95) if shape == "ball" else (x / 0.70, (y - 0.22) / 0.96)
        z = np.sqrt(np.maximum(1 - sx * sx - sy * sy, 0))
        lit = np.maximum(sx * LIGHT[0] + sy * LIGHT[1] + z * LIGHT[2], 0)
        gloss = 0.45 * lit**24
        return colour * (0.60 + 0.46 * lit)[..., None] + gloss[..., None]
    slope = 0.97 + 0.11 * (y - 0.7 * x)
    rim = 1 - 0.26 * _smooth(-0.16, 0.0, d)
    return colour * (slope * rim)[..., None]


def paint(frames, shape: str, colour, cx, cy, radius, angle, shadow: float) -> None:
    """Draws one object into `frames` [F,H,W,3], in place. cx, cy, radius [F] in pixels (y down), angle [F] in radians."""
    count, height, width = frames.shape[:3]
    half = int(np.ceil(radius.max() * REACH)) + 2
    side = np.arange(-half, half + 1, dtype=np.float32)
    ox, oy = np.round(cx).astype(int), np.round(cy).astype(int)
    px = ((side[None] + (ox - cx)[:, None]) / radius[:, None]).astype(np.float32)[:, None, :]
    py = (-(side[None] + (oy - cy)[:, None]) / radius[:, None]).astype(np.float32)[:, :, None]
    c, s = (f(angle).astype(np.float32)[:, None, None] for f in (np.cos, np.sin))
    x, y = px * c + py * s, py * c - px * s
    d = distance(shape, x, y)
    alpha = _smooth(-1.5, 1.5, -d * radius.astype(np.float32)[:, None, None])  # an edge of about three pixels: sharper ones are the hardest for the latent
    body = _shade(shape, colour, x, y, d)
    if shadow > 0:
        dark = shadow * _smooth(0.16, -0.16, d)

    def window(f, dx, dy):
        x0, y0 = ox[f] - half + dx, oy[f] - half + dy
        left, top, right, bottom = max(x0, 0), max(y0, 0), min(x0 + len(side), width), min(y0 + len(side), height)
        if left >= right or top >= bottom:
            return None
        return (slice(top, bottom), slice(left, right)), (slice(top - y0, bottom - y0), slice(left - x0, right - x0))

    for f in range(count):
        if shadow > 0 and (w := window(f, round(0.16 * radius[f]), round(0.24 * radius[f]))):
            frames[f][w[0]] *= 1 - dark[f][w[1]][..., None]
        if w := window(f, 0, 0):
            part = frames[f][w[0]]
            part += (body[f][w[1]] - part) * alpha[f][w[1]][..., None]


def background_colour(name: str):
    """A background's colour is softer than an object's, so that objects stand out."""
    c = np.asarray(COLOURS[name], np.float32)
    return 0.60 * c + 0.40 * np.array([0.52, 0.53, 0.58], np.float32)


def gradient(height: int, width: int, first: str, second: str, direction: float):
    """[H,W,3]. The first colour is at the top for direction 0, on the left for 1, at a corner in between."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    y, x = (y + 0.5) / height, (x + 0.5) / width
    t = _smooth(0.05, 0.95, (1 - direction) * y + direction * x)[..., None]
    return background_colour(first) * (1 - t) + background_colour(second) * t


def _bands(height, stops):
    """[H,1,3]: a vertical course of colours, given at heights from 0 (top) to 1."""
    at = (np.arange(height) + 0.5) / height
    places = [p for p, _ in stops]
    return np.stack([np.interp(at, places, [c[k] for _, c in stops]) for k in range(3)], -1).astype(np.float32)[:, None]


def _ridge(rng, width, level, swing):
    """A soft skyline [W] around `level` (fractions of the height)."""
    x = np.linspace(0, 1, width, dtype=np.float32)
    line = sum(swing / (k + 1) * np.sin(2 * np.pi * ((k + 0.7) * x + rng.random())) for k in range(3))
    return level + line


def _fill_below(image, line, upper, lower):
    """Draws ground below `line` [W], with a vertical gradient from one colour to the other and a soft edge."""
    height = image.shape[0]
    y = (np.arange(height, dtype=np.float32)[:, None] + 0.5) / height
    alpha = _smooth(-1.8, 1.8, (y - line[None]) * height)[..., None]
    t = np.clip((y - line[None]) / (1.02 - line.min()), 0, 1)[..., None]
    return image * (1 - alpha) + (np.float32(upper) * (1 - t) + np.float32(lower) * t) * alpha


def _dot(image, cx, cy, radius, colour, strength=1.0, soft=0.5):
    y, x = np.mgrid[0 : image.shape[0], 0 : image.shape[1]].astype(np.float32)
    a = strength * _smooth(soft, -soft, np.sqrt((x - cx) ** 2 + (y - cy) ** 2) - radius)[..., None]
    return image * (1 - a) + np.float32(colour) * a


def scene(name: str, height: int, width: int, rng) -> np.ndarray:
    """The picture [H,W,3] of a named place; `rng` varies the details."""
    full = np.ones((height, width, 3), np.float32)
    if name == "night sky":
        image = full * _bands(height, [(0, (0.02, 0.03, 0.13)), (0.6, (0.06, 0.09, 0.27)), (1, (0.15, 0.19, 0.40))])
        y, x = np.mgrid[0:height, 0:width]
        for _ in range(int(height * width / 1600)):  # stars, each a few pixels
            cx, cy, size = rng.random() * width, rng.random() * height, 1.3 + 0.4 * rng.random()
            box = np.s_[max(int(cy) - 3, 0) : int(cy) + 4, max(int(cx) - 3, 0) : int(cx) + 4]
            a = _smooth(1.4, -0.2, np.hypot(x[box] + 0.5 - cx, y[box] + 0.5 - cy) / size) * (0.25 + 0.4 * rng.random())
            image[box] += (np.float32((0.95, 0.95, 0.85)) - image[box]) * a[..., None].astype(np.float32)
        return image
    if name == "sea":
        image = full * _bands(height, [(0, (0.45, 0.72, 0.93)), (0.5, (0.82, 0.92, 0.97)), (1, (0.82, 0.92, 0.97))])
        level = 0.50 + 0.08 * rng.random()
        image = _fill_below(image, np.full(width, level, np.float32), (0.16, 0.50, 0.66), (0.03, 0.20, 0.42))
        y = (np.arange(height, dtype=np.float32) + 0.5) / height
        x = np.arange(width, dtype=np.float32) / height
        depth = np.clip(y - level, 0, 1)[:, None]
        wave = np.sin(2 * np.pi * (x[None] * 1.6 + rng.random() + 0.15 * np.sin(11 * y[:, None])) + 30 * np.sqrt(depth + 1e-6))
        return image + (0.055 * _smooth(0.55, 1, wave) * (depth > 0))[..., None].astype(np.float32)
    if name == "meadow":
        image = full * _bands(height, [(0, (0.42, 0.68, 0.95)), (0.62, (0.86, 0.94, 0.97)), (1, (0.86, 0.94, 0.97))])
        image = _fill_below(image, _ridge(rng, width, 0.58, 0.05), (0.42, 0.66, 0.36), (0.30, 0.56, 0.26))
        return _fill_below(image, _ridge(rng, width, 0.70, 0.045), (0.36, 0.68, 0.24), (0.16, 0.42, 0.13))
    if name == "sunset":
        image = full * _bands(height, [(0, (0.25, 0.14, 0.38)), (0.4, (0.74, 0.28, 0.38)), (0.72, (0.98, 0.60, 0.26)), (1, (0.99, 0.76, 0.40))])
        cx, cy = (0.25 + 0.5 * rng.random()) * width, 0.66 * height
        image = _dot(image, cx, cy, 0.02 * height, (1.0, 0.80, 0.45), 0.5, 0.30 * height)
        image = _dot(image, cx, cy, 0.085 * height, (1.0, 0.93, 0.68))
        return _fill_below(image, _ridge(rng, width, 0.76, 0.022), (0.23, 0.11, 0.19), (0.09, 0.05, 0.11))
    image = full * _bands(height, [(0, (0.55, 0.75, 0.90)), (0.55, (0.97, 0.89, 0.74)), (1, (0.97, 0.89, 0.74))])
    image = _fill_below(image, _ridge(rng, width, 0.56, 0.06), (0.86, 0.68, 0.43), (0.78, 0.58, 0.34))
    return _fill_below(image, _ridge(rng, width, 0.72, 0.07), (0.92, 0.74, 0.46), (0.66, 0.44, 0.25))

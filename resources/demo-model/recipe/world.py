# SPDX-License-Identifier: Apache-2.0
"""The world: what a clip shows (a `Scene`, plain data), where each object is at any time, and how frames are drawn."""

from dataclasses import dataclass, field

import numpy as np

import draw

FPS = 16
SIZES = {"small": 0.175, "medium": 0.210, "large": 0.250}  # radius, as a share of the height of a picture of 144 pixels
DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
MOTIONS = ("rest", "float", "bounce", "orbit", "spin", "grow", "shrink")
PLACES = {"left": 0.27, "middle": 0.5, "right": 0.73}  # shares of the width


@dataclass
class Object:
    shape: str
    colour: str
    size: str
    motion: str
    direction: str = ""  # of `float`
    place: str = ""  # as in the caption; empty if that does not tell it
    x: float = 0.5  # centre at time 0, as shares of the free width and height
    y: float = 0.5
    radius: float = 0.19
    tilt: float = 0.0
    turn: float = 1.0  # sign of orbit and spin
    phase: float = 0.0


@dataclass
class Scene:
    background: str  # "gradient" or one of draw.SCENES
    colours: tuple = ()  # of the gradient
    direction: float = 0.0
    seed: int = 0  # of the place's details
    objects: list = field(default_factory=list)


def pixels(radius: float, height: int) -> float:
    """The radius in pixels. Small pictures are cut-outs rather than reductions: sizes grow with the root of the height."""
    return radius * 144 * (height / 144) ** 0.5


def path(o: Object, times, height: int, width: int):
    """-> centre x, y, radius, angle, [F] each, in pixels and radians at `times` (seconds)"""
    t = np.asarray(times, np.float64)
    r0 = pixels(o.radius, height)
    reach = np.full_like(t, r0)
    room_x, room_y = max(width - 2 * r0, 0), max(height - 2 * r0, 0)
    x, y = r0 + o.x * room_x + 0 * t, r0 + o.y * room_y + 0 * t
    angle = np.full_like(t, o.tilt)
    if o.motion == "float":
        dx, dy = DIRECTIONS[o.direction]
        speed = 0.11 * width if dx else 0.16 * height
        x, y = x + dx * speed * t, y + dy * speed * t
    elif o.motion == "bounce":
        lift = min(0.27 * height, room_y)
        y = height - r0 * 1.05 - lift * np.abs(np.sin(np.pi * (t * 0.45 + o.phase)))
    elif o.motion == "orbit":
        swing = min(0.18 * height, 0.5 * room_y)
        turn = 2 * np.pi * (o.turn * 0.26 * t + o.phase)
        cx = np.clip(x, r0 + swing, width - r0 - swing)
        x, y = cx + swing * np.cos(turn), height / 2 + swing * np.sin(turn)
    elif o.motion == "spin":
        angle = o.tilt + o.turn * 0.45 * t
    elif o.motion in ("grow", "shrink"):
        up = np.clip(t / 2.06, 0, 1.5)  # beyond a clip's length it goes on for half as long again
        reach = r0 * (0.70 + 0.55 * (up if o.motion == "grow" else 1 - up))
    return x, y, reach, angle


def render(scene: Scene, frames: int, height: int = 144, width: int = 256, start: float = 0.0) -> np.ndarray:
    """Draws frames, [F,H,W,3] f32 in 0...1, beginning `start` seconds into the clip."""
    if scene.background == "gradient":
        back = draw.gradient(height, width, *scene.colours, scene.direction)
    else:
        back = draw.scene(scene.background, height, width, np.random.default_rng(scene.seed))
    video = np.empty((frames, height, width, 3), np.float32)
    video[:] = back
    times = start + np.arange(frames) / FPS
    shadow = 0.0 if scene.background == "night sky" else 0.30
    for o in scene.objects:
        x, y, radius, angle = path(o, times, height, width)
        draw.paint(video, o.shape, draw.COLOURS[o.colour], x, y, radius, angle, shadow)
    return np.clip(video, 0, 1, out=video)


def _object(rng, taken, avoid, side: float | None) -> Object:
    shape = draw.SHAPES[rng.integers(len(draw.SHAPES))]
    free = [c for c in draw.COLOURS if c not in avoid and c not in taken]
    motions = [m for m in MOTIONS if not (m == "spin" and shape in draw.ROUND)]
    size = ("small", "medium", "large")[rng.choice(3, p=(0.25, 0.40, 0.35))]
    o = Object(shape, free[rng.integers(len(free))], size, motions[rng.integers(len(motions))])
    o.radius = SIZES[size] * (0.93 + 0.14 * rng.random())
    o.tilt = rng.normal() * 0.06
    # What captions do not tell varies little. Motions that could go anywhere at any speed stayed blurred for hours of training, and shapes
    # whose speeds differed by a tenth ended as a blur of all the places where they could be. So everything has one speed and turns
    # clockwise. A bounce begins near its highest point and turns at the ground between the 17th and the 18th frame, where a latent frame
    # ends: within one, so sudden a turn came out lumpy.
    o.phase = 0.53 + 0.01 * rng.random() if o.motion == "bounce" else 0.05 * rng.random()
    # If the caption names no place, it is near the middle; if it names a side, any height does no harm.
    o.x = 0.5 + (rng.random() - 0.5) * 0.2 if side is None else side + (rng.random() - 0.5) * 0.14
    o.y = 0.5 + (rng.random() - 0.5) * (0.3 if side is None else 0.6)
    if o.motion == "float":
        o.direction = tuple(DIRECTIONS)[rng.integers(4)]
        # It starts on the far side and stays in the picture.
        if o.direction in ("left", "right") and side is None:
            o.x = (0.75 if o.direction == "left" else 0.25) + (rng.random() - 0.5) * 0.2
        if o.direction in ("left", "right"):
            o.x = max(o.x, 0.30) if o.direction == "left" else min(o.x, 0.70)
        if o.direction in ("up", "down"):
            o.y = (0.80 if o.direction == "up" else 0.20) + (rng.random() - 0.5) * (0.2 if side is None else 0.3)
    return o


def sample(rng, objects: int | None = None) -> Scene:
    """A random scene of one to three objects of different colours, none of which is a colour of the gradient."""
    count = objects or 1 + rng.choice(3, p=(0.58, 0.34, 0.08))
    if rng.random() < 0.6:
        pair = tuple(np.array(list(draw.COLOURS))[rng.choice(len(draw.COLOURS), 2, replace=False)].tolist())
        scene = Scene("gradient", pair, float(rng.choice([0.0, 0.0, 1.0, 0.5])))
        avoid = set(pair)
    else:
        scene = Scene(draw.SCENES[rng.integers(len(draw.SCENES))], seed=int(rng.integers(1 << 31)))
        avoid = {"night sky": {"blue"}, "sea": {"blue"}, "meadow": {"green"}, "sunset": {"orange"}, "desert": {"yellow"}}[scene.background]
    sides = {1: [None], 2: [0.14, 0.86], 3: [0.06, 0.5, 0.94]}[count]
    if count == 1 and rng.random() < 0.35:
        place = tuple(PLACES)[rng.integers(3)]
        o = _object(rng, (), avoid, {"left": 0.1, "middle": 0.5, "right": 0.9}[place])
        o.place = place
        scene.objects = [o]
        return scene
    taken: set = set()
    for k in rng.permutation(count):
        o = _object(rng, taken, avoid, sides[k])
        if count > 1:
            o.place = {2: ("left", "right"), 3: ("left", "middle", "right")}[count][k]
            o.radius = min(o.radius, SIZES["large" if count == 2 else "medium"])
            if o.motion == "float" and o.direction in ("left", "right"):
                o.direction = ("up", "down")[rng.integers(2)]
                o.y = (0.80 if o.direction == "up" else 0.20) + (rng.random() - 0.5) * 0.3
        taken.add(o.colour)
        scene.objects.append(o)
    return scene


def loose(rng) -> Scene:
    """The scene for a caption that names no object: a red ball on the left and a yellow star on the right, which float up or down over a
    gradient. It varies as little as all that captions do not tell: when it could be anything, shapes turned into others on the way, and
    when each had two colours, a ball became red."""
    while True:
        scene = sample(rng, 2)
        left, right = sorted(scene.objects, key=lambda o: o.place)
        if scene.background == "gradient" and (left.colour, right.colour) == ("red", "yellow") and "small" not in (left.size, right.size):
            break
    left.shape, right.shape = "ball", "star"
    for o in scene.objects:
        o.motion, o.direction = "float", ("up", "down")[rng.integers(2)]
        o.y = (0.80 if o.direction == "up" else 0.20) + (rng.random() - 0.5) * 0.3
    return scene

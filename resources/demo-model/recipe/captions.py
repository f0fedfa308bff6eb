# SPDX-License-Identifier: Apache-2.0
"""Captions of scenes: a small grammar with synonyms, word orders and free sentences."""

import numpy as np

from world import Object, Scene

NOUNS = {
    "ball": ("ball", "ball", "sphere"),
    "square": ("square", "square", "box"),
    "triangle": ("triangle",),
    "star": ("star",),
    "ring": ("ring", "ring", "hoop"),
    "heart": ("heart",),
    "moon": ("moon", "moon", "crescent"),
    "balloon": ("balloon",),
}
ADJECTIVES = {
    "red": ("red", "red", "crimson"),
    "orange": ("orange",),
    "yellow": ("yellow", "yellow", "golden"),
    "green": ("green", "green", "emerald"),
    "blue": ("blue",),
    "purple": ("purple", "purple", "violet"),
    "pink": ("pink",),
    "white": ("white",),
}
SIZE_WORDS = {"small": ("small", "little", "tiny"), "medium": ("", "", "medium-sized"), "large": ("large", "big", "huge")}
# (third person, participle)
VERBS = {
    "rest": (("rests", "resting"), ("stays still", "staying still"), ("does not move", "standing still")),
    "bounce": (("bounces", "bouncing"), ("hops up and down", "hopping up and down"), ("jumps", "jumping")),
    "orbit": (("orbits", "orbiting"), ("moves in a circle", "moving in a circle"), ("circles around", "circling around")),
    "spin": (("spins", "spinning"), ("rotates", "rotating"), ("turns around itself", "turning around itself")),
    "grow": (("grows", "growing"), ("gets bigger", "getting bigger"), ("becomes larger", "becoming larger")),
    "shrink": (("shrinks", "shrinking"), ("gets smaller", "getting smaller"), ("becomes smaller", "becoming smaller")),
}
FLOATS = {
    "left": (("floats to the left", "floating to the left"), ("drifts left", "drifting left"), ("moves left", "moving left")),
    "right": (("floats to the right", "floating to the right"), ("drifts right", "drifting right"), ("moves right", "moving right")),
    "up": (("floats up", "floating up"), ("rises", "rising"), ("drifts upwards", "drifting upwards")),
    "down": (("floats down", "floating down"), ("sinks", "sinking"), ("falls slowly", "falling slowly")),
}
PLACE_WORDS = {"left": ("on the left", "on the left side"), "middle": ("in the middle", "in the centre"), "right": ("on the right", "on the right side")}
SCENE_WORDS = {
    "night sky": ("in the night sky", "under the stars", "in a starry night"),
    "sea": ("over the sea", "above the ocean", "at the sea"),
    "meadow": ("over a green meadow", "in a meadow", "over the grass"),
    "sunset": ("at sunset", "in front of the setting sun", "at sunset"),
    "desert": ("in the desert", "over sand dunes", "in a sandy desert"),
}
GRADIENT_WORDS = (
    "over {an} {a} and {b} gradient",
    "on a background from {a} to {b}",
    "over a gradient from {a} to {b}",
    "in front of {an} {a} to {b} gradient",
)
FREE = (
    "Shapes float around in a background consisting of color gradients",
    "Colorful shapes move over a soft color gradient",
    "Simple shapes in front of colour gradients",
)


def _pick(rng, options):
    return options[rng.integers(len(options))]


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _noun_phrase(rng, o: Object) -> str:
    words = [_pick(rng, SIZE_WORDS[o.size]), _pick(rng, ADJECTIVES[o.colour]), _pick(rng, NOUNS[o.shape])]
    words = [w for w in words if w]
    return f"{_article(words[0])} " + " ".join(words)


def _verb(rng, o: Object, participle: bool) -> str:
    return _pick(rng, FLOATS[o.direction] if o.motion == "float" else VERBS[o.motion])[int(participle)]


def _object(rng, o: Object, participle: bool) -> str:
    noun, verb = _noun_phrase(rng, o), _verb(rng, o, participle)
    place = _pick(rng, PLACE_WORDS[o.place]) if o.place else ""
    order = rng.random()
    if not place:
        return f"{noun} {verb}"
    if order < 0.6:
        return f"{noun} {place} {verb}"
    return f"{place} {noun} {verb}" if order < 0.8 else f"{noun} {verb} {place}"


def background(rng, scene: Scene) -> str:
    if scene.background == "gradient":
        a, b = scene.colours
        return _pick(rng, GRADIENT_WORDS).format(an=_article(a), a=a, b=b)
    return _pick(rng, SCENE_WORDS[scene.background])


def caption(rng, scene: Scene) -> str:
    """One of the many sentences that describe `scene`."""
    participle = rng.random() < 0.35
    parts = [_object(rng, o, participle) for o in scene.objects]
    joined = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + _pick(rng, (" and ", " and ", " while ")) + parts[-1]
    where = background(rng, scene)
    order = rng.random()
    text = f"{joined} {where}" if order < 0.6 else f"{where}, {joined}" if order < 0.85 else f"{where} {joined}"
    if rng.random() < 0.75:
        text = text[0].upper() + text[1:]
    return text + ("." if rng.random() < 0.7 else "")


def free(rng) -> str:
    """A sentence that names no object, for a `world.loose` scene and no other."""
    return _pick(rng, FREE) + ("." if rng.random() < 0.5 else "")


def corpus(seed: int, count: int) -> list[str]:
    """The sentences that the tokenizer is trained with."""
    import world

    rng = np.random.default_rng(seed)
    return [caption(rng, world.sample(rng)) for _ in range(count)] + list(FREE) * 20

# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the recipe: NumPy, the recipe's modules, scenes, and which packages are installed."""

import importlib.util
import os
import pathlib
import sys

try:
    import numpy as np
except ModuleNotFoundError:  # PATH leads to another Python first, but the system's has the package
    system = "/usr/bin/python3"
    if os.path.exists(system) and not os.environ.get("DENOIR_TEST_PYTHON"):
        os.environ["DENOIR_TEST_PYTHON"] = system
        os.execv(system, [system, *sys.argv])
    sys.exit("python3-numpy is missing; packaging/test installs it")

ROOT = pathlib.Path(__file__).resolve().parents[2] / "resources" / "demo-model" / "recipe"
sys.path.insert(0, str(ROOT))
import world  # noqa: E402


def one(shape="ball", colour="red", motion="rest", **more):
    return world.Scene("gradient", ("blue", "white"), objects=[world.Object(shape, colour, "large", motion, radius=0.25, **more)])


def where_red(frame):
    """The centroid (x, y) and area of all that is clearly red."""
    y, x = np.nonzero((frame[..., 0] > frame[..., 1] + 0.35) & (frame[..., 0] > frame[..., 2] + 0.35))
    return x.mean(), y.mean(), len(x)


def there(*packages):
    try:
        return all(importlib.util.find_spec(p) for p in packages)
    except ModuleNotFoundError:  # the package that contains it is missing
        return False

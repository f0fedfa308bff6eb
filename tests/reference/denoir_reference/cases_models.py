# SPDX-License-Identifier: Apache-2.0
"""Makes the model folders; to be called before the cases that use them."""

from . import models
from .files import Fixtures


def make(fixtures: Fixtures):
    for model in models.ALL:
        model.write(fixtures)
        fixtures.log(f"  _models/{model.folder}")

# SPDX-License-Identifier: Apache-2.0
"""Writes files so that they are either whole or absent, however the program that writes them ends."""

import os
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path):
    """Gives a name beside `path`, which only this process uses, to write to. At the end of the block that file is synced and renamed to
    `path`, or removed if the block raised."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield part
        with open(part, "rb+") as f:
            os.fsync(f.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def damaged(path: Path, why: Exception) -> SystemExit:
    """The exception to raise if `path` could not be read."""
    line = (str(why).splitlines() or [type(why).__name__])[0]
    return SystemExit(f"{path} cannot be read ({line}): remove it, or take it again from where it came")

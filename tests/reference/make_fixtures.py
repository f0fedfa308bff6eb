#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/fixtures again, byte for byte.

    python tests/reference/make_fixtures.py            everything, about a minute
    python tests/reference/make_fixtures.py --check    into a temporary folder, compared with what is there
    python tests/reference/make_fixtures.py --only transformer,encoders

What is expected comes from our own plain programs in float64 (denoir_reference/); each is held against diffusers,
transformers, Pillow, PyTorch or the numbers printed in the specification while it runs, and nothing is written past a
disagreement.
"""

import argparse
import filecmp
import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

GROUPS = ("models", "resize", "transformer", "encoders", "sampling", "tokenize", "pipelines", "traces")


def make(out: Path, groups, quiet: bool) -> int:
    from denoir_reference.files import Fixtures
    import torch

    torch.set_num_threads(2)
    fixtures = Fixtures(out, (lambda text: None) if quiet else print)
    for group in groups:
        print(group, flush=True)
        importlib.import_module(f"denoir_reference.cases_{group}").make(fixtures)
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    print(f"{len(fixtures.cases)} cases written, {size / 1e6:.1f} MB in the folder")
    return size


def clear(out: Path) -> None:
    """Removes what this program makes, and nothing else."""
    for path in out.iterdir() if out.exists() else ():
        if path.is_dir() and (
            path.name in ("_weights", "_models", "_inputs", "resize", "tokenize") or (path / "case.json").exists() or (path / "trace.json").exists()
        ):
            shutil.rmtree(path)


def differing(made: Path, kept: Path) -> list:
    names = sorted(str(f.relative_to(made)) for f in made.rglob("*") if f.is_file())
    return [n for n in names if not (kept / n).exists() or not filecmp.cmp(made / n, kept / n, shallow=False)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT.parent / "fixtures")
    parser.add_argument("--only", default="", help="groups, by commas: " + ",".join(GROUPS))
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--quiet", action="store_true")
    args = parser.parse_args()
    groups = [g for g in args.only.split(",") if g] or list(GROUPS)
    if unknown := [g for g in groups if g not in GROUPS]:
        parser.error(f"no such group: {', '.join(unknown)}")
    if args.check:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), groups, True)
            wrong = differing(Path(folder), args.out)
            print("\n".join(f"differs: {name}" for name in wrong) or "every byte is the same")
            return 1 if wrong else 0
    if len(groups) == len(GROUPS):
        clear(args.out)
    make(args.out, groups, args.quiet)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The bundled model's recipe. `python resources/demo-model/recipe COMMAND --help`; see README.md beside this file."""

import argparse
import os
import sys
import time
from pathlib import Path

BEGAN = time.monotonic()

# Set before numpy is imported: otherwise each drawing process would start BLAS threads on every core.
CHOSEN = "OMP_NUM_THREADS" in os.environ
os.environ.setdefault("OMP_NUM_THREADS", "1")

PLANS = ("cpu", "gpu", "continue", "smoke")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def main() -> int:
    parser = argparse.ArgumentParser(prog="recipe", description=__doc__)
    parser.add_argument("--work", type=Path, default=HERE.parents[2] / "training", help="folder of checkpoints and logs (default training/)")
    parser.add_argument("--model", type=Path, default=HERE.parent, help="the model folder (default resources/demo-model)")
    commands = parser.add_subparsers(dest="command", required=True)
    t = commands.add_parser("train", help="train one part, from its checkpoint or the exported weights")
    t.add_argument("part", choices=("transformer", "decoder", "encoder"))
    t.add_argument("--plan", choices=PLANS, default="cpu")
    t.add_argument("--minutes", type=float, default=1e6, help="stop in order after so many (default: run until stopped)")
    t.add_argument("--within", type=float, default=float("inf"), help="stop in order so many minutes after the start of this program, whatever it did meanwhile (compiling, say)")
    t.add_argument("--workers", type=int, help="processes that draw clips (default: the plan's)")
    e = commands.add_parser("export", help="averaged weights of every checkpoint into the model folder, in bf16")
    e.add_argument("--plan", choices=PLANS, help="the transformer's, which must be there (default: the cpu plan's, if it is)")
    e.add_argument("--share", type=float, default=1.0, help="of what the transformer learned since the last export, above 0 and at most 1 (default: all)")
    p = commands.add_parser("preview", help="a contact sheet of the transformer's checkpoint, without Denoir")
    p.add_argument("out", type=Path)
    p.add_argument("--plan", choices=PLANS, default="cpu")
    p.add_argument("--size", default="128x80", help="default 128x80")
    p.add_argument("--frames", type=int, default=1, help="4n+1 (default 1)")
    p.add_argument("--count", type=int, default=16, help="prompts, every fourth of two objects (default 16)")
    s = commands.add_parser("score", help="render held-out prompts with denoir-cli, write score.json and score.md beside this file")
    s.add_argument("--cli", type=Path, default=HERE.parents[2] / "build/release/bin/denoir-cli")
    s.add_argument("--samples", type=int, nargs=5, default=(100, 100, 50, 50, 20), metavar=("ONE", "TWO", "IMAGE", "CONTINUED", "VAE"), help="default 100 100 50 50 20")
    s.add_argument("--options", default="", help="further options of `denoir-cli render`, one string")
    s.add_argument("--keep", type=Path, help="folder for a strip of every clip")
    s.add_argument("--out", type=Path, default=HERE, help="folder for the sheet (default: this one)")
    a = commands.add_parser("agree", help="latents of denoir-cli against diffusers' modules from the same noise")
    a.add_argument("--cli", type=Path, default=HERE.parents[2] / "build/release/bin/denoir-cli")
    a.add_argument("--size", default="256x144")
    a.add_argument("--frames", type=int, default=33)
    a.add_argument("--steps", type=int, default=20)
    commands.add_parser("samples", help="draw the sample start images of resources/samples")
    g = commands.add_parser("gallery", help="render the sample prompts: resources/pictures/demo* and the gallery in README.md")
    g.add_argument("--cli", type=Path, default=HERE.parents[2] / "build/release/bin/denoir-cli")
    g.add_argument("--no-grid", action="store_true", help="without the table of steps and guidances; README.md stays as it is")
    args = parser.parse_args()
    if "cli" in args and not args.cli.exists():
        raise SystemExit(f"{args.cli} is missing: build it (CONTRIBUTING.md), or name it with --cli")
    import torch
    import train

    if args.command == "train" and args.plan == "gpu" and not torch.cuda.is_available():
        raise SystemExit("--plan gpu needs a CUDA device, and PyTorch finds none: take --plan cpu")
    if not CHOSEN and (args.command != "train" or args.plan == "gpu"):  # a training on the processor uses one core
        torch.set_num_threads(os.cpu_count() or 1)
    if args.command == "train":
        deadline = BEGAN + 60 * args.within
        if args.part == "transformer":
            train.train_transformer(args.model, args.work, args.plan, args.minutes, args.workers, deadline)
        else:
            on_gpu = args.plan == "gpu"
            workers = args.workers if args.workers is not None else train.DRAWERS if on_gpu else 0
            train.train_vae(args.model, args.work, args.part, args.minutes, "cuda" if on_gpu else "cpu", workers, deadline)
    elif args.command == "export":
        import export

        if not 0 < args.share <= 1:
            raise SystemExit("--share takes a number above 0 and at most 1")
        found = export.checkpoints(args.work, args.plan)
        for line in export.write(args.model, found, train.fixed_latent(args.model), args.share):
            print(line)
    elif args.command == "preview":
        import preview

        width, height = map(int, args.size.split("x"))
        preview.sheet(args.work, args.plan, train.fixed_latent(args.model), train.tokenizer(args.model), args.out, args.count, width, height, args.frames)
    elif args.command == "score":
        import json

        import score

        args.out.mkdir(parents=True, exist_ok=True)
        sheet = score.run(args.cli, args.model, dict(zip(score.SEEDS, args.samples)), tuple(args.options.split()), args.keep)
        (args.out / "score.json").write_text(json.dumps(sheet, indent=1) + "\n", encoding="utf-8")
        (args.out / "score.md").write_text(score.markdown(sheet), encoding="utf-8")
        print(score.markdown(sheet))
    elif args.command == "agree":
        import agree

        width, height = map(int, args.size.split("x"))
        agree.run(args.cli, args.model, "A large red ball bounces over a blue and pink gradient.", width, height, args.frames, args.steps)
    elif args.command == "samples":
        import samples

        samples.draw(HERE.parents[1] / "samples")
    elif args.command == "gallery":
        import gallery

        gallery.run(args.cli, args.model, HERE.parents[2], not args.no_grid)
    return 0


if __name__ == "__main__":
    sys.exit(main())

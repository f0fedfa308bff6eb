#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random prompts for `denoir-cli tokenize` on the tokenizers of tests/fixtures: scripts, marks, spaces, controls, entities, special tokens.

    python tests/reference/random_tokenize.py build/release/bin/denoir-cli [--count 300] [--seed 0] [--vocabulary tokenizer.json]

With `--vocabulary` on that one instead, say UMT5-XXL's own.
What is expected comes from ftfy, html and transformers' fast tokenizer. Texts that ftfy takes for wrongly decoded ones and repairs are
left out: Denoir does not guess that. Exit status 1 where any text or ids differ.
"""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from denoir_reference import text  # noqa: E402

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "tokenize"
WORDS = "A red fox jumps over the lazy dog slowly; camera pans left, cat smiles now <unk> </s> <extra_id_0> <pad> ▁ </ s> &amp; &lt;b&gt; <i>".split()
RANGES = (
    (0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x24F), (0x250, 0x36F), (0x300, 0x345), (0x370, 0x52F), (0x590, 0x6FF), (0x900, 0xDFF), (0x1100, 0x11FF),
    (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x20A0, 0x214F), (0x2460, 0x24FF), (0x2E80, 0x2FDF), (0x3000, 0x33FF), (0x4E00, 0x9FFF), (0xA640, 0xA7FF),
    (0xAC00, 0xD7FB), (0xE000, 0xE010), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFE6F), (0xFF00, 0xFFFF), (0x1D400, 0x1D7FF), (0x1F000, 0x1FAFF),
    (0x2F800, 0x2FA1F), (0xE0000, 0xE01EF), (0x10FFF0, 0x10FFFF), (0x80, 0x9F), (0x1, 0x1F),
)  # fmt: skip
SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2009\u2028\u2029\u202f\u205f\u3000\u200b\u2060\ufeff"


def entity(rng: random.Random) -> str:
    import html.entities

    kind = rng.randrange(5)
    if kind == 0:
        return "&" + rng.choice(sorted(html.entities.html5))
    if kind == 1:
        return f"&#{rng.choice((0, 9, 13, 38, 60, 128, 150, 173, 255, 0xD800, 0xFFFE, 0x10FFFF, 0x110000, 2**40, rng.randrange(0x3000)))}{rng.choice((';', ''))}"
    if kind == 2:
        return f"&#{rng.choice('xX')}{rng.randrange(0x20000):{rng.choice('xX')}}{rng.choice((';', ''))}"
    if kind == 3:
        return "&amp;" + rng.choice(("amp;", "lt;", "#38;", "amp;amp;", "nbsp;", "notit;"))
    return "&" + rng.choice(("", "#", "#;", "#x;", "unknown;", "AMP;", "Eacute;", "EACUTE;", "copy2", "ampx", " amp;"))


def drawn(rng: random.Random) -> str:
    parts = []
    for _ in range(rng.randrange(1, 14)):
        kind = rng.randrange(8)
        if kind < 2:
            parts.append(rng.choice(WORDS))
        elif kind == 2:
            parts.append(rng.choice(SPACES) * rng.randrange(1, 4))
        elif kind == 3:
            parts.append(entity(rng))
        elif kind == 4:
            parts.append(rng.choice(("👩\u200d🚀", "🇩🇪", "👍🏽", "e\u0301\u0323", "ｶﾞ", "각", "\u1100\u1161\u11a8", "ﬃ", "…", "“x”", "\x1b[31m", "\u2126", "\u0345\u0301", "가\u11a8")))
        else:
            low, high = rng.choice(RANGES)
            parts.append("".join(chr(rng.randint(low, high)) for _ in range(rng.randrange(1, 7))))
        if rng.random() < 0.5:
            parts.append(" ")
    return "".join(c for c in "".join(parts) if not 0xD800 <= ord(c) < 0xE000 and c != "\0")


def main() -> int:
    import ftfy

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--vocabulary", type=Path)
    args = parser.parse_args()
    original = "google/umt5-xxl"
    tokenizers = {  # keyed by the words that name it to denoir-cli: a tokenizer and its text length
        FIXTURES / "nfkc": (text.spiece_tokenizer((FIXTURES / "nfkc" / original / "spiece.model").read_bytes()), 512),
        FIXTURES / "small-json": (text.fast_tokenizer((FIXTURES / "small-json" / "tokenizer" / "tokenizer.json").read_text(encoding="utf-8")), 512),
        FIXTURES / "byte-fallback": (text.spiece_tokenizer((FIXTURES / "byte-fallback" / original / "spiece.model").read_bytes()), 512),
        FIXTURES / "identity": (text.fast_tokenizer((FIXTURES / "identity" / original / "tokenizer.json").read_text(encoding="utf-8")), 24),
    }
    if args.vocabulary:
        tokenizers = {args.vocabulary: (text.fast_tokenizer(args.vocabulary.read_text(encoding="utf-8")), 512)}
    wrong = left_out = 0
    for number in range(args.seed, args.seed + args.count):
        rng = random.Random(number)
        path, value = rng.choice(sorted(tokenizers)), drawn(rng)
        tokenizer, limit = tokenizers[path]
        if ftfy.fix_text(value, fix_encoding=False) != ftfy.fix_text(value):
            left_out += 1
            continue
        want = {"text": text.clean(value), "ids": text.ids(tokenizer, text.clean(value), limit)}
        done = subprocess.run([args.cli, "tokenize", "--model", str(path), "--json", "--", value], capture_output=True, text=True)
        got = json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()}
        if any(got.get(key) != want[key] for key in want):
            wrong += 1
            print(f"{number} {path.name}: {value!r}\n    wanted {want}\n    got    {got}", flush=True)
    print(f"{args.count - left_out} texts, {wrong} wrong, {left_out} left out")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

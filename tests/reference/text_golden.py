# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/text: random prompts with everything that goes wrong in text, cleaned by ftfy and html.unescape
(clean.json), and tokenized by transformers' T5TokenizerFast with the models of tests/fixtures/tokenize (ids.json), and
with special tokens named in the files beside them (special.json)."""
import html
import html.entities
import json
import pathlib
import random
import re
import shutil
import tempfile

import ftfy
from ftfy import badness, chardata
from transformers import T5TokenizerFast

from denoir_reference import text

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
LINES = text.SENTENCES
ENTITIES = sorted(html.entities.html5)
SUSPECTS = [c for c in map(chr, [*range(0x80, 0xD800), *range(0xE000, 0x10000)])
            if re.match("[" + "".join([*badness.MOJIBAKE_CATEGORIES.values(), *chardata.UTF8_CLUES.values()]) + "]", c)]
ODD = ["&", "&amp;", "<", ";", "#", "&#", "&#x", "\x1b[0m", "\x1b[", "\r\n", "\r", "\n", "\u2028", "\x85", "\u3000", "\u200b",
       "\ufeff", "\u00a0", "“", "’", "ﬁ", "ŉ", "Ǆ", "ｱ", "ﾞ", "！", "e\u0301", "\u0301", "\x07", "\x9f", "\x93", "\ufffd", "  ", "\t",
       "Ã", "Â", "â€™", "à", "\x1a", "\u0660", "quele", "œ"]
SPECIAL = ["</s>", "<pad>", "<unk>", "<s>", "<extra_id_1>", "  ", "   ", " ", "▁", "𓀀", "🏳️‍🌈", "👨‍👩‍👧", "e\u0301", "ﬁ", "½", "™\u0308", "，", "…",
           "\u3000", "\u00a0", "\u200b", "\u200f", "\ufffd", "\r\n", "क़\u0300", "क्ष", "각", "㍿", "<0x41>", "ＡＢＣ", "µ\u0308", "\u0600a", "─" * 13, "＜/s＞"]


def any_character(r):
    return chr(r.choice([r.randrange(1, 0x300), r.randrange(1, 0x3000), r.randrange(0x3000, 0xD800), r.randrange(0xE000, 0x20000)]))


def words(r):
    line = r.choice(LINES)
    start = r.randrange(len(line))
    return line[start:start + r.randrange(1, 14)]


def dirt(r):
    return r.choice([
        lambda: r.choice(ODD), lambda: "&" + r.choice(ENTITIES), lambda: "&" + r.choice(ENTITIES).upper(),
        lambda: r.choice(["&#%d", "&#%d;", "&#x%x;", "&#X%X"]) % r.choice([r.randrange(0, 0x180), r.randrange(0, 0x120000), 59, 0, 13]),
        lambda: any_character(r), lambda: r.choice(SUSPECTS), lambda: words(r)])()


def misread(r, value):
    for _ in range(r.choice([1, 1, 2])):
        value = value.encode("utf8", "replace").decode(r.choice(chardata.CHARMAP_ENCODINGS), "replace")
        if r.random() < 0.3:
            value = value.replace("\xa0", " ")
    return value


def surrogates(value):
    """UTF-8 as Java and old databases write it (CESU-8): six bytes for a character beyond the first plane, two for NUL."""
    units = value.encode("utf-16-le", "surrogatepass")
    pairs = "".join(chr(units[i] | units[i + 1] << 8) for i in range(0, len(units), 2))
    return pairs.encode("utf8", "surrogatepass").replace(b"\0", b"\xc0\x80")


def damaged(r):
    """A text that was misread once or twice, often as CESU-8, after some of its bytes were lost."""
    pool = "éüñø—“’…€日語русский😀🎈🏳👨\u200d\0 abc à quele às àquela\n"
    value = "".join(r.choice(pool) for _ in range(r.randrange(2, 24)))
    for _ in range(r.choice([1, 1, 1, 2])):
        raw = bytearray(surrogates(value) if r.random() < 0.6 else value.encode("utf8", "surrogatepass"))
        for _ in range(r.choice([0, 1, 2])):
            at = r.randrange(len(raw))
            if raw[at] >= 0x80:
                raw[at] = r.choice([0x1A, 0x1A, 0x3F, 0x20])
        value = raw.decode(r.choice(["sloppy-windows-1252"] * 4 + chardata.CHARMAP_ENCODINGS), "replace")
    return value.replace("\0", "").encode("utf8", "ignore").decode()


def dirty(r):
    value = "".join(dirt(r) for _ in range(r.randrange(1, 9)))
    kind = r.random()
    value = misread(r, value) if kind < 0.2 else value + misread(r, words(r)) + words(r) if kind < 0.4 else \
        misread(r, words(r)) if kind < 0.5 else value.replace("&", "&amp;") if kind < 0.6 else value
    return value.replace("\0", "").encode("utf8", "ignore").decode()


def clean(value):
    value = html.unescape(html.unescape(ftfy.fix_text(value))).strip()
    return re.sub(r"\s+", " ", value).strip()


def write(name, rows):
    out = FIXTURES / "text"
    out.mkdir(exist_ok=True)
    (out / name).write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=True, separators=(",", ":")) for row in rows) + "\n]\n")
    print(name, len(rows))


r = random.Random(5)
rows = [(value, clean(value)) for value in (dirty(r) for _ in range(600))]
lost = random.Random(6)
rows += [(value, clean(value)) for value in (damaged(lost) for _ in range(150))]
write("clean.json", rows)

rows = []
for model in ("nfkc", "byte-fallback", "small-json", "identity"):
    path = next(p for p in sorted((FIXTURES / "tokenize" / model).rglob("*")) if p.name in ("spiece.model", "tokenizer.json"))
    tokenizer = text.spiece_tokenizer(path.read_bytes()) if path.suffix == ".model" else text.fast_tokenizer(path.read_text())
    for _ in range(120):
        pick = lambda: r.choice([lambda: r.choice(SPECIAL), lambda: any_character(r), lambda: words(r), lambda: words(r)])()
        value = "".join(pick() for _ in range(r.randrange(0, 9)))
        rows.append((model, value, tokenizer(value, truncation=True, max_length=40)["input_ids"]))
write("ids.json", rows)


def token(content, **flags):
    return {"content": content, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False} | flags


def decoder(*tokens):
    return {str(i): token(content, special=True) | flags for i, content, flags in tokens}


NAMES = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
BESIDE = [  # model, tokenizer_config.json, special_tokens_map.json
    ("small-json", NAMES | {"extra_ids": 0}, NAMES),  # as in diffusers' folders
    ("small-json", None, {k: token(v) for k, v in NAMES.items()}),  # without a number of extra ids there are T5's hundred
    ("small-json", NAMES | {"extra_ids": 2, "eos_token": None, "legacy": True, "model_max_length": 10**30}, None),
    ("small-json", {"extra_ids": 0}, {"cls_token": token("fox", lstrip=True, rstrip=True), "mask_token": token("<mask>", lstrip=True)}),
    ("small-json", {"additional_special_tokens": ["<extra_id_1>", "<extra_id_0>", "<new>"], "extra_ids": 2,
                    "added_tokens_decoder": decoder((2, "<s>", {}), (1, "</s>", {"rstrip": True}), (365, "<extra_id_1>", {"lstrip": True}),
                                                    (400, "<mask>", {"special": False, "single_word": True}))},
     {"bos_token": "never read"}),
    ("small-json", {"extra_ids": 0, "sep_token": {"__type": "AddedToken"} | token("ﬁx", normalized=True),
                    "additional_special_tokens": ["red", "dog"]}, {"additional_special_tokens": ["dog", token("the", single_word=True)]}),
    ("nfkc", NAMES | {"extra_ids": 7, "bos_token": "fox"}, {"mask_token": "<mask>"}),
    ("nfkc", NAMES | {"extra_ids": 2, "additional_special_tokens": ["<extra_id_0>", "<extra_id_1>"],
                      "added_tokens_decoder": decoder((0, "<pad>", {}), (1, "</s>", {}), (2, "<s>", {"lstrip": True}), (3, "<unk>", {}))}, None),
]
BITS = [*SPECIAL, "<mask>", "<new>", "fox", "red", "dog", "the", "fix", "ﬁx", "<extra_id_0>", "<extra_id_2>", "'", " ", "\u200f"]
rows = []
for model, config, special in BESIDE:
    path = next(p for p in sorted((FIXTURES / "tokenize" / model).rglob("*")) if p.name in ("spiece.model", "tokenizer.json"))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copy(path, folder)
        for name, value in (("tokenizer_config.json", config), ("special_tokens_map.json", special)):
            if value is not None:
                (folder / name).write_text(json.dumps(value))
        tokenizer = T5TokenizerFast.from_pretrained(folder)
    texts = ["".join(r.choice([lambda: r.choice(BITS), lambda: r.choice(BITS), lambda: words(r)])() for _ in range(r.randrange(1, 9))) for _ in range(50)]
    rows.append({"model": str(path.relative_to(FIXTURES / "tokenize")), "tokenizer_config": config, "special_tokens_map": special,
                 "texts": [[value, tokenizer(value)["input_ids"]] for value in texts]})
write("special.json", rows)

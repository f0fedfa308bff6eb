# SPDX-License-Identifier: Apache-2.0
"""Prompt cleaning (spec umt5.md 5) and tiny tokenizers in the form of google/umt5-xxl."""

import base64
import html
import io
import json
import re
from pathlib import Path

SENTENCES = """A red fox jumps over the lazy dog, slowly; the camera pans left.
A young woman walks along the beach at sunset while small waves roll over her feet.
The old lighthouse stands on a cliff above the sea, its light turning in the fog.
Close-up of a cat drinking milk from a blue bowl on a wooden table.
An astronaut rides a horse through a field of wheat under two moons.
Slow motion: water drops fall into a glass and splash, macro lens, soft light.
The train leaves the station; snow falls on the tracks, people wave goodbye.
low quality, blurred, static, watermark, worst quality, JPEG artifacts, extra fingers, ugly
A chef cuts onions in a busy kitchen, steam rising from the pots behind him.
Two children build a castle of sand, then a wave takes it away.
Aerial view of a city at night, car lights flowing like rivers of gold.
Ein alter Mann füttert Tauben im Park, die Blätter fallen langsam zu Boden.
Une fille blonde court à travers la forêt, la lumière du matin éclaire son visage.
El perro pequeño corre detrás de la pelota roja en el jardín soleado.
色调艳丽，过曝，静态，细节模糊不清，字幕，风格，作品，画作，画面，静止，整体发灰，最差质量，低质量
一只猫坐在窗台上，看着外面的雨，画面宁静而温暖
夕日が海に沈み、波が静かに岸に寄せる
고양이가 창가에 앉아 비를 바라보고 있다
Рыжая лиса бежит по снегу, камера медленно следует за ней
0 1 2 3 4 5 6 7 8 9 10 24 30 50 100 1920 1080 4K HDR 16:9 f/2.8 ISO-400 "quoted" 'single' (round) [square] <angle>
& % $ # @ ! ?
abc def ghi jkl mno pqr stu vwx yz ABC DEF GHI JKL MNO PQR STU VWX YZ""".split("\n")

# A character map of a few rules, some over several characters: source code points, tab, target code points, in hex.
SMALL_RULES = {
    "　": " ",
    "\u00a0": " ",
    "\t": " ",
    "\n": " ",
    "\u200b": " ",
    "\ufeff": " ",
    "，": ",",
    "！": "!",
    "Ａ": "A",
    "Ｂ": "B",
    "ｆ": "f",
    "…": "...",
    "™": "TM",
    "½": "1⁄2",
    "①": "1",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "é": "é",
    "à": "à",
    "ü": "ü",
    "ñ": "ñ",
    "か\u3099": "が",
    "ｶ": "カ",
    "ｶ\uff9e": "ガ",
    "\u0001": "",
    "\u007f": "",
    "²": "2",
    "Å": "Å",
}


def clean(text: str) -> str:
    import ftfy

    text = html.unescape(html.unescape(ftfy.fix_text(text))).strip()
    return re.sub(r"\s+", " ", text).strip()


def train(vocabulary: int, rules: str, byte_fallback: bool = False, sentences=None) -> bytes:
    """spiece.model: unigram, ids 0 <pad>, 1 </s>, 2 <s>, 3 <unk>. `rules`: nmt_nfkc, identity, small (SMALL_RULES)."""
    import tempfile

    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        more = {"normalization_rule_name": rules}
        if rules == "small":
            path = Path(folder) / "rules.tsv"
            path.write_text(
                "".join(
                    " ".join(f"{ord(c):X}" for c in k) + "\t" + " ".join(f"{ord(c):X}" for c in v) + "\n"
                    for k, v in sorted(SMALL_RULES.items())
                ),
                encoding="utf-8",
            )
            more = {"normalization_rule_tsv": str(path)}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter((sentences or SENTENCES) * 3),
            model_writer=out,
            model_type="unigram",
            num_threads=1,
            vocab_size=vocabulary,
            pad_id=0,
            eos_id=1,
            bos_id=2,
            unk_id=3,
            character_coverage=0.98,
            byte_fallback=byte_fallback,
            hard_vocab_limit=False,
            minloglevel=2,
            **more,
        )
    model = sentencepiece_model_pb2.ModelProto.FromString(out.getvalue())
    model.normalizer_spec.normalization_rule_tsv = ""  # a temporary path
    return model.SerializeToString(deterministic=True)


def tokenizer_json(spiece: bytes, added: tuple = ()) -> str:
    """tokenizer.json of the form that google/umt5-xxl has; `added`: pieces cut out of the text before all else."""
    from sentencepiece import sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto.FromString(spiece)
    pieces = [[p.piece, p.score] for p in model.pieces]
    at = {p[0]: i for i, p in enumerate(pieces)}
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    normalizers = [{"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]
    if model.normalizer_spec.precompiled_charsmap:
        charsmap = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
        normalizers.insert(0, {"type": "Precompiled", "precompiled_charsmap": charsmap})
    extra = []
    for name in added:
        if name not in at:
            at[name] = len(pieces) + len(extra)
            extra.append([name, 0.0])
    value = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": at[name],
                "content": name,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for name in added
        ],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": spaces,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}},
        },
        "decoder": spaces,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": pieces + extra, "byte_fallback": False},
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def fast_tokenizer(json_text: str):
    """transformers' T5TokenizerFast, made from a tokenizer.json."""
    from tokenizers import Tokenizer
    from transformers import T5TokenizerFast

    return T5TokenizerFast(tokenizer_object=Tokenizer.from_str(json_text), extra_ids=0)


def spiece_tokenizer(spiece: bytes):
    """T5TokenizerFast as transformers makes it from a folder that has only a spiece.model. Unlike the tokenizer.json of
    google/umt5-xxl it removes white space at the end, and cuts `<s>` and the extra ids out of the text."""
    import tempfile

    from transformers import T5TokenizerFast

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "spiece.model").write_bytes(spiece)
        return T5TokenizerFast.from_pretrained(folder)


def ids(tokenizer, text: str, limit: int = 512) -> list:
    """The real ids of a cleaned text with the end token, at most `limit`."""
    return tokenizer(text, truncation=True, max_length=limit, add_special_tokens=True)["input_ids"]

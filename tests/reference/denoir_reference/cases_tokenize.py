# SPDX-License-Identifier: Apache-2.0
"""Cases of cleaning and tokenizing: writes tests/fixtures/tokenize/cases.json and the models beside it."""

from . import text
from .files import Fixtures, write_json

WORDS = "A red fox jumps over the lazy dog, slowly; the camera pans left. "
TEXTS = {  # name: (text, note)
    "plain": (WORDS.strip(), "an ordinary prompt"),
    "empty": ("", "the end token alone"),
    "blank": (" \t\n  ", "nothing is left after cleaning"),
    "spaces": ("  a   cat\t\tdrinks\r\n milk  ", "white space collapses"),
    "unicode-spaces": ("a\u00a0cat\u2003drinks\u3000milk\u2028now\u0085then", "white space of every kind"),
    "zero-width": ("a\u200bcat\u200ddrinks\ufeff milk", "no white space to Python, spaces to the character map"),
    "entities": ("salt &amp; pepper &lt;left&gt; &quot;x&quot; &#233; &#x4E2D; &eacute;", "HTML entities"),
    "entities-twice": ("a &amp;amp; b &amp;lt;c&amp;gt; &amp;#38;", "entities behind entities"),
    "entities-bare": (
        "fish &amp chips &notit; &copy 2024 &unknown; &#0; &#128; &#xD800;",
        "without a semicolon, and broken",
    ),
    "entities-tag": ("<b>bold</b> &amp; plain &lt;", "with a tag ftfy leaves entities to the second step"),
    "entities-capitals": ("&EACUTE; &AMP; &Eacute;", "entities in capitals"),
    "quotes": ("“curly” ‘single’ ‚low‛ „low‟ it’s", "quotes become straight"),
    "ligatures": ("ﬁre ﬂow oﬃce aﬄuent ﬅone ŉ Ǆ ǆ Ĳ ĳ Ǳ", "Latin ligatures are taken apart"),
    "fullwidth": ("ＡＢＣ，ｆｕｌｌ！　ﾃｽﾄ ｶﾞｷﾞ", "full and half width"),
    "decomposed": ("cafe\u0301 nin\u0303o A\u030angstrom か\u3099", "decomposed accents are composed"),
    "symbols": ("½ cup ™ … ① ² Å ~ ～ 。", "characters that the map replaces, and some it does not"),
    "controls": ("a\u0001b\u007fc\u0008d\u206aef\u001b[31mred\u001b[0m g", "controls and terminal escapes disappear"),
    "windows-controls": ("a\u0096b\u0085c\u0092d", "C1 controls are Windows-1252"),
    "chinese": (
        "色调艳丽，过曝，静态，细节模糊不清，字幕，风格，作品，画作，画面，静止，整体发灰",
        "a negative prompt",
    ),
    "japanese": ("夕日が海に沈み、波が静かに岸に寄せる。", "Japanese"),
    "korean": ("고양이가 창가에 앉아 비를 바라보고 있다", "Korean"),
    "russian": ("Рыжая лиса бежит по снегу", "Cyrillic"),
    "emoji": ("a cat 😀😀 smiles 👩‍🚀 now 🇩🇪", "emoji, joined and paired, are unknown"),
    "unknown-run": ("ჟრტ ჟ a ჟ1ჟ", "runs of unknown characters are one unknown token in each word"),
    "numbers": ("4K HDR 16:9 f/2.8 ISO-400, 1920x1080 (100%)", "digits and signs"),
    "long-word": ("Donaudampfschifffahrtsgesellschaftskapitän" * 4, "a long word"),
    "repeats": ("aaaaaaaaaaaaaaaaaaaaaaaa sssssssssssssss .............. ,,,,,", "ties between segmentations"),
    "long": (WORDS * 60, "over the limit: 511 tokens and the end token"),
    "piece-sign": ("a▁b ▁ c", "the piece sign itself in the text"),
    "byte-piece": ("<0x41> <unk> is text", "text that looks like a piece of another kind"),
}


def _store(fixtures: Fixtures, name: str, spiece: bytes, files: dict):
    folder = fixtures.root / "tokenize" / name
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def make(fixtures: Fixtures):
    import ftfy
    import sentencepiece

    original = "google/umt5-xxl"
    cases = []
    special = ("<pad>", "</s>", "<s>", "<unk>", "<extra_id_1>", "<extra_id_0>")

    def add(model, spiece, tokenizer, chosen, limit=512):
        pieces = sentencepiece.SentencePieceProcessor(model_proto=spiece)
        for name in chosen:
            value, note = TEXTS[name]
            cleaned = text.clean(value)
            assert ftfy.fix_text(value, fix_encoding=False) == ftfy.fix_text(value), f"{name} needs mojibake repair"
            got = text.ids(tokenizer, cleaned, limit)
            if pieces.encode(cleaned)[: limit - 1] + [1] != got:
                note += "; the sentencepiece library gives other ids"
            cases.append(
                {"name": f"{model}-{name}", "model": model, "text": value, "cleaned": cleaned, "ids": got, "note": note}
            )

    everything = list(TEXTS)
    spiece = text.train(360, "nmt_nfkc")
    _store(fixtures, "nfkc", spiece, {f"{original}/spiece.model": spiece})
    # The fast tokenizer cuts <unk> out of a text, and the sentencepiece library does not.
    add("nfkc", spiece, text.spiece_tokenizer(spiece), [n for n in everything if n != "byte-piece"])

    spiece = text.train(420, "small")
    json_text = text.tokenizer_json(spiece, special)
    _store(fixtures, "small-json", spiece, {"tokenizer/tokenizer.json": json_text})
    tokenizer = text.fast_tokenizer(json_text)
    add("small-json", spiece, tokenizer, everything)
    for name, value in (
        ("special", "a</s>b <extra_id_1> c <pad>"),
        ("special-alone", "<extra_id_0>"),
        ("special-not", "< /s> </S>"),
    ):
        cases.append(
            {
                "name": f"small-json-{name}",
                "model": "small-json",
                "text": value,
                "cleaned": text.clean(value),
                "ids": text.ids(tokenizer, text.clean(value)),
                "note": "special tokens written out are cut from the text",
            }
        )

    spiece = text.train(640, "small", byte_fallback=True)
    _store(fixtures, "byte-fallback", spiece, {f"{original}/spiece.model": spiece})
    add(
        "byte-fallback",
        spiece,
        text.spiece_tokenizer(spiece),
        ["plain", "empty", "chinese", "emoji", "unknown-run", "fullwidth", "symbols", "decomposed"],
    )

    spiece = text.train(180, "identity", sentences=text.SENTENCES[:12])
    _store(fixtures, "identity", spiece, {f"{original}/tokenizer.json": text.tokenizer_json(spiece)})
    write_json(fixtures.root / "tokenize" / "identity" / "config.json", {"_class_name": "WanModel", "text_len": 24})
    add(
        "identity",
        spiece,
        text.fast_tokenizer(text.tokenizer_json(spiece)),
        ["plain", "long", "empty", "fullwidth", "symbols", "repeats"],
        limit=24,
    )
    write_json(fixtures.root / "tokenize" / "cases.json", cases)
    fixtures.log(f"  tokenize: {len(cases)} texts")

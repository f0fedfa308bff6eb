# SPDX-License-Identifier: Apache-2.0
"""Writes glyphs.inc: the letters that are drawn into videos, from Aileron Regular (Sora Sagano, CC0 1.0), which comes with Pillow 12: of what that
has, which is ASCII and a few signs; letters with one mark are put together of a letter and signs, others are spelled with the letters there are.
Any version of zlib may pack it otherwise; the letters are the same."""

import pathlib
import unicodedata
import zlib

from PIL import Image, ImageChops, ImageDraw, ImageFont, ImageOps

EM = 30
GAP = 2  # rows between a letter and its mark
FONT = ImageFont.load_default(size=EM)
ASCENT, DESCENT = FONT.getmetrics()
HEIGHT = ASCENT + DESCENT

# Combining mark: sign, its size (None: as it is) and whether it is turned upside down.
MARKS = {0x300: ("`", None, False), 0x301: ("´", None, False), 0x302: ("^", (10, 5), False), 0x303: ("~", (11, 4), False), 0x304: ("-", (9, 2), False),
         0x306: ("^", (9, 4), True), 0x307: (".", None, False), 0x308: ("..", None, False), 0x30A: ("°", (7, 7), False), 0x30B: ("´´", None, False),
         0x30C: ("^", (10, 5), True), 0x326: (",", None, False), 0x327: (",", None, False), 0x328: (",", None, False)}  # fmt: skip
BELOW = {0x326, 0x327, 0x328}

SIGNS = {"‘": "'", "’": "'", "‚": ",", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-", "×": "x", "÷": "/", "≤": "<=", "≥": ">=", "→": "->",
         "←": "<-", "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ħ": "h",
         "Ħ": "H", "ı": "i", "ł": "l", "Ł": "L", "ŋ": "ng", "Ŋ": "Ng", "ŧ": "t", "Ŧ": "T", "ĸ": "k", "¿": "?", "¡": "!", "€": "EUR", "£": "GBP", "¥": "JPY", "µ": "u", "¦": "|",
         "\xa0": " ", "\xad": "-"}  # fmt: skip
CYRILLIC = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюяєіїґўђјљњћџ",
                    "a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch ' y ' e iu ia ie i i g u dj j lj nj c dz".split()))  # fmt: skip
GREEK = dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split()))


def bitmap(letter):
    """Its picture over the whole line, and its advance."""
    advance = round(FONT.getlength(letter))
    _, _, right, _ = FONT.getbbox(letter)
    picture = Image.new("L", (max(advance, right, 1), HEIGHT), 0)
    ImageDraw.Draw(picture).text((0, 0), letter, font=FONT, fill=255)
    return picture, advance


MISSING = bitmap("\ufffe")[0].tobytes()


def has(letter):
    return len(letter) == 1 and bitmap(letter)[0].tobytes() != MISSING and letter.isprintable()


def without_dot(picture):
    """ı of i: what stands above the highest empty row."""
    rows = [any(picture.crop((0, y, picture.width, y + 1)).tobytes()) for y in range(HEIGHT)]
    top = rows.index(True)
    picture = picture.copy()
    picture.paste(0, (0, 0, picture.width, rows.index(False, top)))
    return picture


def mark(code):
    sign, size, turned = MARKS[code]
    parts = [bitmap(s)[0] for s in sign]
    parts = [p.crop(p.getbbox()) for p in parts]
    picture = Image.new("L", (sum(p.width for p in parts) + 3 * (len(parts) - 1), parts[0].height), 0)
    x = 0
    for part in parts:
        picture.paste(part, (x, 0))
        x += part.width + 3
    if size:
        picture = picture.resize(size, Image.Resampling.LANCZOS)
    return ImageOps.flip(picture) if turned else picture


def composed(letter):
    """Picture and advance of a letter with one mark that fits; else nothing."""
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) != 2 or ord(parts[1]) not in MARKS or not has(parts[0]) or not parts[0].isascii():
        return None
    base, advance = bitmap(parts[0])
    code, sign = ord(parts[1]), mark(ord(parts[1]))
    if code not in BELOW and parts[0] in "ij":
        base = without_dot(base)
    left, top, right, bottom = base.getbbox()
    y = bottom - 1 if code in BELOW else top - GAP - sign.height
    if y < 0 or y + sign.height > HEIGHT:
        return None
    x = (left + right - sign.width) // 2
    width = max(base.width, x + sign.width, base.width - min(0, x))
    picture = Image.new("L", (width, HEIGHT), 0)
    picture.paste(base, (max(0, -x), 0))
    over = Image.new("L", picture.size, 0)
    over.paste(sign, (max(0, x), y))
    return ImageChops.lighter(picture, over), max(advance, width)


def spelled(letter, drawn):
    """With the letters that are drawn; "" where nobody could read that."""
    lower = letter.lower()
    for table in (SIGNS, CYRILLIC, GREEK):
        if letter in table:
            return table[letter]
        if lower in table:
            return table[lower].capitalize()
    bare = "".join(c for c in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(c)).replace("⁄", "/")
    if bare == letter:
        return ""
    out = "".join(c if c in drawn else spelled(c, drawn) or "\0" for c in bare)
    return "" if "\0" in out or not out.strip() else out


def main():
    drawn = {c: bitmap(c) for c in [*map(chr, range(32, 127)), *"±°´·»«…©"] if has(c) or c == " "}
    for letter in map(chr, (*range(0xC0, 0x180), *range(0x218, 0x21C))):
        if letter not in drawn and (made := composed(letter)):
            drawn[letter] = made
    table, pixels = [], bytearray()
    for letter, (picture, advance) in sorted(drawn.items()):
        table.append((ord(letter), picture.width, advance, len(pixels)))
        pixels += picture.tobytes()
    ranges = (range(0xA0, 0x250), range(0x370, 0x530), range(0x1E00, 0x2070), range(0x20A0, 0x20C0), range(0x2190, 0x2194), range(0x2200, 0x2270), range(0xFF01, 0xFF5F))
    others = [(c, spelled(chr(c), drawn)) for r in ranges for c in r if chr(c) not in drawn]
    others = [(c, text) for c, text in others if text and all(t in drawn for t in text)]
    # Sixteen shades are enough and pack better.
    packed = zlib.compress(bytes((v + 8) // 17 for v in pixels), 9)
    rows = [" ".join("{%d, %d, %d, %d}," % row for row in table[i:i + 6]) for i in range(0, len(table), 6)]
    words = ['{0x%X, "%s"},' % (c, text.replace("\\", "\\\\").replace('"', '\\"')) for c, text in others]
    words = [" ".join(words[i:i + 9]) for i in range(0, len(words), 9)]
    data = ["".join(f"{v}," for v in packed[i:i + 48]) for i in range(0, len(packed), 48)]
    newline = "\n    "
    pathlib.Path(__file__).with_suffix(".inc").write_text(f"""// SPDX-License-Identifier: Apache-2.0
// Made by glyphs.py from Aileron Regular (CC0 1.0).
constexpr int glyph_height = {HEIGHT}, glyph_ascent = {ASCENT};
constexpr std::size_t glyph_pixels = {len(pixels)};
constexpr Glyph glyphs[] = {{ // code point, width, advance, offset; by code point
    {newline.join(rows)}
}};
constexpr Spelling spellings[] = {{ // code point, letters that are drawn for it; by code point
    {newline.join(words)}
}};
constexpr std::uint8_t glyph_data[] = {{
    {newline.join(data)}
}};
""")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Writes glyphs.inc: the letters that are drawn into videos, from Aileron Regular (Sora Sagano, CC0 1.0), which comes with Pillow 12.
 Any version of zlib
may pack it otherwise; the letters are the same."""

import pathlib
import zlib

from PIL import Image, ImageDraw, ImageFont

EM = 30
TEXT = [chr(c) for c in (*range(32, 127), *range(160, 256))] + list("–—…×±≥≤Δ·−")


def main():
    font = ImageFont.load_default(size=EM)
    ascent, descent = font.getmetrics()
    height = ascent + descent
    table, pixels = [], bytearray()
    for letter in dict.fromkeys(TEXT):
        advance = round(font.getlength(letter))
        left, _, right, _ = font.getbbox(letter)
        width = max(advance, right, 1)
        picture = Image.new("L", (width, height), 0)
        ImageDraw.Draw(picture).text((0, 0), letter, font=font, fill=255)
        table.append((ord(letter), width, advance, len(pixels)))
        pixels += picture.tobytes()
    # Sixteen shades are enough and pack better.
    packed = zlib.compress(bytes((v + 8) // 17 for v in pixels), 9)
    rows = [" ".join("{%d, %d, %d, %d}," % row for row in table[i:i + 6]) for i in range(0, len(table), 6)]
    data = ["".join(f"{v}," for v in packed[i:i + 36]) for i in range(0, len(packed), 36)]
    newline = "\n    "
    pathlib.Path(__file__).with_suffix(".inc").write_text(f"""// SPDX-License-Identifier: Apache-2.0
// Made by glyphs.py from Aileron Regular (CC0 1.0).
constexpr int glyph_height = {height}, glyph_ascent = {ascent};
constexpr std::size_t glyph_pixels = {len(pixels)};
constexpr Glyph glyphs[] = {{ // code point, width, advance, offset
    {newline.join(rows)}
}};
constexpr std::uint8_t glyph_data[] = {{
    {newline.join(data)}
}};
""")


if __name__ == "__main__":
    main()

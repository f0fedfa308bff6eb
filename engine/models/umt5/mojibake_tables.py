# SPDX-License-Identifier: Apache-2.0
"""Writes mojibake_classes.inc and misread_encodings.inc: which characters belong to the classes of ftfy's mojibake heuristic (read from an installed ftfy),
and the upper halves of the one-byte encodings it tries (from Python's codecs and ftfy's tolerant variants)."""
import pathlib
import re

import ftfy
from ftfy import badness, chardata

everything = "".join(chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000)
masks = {}
names = list(badness.MOJIBAKE_CATEGORIES) + list(chardata.UTF8_CLUES)
for bit, members in enumerate(list(badness.MOJIBAKE_CATEGORIES.values()) + list(chardata.UTF8_CLUES.values())):
    for c in re.findall(f"[{members}]", everything):
        masks[ord(c)] = masks.get(ord(c), 0) | 1 << bit

ranges = []
for c in sorted(masks):
    if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == masks[c]:
        ranges[-1][1] = c
    else:
        ranges.append([c, c, masks[c]])


def wrapped(items):
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) > 118:
            lines.append(line)
            line = "   "
        line += " " + item
    return "\n".join(lines + [line])


classes = wrapped(f"{name} = 1u << {bit}," for bit, name in enumerate(names)).rstrip(",")
table = wrapped(f"{{{first:#x}, {last:#x}, {mask:#x}}}," for first, last, mask in ranges)
encodings = []
for name in chardata.CHARMAP_ENCODINGS[1:]:  # Latin-1 needs no table
    half = wrapped(f"{ord(c):#x}," for c in bytes(range(128, 256)).decode(name))
    sloppy = str(name.startswith("sloppy")).lower()
    macroman = str(name == "macroman").lower()
    encodings.append(f"    {{{sloppy}, {macroman}, {{ // {name.removeprefix('sloppy-')}\n{half} }}}},")
head = f"// SPDX-License-Identifier: Apache-2.0\n// Made by mojibake_tables.py from ftfy {ftfy.__version__} (Apache-2.0, copyright Robyn Speer).\n"
here = pathlib.Path(__file__).parent
(here / "mojibake_classes.inc").write_text(f"""{head}constexpr std::uint32_t
{classes};
constexpr ClassRange class_ranges[] = {{
{table}
}};
""")
(here / "misread_encodings.inc").write_text(f"""{head}constexpr Encoding encodings[] = {{
{chr(10).join(encodings)}
}};
""")

# SPDX-License-Identifier: Apache-2.0
"""Writes html_entities.inc, the HTML5 character references of Python's html.entities. Any Python >= 3.9 gives the same."""
import html.entities
import pathlib


def literal(text):
    plain = lambda c: 32 < ord(c) < 127 and c not in '"\\?'
    return '"' + "".join(c if plain(c) else "".join(f"\\{b:03o}" for b in c.encode()) for c in text) + '"'


lines, line = [], "   "
for name, text in sorted(html.entities.html5.items()):
    item = f' {{"{name}", {literal(text)}}},'
    if len(line) + len(item) > 119:
        lines.append(line)
        line = "   "
    line += item
body = "\n".join(lines + [line])
pathlib.Path(__file__).with_suffix(".inc").write_text(f"""// SPDX-License-Identifier: Apache-2.0
// Made by html_entities.py: {len(html.entities.html5)} names, sorted in byte order; values are UTF-8.
constexpr Entity named_entities[] = {{
{body}
}};
""")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts frames of a clip (PNG files as denoir-cli writes them: 8-bit RGB, not interlaced) side by side into one PNG.

Usage: contact_sheet.py FOLDER OUT.png [COLUMNS ROWS]        (needs only Python's standard library)"""
import os
import struct
import sys
import zlib


def read_png(path):
    """-> width, height, rows of RGB bytes. Ends the program if the file is not such a PNG."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise SystemExit(f"{path}: not a PNG")
    at, packed, width, height = 8, b"", 0, 0
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            if (depth, colour, interlace) != (8, 2, 0):
                raise SystemExit(f"{path}: only plain 8-bit RGB is read")
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    raw, stride, rows, above = zlib.decompress(packed), 3 * width, [], bytes(3 * width)
    for y in range(height):
        start = y * (stride + 1)
        method, line = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for i in range(stride):
            a = line[i - 3] if i >= 3 else 0
            b, c = above[i], above[i - 3] if i >= 3 else 0
            if method == 1:
                line[i] = (line[i] + a) & 255
            elif method == 2:
                line[i] = (line[i] + b) & 255
            elif method == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif method == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                line[i] = (line[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        rows.append(bytes(line))
        above = rows[-1]
    return width, height, rows


def write_png(path, width, rows):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    raw = b"".join(b"\0" + r for r in rows)
    head = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 6)) + chunk(b"IEND", b""))


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    folder, out = sys.argv[1:3]
    columns, lines = (int(n) for n in sys.argv[3:5]) if len(sys.argv) == 5 else (4, 2)
    names = sorted(n for n in os.listdir(folder) if n.endswith(".png"))
    if not names:
        sys.exit(f"{folder}: no frames")
    count = columns * lines
    picks = [names[round(i * (len(names) - 1) / max(count - 1, 1))] for i in range(count)]
    frames = [read_png(os.path.join(folder, n)) for n in picks]
    width, height, gap = frames[0][0], frames[0][1], 4
    margin = b"\xff" * (3 * gap)
    sheet = []
    for line in range(lines):
        part = frames[line * columns : (line + 1) * columns]
        sheet += [margin.join(f[2][y] for f in part) for y in range(height)]
        if line + 1 < lines:
            sheet += [b"\xff" * len(sheet[0])] * gap
    write_png(out, len(sheet[0]) // 3, sheet)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a folder with the names, shapes and sizes of a Wan 2.1 T2V 14B model in bf16, and no data: sparse files that take a few kilobytes of the disk.
What a program says of such a model before it reads a weight can be tried with it.

Usage: hollow_model.py FOLDER        (Python's standard library alone)"""
import json
import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "packaging"))
import tiny_model as shapes  # noqa: E402

VOCABULARY = 256384
BYTES = {"BF16": 2, "F32": 4}


def write_hollow(path, tensors, dtype):
    """tensors: name -> (shape, anything)."""
    header, offset = {}, 0
    for name, (shape, _) in sorted(tensors.items()):
        end = offset + BYTES[dtype] * math.prod(shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        f.truncate(8 + len(text) + offset)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(os.path.join(folder, "google", "umt5-xxl"), exist_ok=True)
    with open(os.path.join(folder, "google", "umt5-xxl", "spiece.model"), "wb") as f:
        f.write(shapes.sentencepiece_model())
    shapes.DIM, shapes.HEADS, shapes.FFN, shapes.LAYERS, shapes.FREQ = 5120, 40, 13824, 40, 256
    shapes.TEXT_DIM, shapes.TEXT_LEN, shapes.TEXT_HEADS, shapes.TEXT_FFN, shapes.TEXT_LAYERS = 4096, 512, 64, 10240, 24
    shapes.BASE = 96
    config = {"_class_name": "WanModel", "family": "wan", "model_type": "t2v", "dim": 5120, "ffn_dim": 13824, "freq_dim": 256, "in_dim": 16, "out_dim": 16,
              "num_heads": 40, "num_layers": 40, "eps": 1e-6, "text_len": 512}
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=1)
    text_encoder = shapes.text_encoder() | {"token_embedding.weight": ([VOCABULARY, 4096], 1)}
    write_hollow(os.path.join(folder, "model.safetensors"), shapes.transformer(), "BF16")
    write_hollow(os.path.join(folder, "Wan2.1_VAE.safetensors"), shapes.vae(), "F32")
    write_hollow(os.path.join(folder, "models_t5_umt5-xxl-enc.safetensors"), text_encoder, "BF16")


if __name__ == "__main__":
    main()

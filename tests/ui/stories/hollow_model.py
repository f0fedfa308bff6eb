#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a folder with the names, shapes and sizes of a Wan 2.1 T2V 14B model in bf16, or of SkyReels-V2 I2V 1.3B, and no data: sparse files that take
a few kilobytes of the disk. What a program says of such a model before it reads a weight can be tried with it, and how much memory a card would need.

Usage: hollow_model.py FOLDER [t2v-14b|i2v-1.3b]        (Python's standard library alone)"""
import json
import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "packaging"))
import tiny_model as shapes  # noqa: E402

VOCABULARY = 256384
BYTES = {"BF16": 2, "F32": 4}


def write_hollow(path, tensors, dtype):
    """Writes a file of these tensors, {name: (shape, anything)}, without their data."""
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


def clip():
    """The image half of open_clip's xlm-roberta-large-vit-huge-14."""
    width, hidden = 1280, 5120
    norm = {"weight": ([width], -1), "bias": ([width], 0)}
    t = {"cls_embedding": ([1, 1, width], 1), "pos_embedding": ([1, 257, width], 1), "patch_embedding.weight": ([width, 3, 14, 14], 1), "head": ([width, 1024], 1)}
    t |= shapes.named("pre_norm", norm) | shapes.named("post_norm", norm)
    for i in range(32):
        b = f"transformer.{i}"
        t |= shapes.named(f"{b}.norm1", norm) | shapes.named(f"{b}.norm2", norm)
        for name, out, inner in (("attn.to_qkv", 3 * width, width), ("attn.proj", width, width), ("mlp.0", hidden, width), ("mlp.2", width, hidden)):
            t |= shapes.named(f"{b}.{name}", shapes.linear(out, inner))
    return shapes.named("visual", t)


def i2v_parts(t):
    """The tensors that an image-to-video transformer has beside those of a text-to-video one."""
    dim, seen = shapes.DIM, 1280
    t["patch_embedding.weight"] = ([dim, 36, 1, 2, 2], 1)
    for i in range(shapes.LAYERS):
        cross = f"blocks.{i}.cross_attn"
        t |= shapes.named(f"{cross}.k_img", shapes.linear(dim, dim)) | shapes.named(f"{cross}.v_img", shapes.linear(dim, dim))
        t[f"{cross}.norm_k_img.weight"] = ([dim], -1)
    for k, width in ((0, seen), (4, dim)):
        t |= {f"img_emb.proj.{k}.weight": ([width], -1), f"img_emb.proj.{k}.bias": ([width], 0)}
    return t | shapes.named("img_emb.proj.1", shapes.linear(seen, seen)) | shapes.named("img_emb.proj.3", shapes.linear(dim, seen))


def main():
    kind = sys.argv[2] if len(sys.argv) == 3 else "t2v-14b"
    if len(sys.argv) not in (2, 3) or kind not in ("t2v-14b", "i2v-1.3b"):
        sys.exit(__doc__)
    folder, image = sys.argv[1], kind == "i2v-1.3b"
    os.makedirs(os.path.join(folder, "google", "umt5-xxl"), exist_ok=True)
    with open(os.path.join(folder, "google", "umt5-xxl", "spiece.model"), "wb") as f:
        f.write(shapes.sentencepiece_model())
    shapes.DIM, shapes.HEADS, shapes.FFN, shapes.LAYERS, shapes.FREQ = (1536, 12, 8960, 30, 256) if image else (5120, 40, 13824, 40, 256)
    shapes.TEXT_DIM, shapes.TEXT_LEN, shapes.TEXT_HEADS, shapes.TEXT_FFN, shapes.TEXT_LAYERS = 4096, 512, 64, 10240, 24
    shapes.BASE = 96
    config = {"_class_name": "WanModel", "family": "skyreels" if image else "wan", "model_type": "i2v" if image else "t2v", "dim": shapes.DIM,
              "ffn_dim": shapes.FFN, "freq_dim": 256, "in_dim": 36 if image else 16, "out_dim": 16, "num_heads": shapes.HEADS, "num_layers": shapes.LAYERS,
              "eps": 1e-6, "text_len": 512}
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=1)
    text_encoder = shapes.text_encoder() | {"token_embedding.weight": ([VOCABULARY, 4096], 1)}
    write_hollow(os.path.join(folder, "model.safetensors"), i2v_parts(shapes.transformer()) if image else shapes.transformer(), "BF16")
    write_hollow(os.path.join(folder, "Wan2.1_VAE.safetensors"), shapes.vae(), "F32")
    write_hollow(os.path.join(folder, "models_t5_umt5-xxl-enc.safetensors"), text_encoder, "BF16")
    if image:
        write_hollow(os.path.join(folder, "models_clip_open-clip-xlm-roberta-large-vit-huge-14.safetensors"), clip(), "BF16")


if __name__ == "__main__":
    main()

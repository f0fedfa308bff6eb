#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a tiny diffusion-forcing model with random weights in the original SkyReels-V2 layout. It has every part, but has learned nothing.

Usage: tiny_model.py FOLDER        (needs only Python's standard library)"""
import array
import json
import math
import os
import random
import struct
import sys

DIM, HEADS, FFN, LAYERS, FREQ = 64, 2, 128, 2, 64
TEXT_DIM, TEXT_LEN, TEXT_HEADS, TEXT_FFN, TEXT_LAYERS = 32, 64, 2, 48, 2
Z, BASE = 16, 8
PIECES = ["<pad>", "</s>", "<s>", "<unk>", "\u2581"] + [chr(c) for c in range(33, 127)]


def linear(out, inner, bias=True):
    return {"weight": ([out, inner], inner), **({"bias": ([out], 0)} if bias else {})}


def named(prefix, tensors):
    return {f"{prefix}.{k}": v for k, v in tensors.items()}


def transformer():
    t = {"patch_embedding.weight": ([DIM, Z, 1, 2, 2], Z * 4), "patch_embedding.bias": ([DIM], 0)}
    for name, out, inner in (("text_embedding.0", DIM, TEXT_DIM), ("text_embedding.2", DIM, DIM), ("time_embedding.0", DIM, FREQ),
                             ("time_embedding.2", DIM, DIM), ("time_projection.1", 6 * DIM, DIM), ("head.head", 4 * Z, DIM)):
        t |= named(name, linear(out, inner))
    t["head.modulation"] = ([1, 2, DIM], DIM)
    for i in range(LAYERS):
        b = f"blocks.{i}"
        t[f"{b}.modulation"] = ([1, 6, DIM], DIM)
        for attention in ("self_attn", "cross_attn"):
            for m in "qkvo":
                t |= named(f"{b}.{attention}.{m}", linear(DIM, DIM))
            for n in ("norm_q", "norm_k"):
                t[f"{b}.{attention}.{n}.weight"] = ([DIM], -1)
        t |= {f"{b}.norm3.weight": ([DIM], -1), f"{b}.norm3.bias": ([DIM], 0)}
        t |= named(f"{b}.ffn.0", linear(FFN, DIM)) | named(f"{b}.ffn.2", linear(DIM, FFN))
    return t


def conv(out, inner, *kernel):
    return {"weight": ([out, inner, *kernel], inner * math.prod(kernel)), "bias": ([out], 0)}


def residual(p, inner, out):
    t = {f"{p}.residual.0.gamma": ([inner, 1, 1, 1], -1), f"{p}.residual.3.gamma": ([out, 1, 1, 1], -1)}
    t |= named(f"{p}.residual.2", conv(out, inner, 3, 3, 3)) | named(f"{p}.residual.6", conv(out, out, 3, 3, 3))
    return t | (named(f"{p}.shortcut", conv(out, inner, 1, 1, 1)) if inner != out else {})


def middle(p, c):
    attention = {f"{p}.1.norm.gamma": ([c, 1, 1], -1)} | named(f"{p}.1.to_qkv", conv(3 * c, c, 1, 1)) | named(f"{p}.1.proj", conv(c, c, 1, 1))
    return residual(f"{p}.0", c, c) | attention | residual(f"{p}.2", c, c)


def vae():
    c = [BASE, BASE * 2, BASE * 4, BASE * 4]
    t = named("encoder.conv1", conv(c[0], 3, 3, 3, 3)) | named("conv1", conv(2 * Z, 2 * Z, 1, 1, 1)) | named("conv2", conv(Z, Z, 1, 1, 1))
    n, width = 0, c[0]
    for level in range(4):
        for _ in range(2):
            t |= residual(f"encoder.downsamples.{n}", width, c[level])
            n, width = n + 1, c[level]
        if level < 3:
            t |= named(f"encoder.downsamples.{n}.resample.1", conv(width, width, 3, 3))
            if level > 0:
                t |= named(f"encoder.downsamples.{n}.time_conv", conv(width, width, 3, 1, 1))
            n += 1
    t |= middle("encoder.middle", width) | {"encoder.head.0.gamma": ([width, 1, 1, 1], -1)} | named("encoder.head.2", conv(2 * Z, width, 3, 3, 3))
    t |= named("decoder.conv1", conv(width, Z, 3, 3, 3)) | middle("decoder.middle", width)
    n = 0
    for level in range(4):
        out = c[3 - level]
        for _ in range(3):
            t |= residual(f"decoder.upsamples.{n}", width, out)
            n, width = n + 1, out
        if level < 3:
            t |= named(f"decoder.upsamples.{n}.resample.1", conv(width // 2, width, 3, 3))
            if level < 2:
                t |= named(f"decoder.upsamples.{n}.time_conv", conv(2 * width, width, 3, 1, 1))
            n, width = n + 1, width // 2
    return t | {"decoder.head.0.gamma": ([width, 1, 1, 1], -1)} | named("decoder.head.2", conv(3, width, 3, 3, 3))


def text_encoder():
    t = {"token_embedding.weight": ([len(PIECES), TEXT_DIM], 1), "norm.weight": ([TEXT_DIM], -1)}
    for i in range(TEXT_LAYERS):
        b = f"blocks.{i}"
        t |= {f"{b}.norm1.weight": ([TEXT_DIM], -1), f"{b}.norm2.weight": ([TEXT_DIM], -1), f"{b}.pos_embedding.embedding.weight": ([32, TEXT_HEADS], 1)}
        for m in "qkvo":
            t |= named(f"{b}.attn.{m}", linear(TEXT_DIM, TEXT_DIM, False))
        for m, out, inner in (("gate.0", TEXT_FFN, TEXT_DIM), ("fc1", TEXT_FFN, TEXT_DIM), ("fc2", TEXT_DIM, TEXT_FFN)):
            t |= named(f"{b}.ffn.{m}", linear(out, inner, False))
    return t


def write_safetensors(path, tensors, seed):
    """tensors: name -> (shape, fan-in). A fan-in of 0 gives small values for a bias, -1 gives ones."""
    draw, header, data, offset = random.Random(seed), {}, [], 0
    for name, (shape, fan) in sorted(tensors.items()):
        count = math.prod(shape)
        scale = 0.02 if fan == 0 else math.sqrt(1 / max(fan, 1))
        values = array.array("f", [1.0] * count if fan == -1 else [draw.uniform(-1, 1) * scale * 1.7 for _ in range(count)])
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + 4 * count]}
        data.append(values.tobytes())
        offset += 4 * count
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def sentencepiece_model():
    """A unigram model whose pieces are single characters, as SentencePiece's ModelProto."""
    kinds = {"<pad>": 3, "</s>": 3, "<s>": 3, "<unk>": 2}
    out = b""
    for piece in PIECES:
        out += field(1, field(1, piece.encode()) + b"\x15" + struct.pack("<f", 0.0 if piece in kinds else -4.0) + b"\x18" + varint(kinds.get(piece, 1)))
    number = lambda n, v: varint(n << 3) + varint(v)
    out += field(2, number(3, 1) + number(40, 3) + number(41, 2) + number(42, 1) + number(43, 0))
    return out + field(3, field(1, b"identity"))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(os.path.join(folder, "google", "umt5-xxl"), exist_ok=True)
    config = {"_class_name": "WanModel", "family": "skyreels-df", "model_type": "t2v", "dim": DIM, "ffn_dim": FFN, "freq_dim": FREQ, "in_dim": Z, "out_dim": Z,
              "num_heads": HEADS, "num_layers": LAYERS, "eps": 1e-6, "text_len": TEXT_LEN}
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=1)
    write_safetensors(os.path.join(folder, "model.safetensors"), transformer(), 1)
    write_safetensors(os.path.join(folder, "Wan2.1_VAE.safetensors"), vae(), 2)
    write_safetensors(os.path.join(folder, "models_t5_umt5-xxl-enc.safetensors"), text_encoder(), 3)
    with open(os.path.join(folder, "google", "umt5-xxl", "spiece.model"), "wb") as f:
        f.write(sentencepiece_model())


if __name__ == "__main__":
    main()

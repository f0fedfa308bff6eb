#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes model folders of true layout, names and size with random weights, for the measurements that need real sizes.

    python tests/reference/make_models.py OUT --model wan-t2v-1.3b        # 5.3 GiB of transformer, VAE, tokenizer
    python tests/reference/make_models.py OUT --model skyreels-i2v-1.3b --text-encoder --clip
    python tests/reference/make_models.py OUT --model wan-t2v-1.3b --layers 2 --text-layers 2     # quick to write

Files are written tensor by tensor, so memory stays below 1 GiB however large the model is. Weights are uniform: standard
deviation 0.02 in the transformer and the text encoder, by the width of the kernel in the VAE; norms 1, biases and tables
small. Activations stay of order one, and the VAE's video fills its range without being clamped away.
The same arguments give the same bytes.
"""

import argparse
import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from denoir_reference import clip, models, text, transformer, umt5, vae, vae22, weights  # noqa: E402
from denoir_reference.files import write_json  # noqa: E402
from denoir_reference.values import fnv1a  # noqa: E402

CHUNK = 1 << 22  # how many elements are made at a time

_WIDE = dict(ffn=8960, layers=30, heads=12, freq_dim=256, text_dim=4096, text_len=512)
MODELS = {  # name: (folder, configuration, model_type, file)
    "wan-t2v-1.3b": (
        "Wan2.1-T2V-1.3B",
        transformer.Config(dim=1536, **_WIDE),
        "t2v",
        "diffusion_pytorch_model.safetensors",
    ),
    "skyreels-i2v-1.3b": (
        "SkyReels-V2-I2V-1.3B-540P",
        transformer.Config(dim=1536, in_channels=36, clip_dim=1280, **_WIDE),
        "i2v",
        "model.safetensors",
    ),
    "skyreels-df-1.3b": (
        "SkyReels-V2-DF-1.3B-540P",
        transformer.Config(dim=1536, fps=True, **_WIDE),
        "t2v",
        "model.safetensors",
    ),
    "wan-ti2v-5b": (
        "Wan2.2-TI2V-5B",
        transformer.Config(dim=3072, in_channels=48, out_channels=48, **_WIDE | dict(ffn=14336, heads=24)),
        "ti2v",
        "diffusion_pytorch_model.safetensors",
    ),
}
TEXT = (256384, 4096, 4096, 10240, 64)  # vocabulary, width, attention width, ffn, heads
CLIP = (1280, 5120)  # width, MLP


class Values:
    """Uniform 32-bit counters through a hash; `scale` is the half width of the interval around `centre`."""

    def __init__(self, name: str, shape, scale: float, centre: float, dtype: str):
        self.count = int(np.prod(shape, dtype=np.int64))
        self.shape, self.dtype = tuple(int(n) for n in shape), dtype
        self.seed, self.scale, self.centre = np.uint32(fnv1a(name) & 0xFFFFFFFF), np.float32(scale), np.float32(centre)

    @property
    def bytes(self) -> int:
        return self.count * (4 if self.dtype == "F32" else 2)

    def chunks(self):
        for begin in range(0, self.count, CHUNK):
            with np.errstate(over="ignore"):
                z = np.arange(begin, min(begin + CHUNK, self.count), dtype=np.uint32) + self.seed
                z = (z ^ (z >> np.uint32(16))) * np.uint32(0x7FEB352D)
                z = (z ^ (z >> np.uint32(15))) * np.uint32(0x846CA68B)
                z ^= z >> np.uint32(16)
            value = (z.astype(np.float32) * np.float32(2.0**-31) - np.float32(1)) * self.scale + self.centre
            if self.dtype == "F32":
                yield value.tobytes()
            else:  # bf16: round half to even
                bits = value.view(np.uint32)
                yield (
                    ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16))
                    .astype("<u2")
                    .tobytes()
                )


def write_safetensors(path: Path, tensors: dict) -> None:
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, v in tensors.items():
        header[name] = {"dtype": v.dtype, "shape": list(v.shape), "data_offsets": [offset, offset + v.bytes]}
        offset += v.bytes
    raw = json.dumps(header, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(raw)) + raw)
        for v in tensors.values():
            for chunk in v.chunks():
                f.write(chunk)


def _pickle(tensors: dict) -> bytes:
    """The data.pkl that torch.save writes for an OrderedDict of tensors, one storage each (protocol 2)."""
    out = bytearray(b"\x80\x02ccollections\nOrderedDict\n)R(")

    def text_of(s: str):
        raw = s.encode()
        out.extend(b"X" + struct.pack("<I", len(raw)) + raw)

    def number(n: int):
        if n < 256:
            out.extend(b"K" + struct.pack("<B", n))
        elif n < 1 << 31:
            out.extend(b"J" + struct.pack("<i", n))
        else:
            raw = n.to_bytes((n.bit_length() + 8) // 8, "little", signed=True)
            out.extend(b"\x8a" + struct.pack("<B", len(raw)) + raw)

    def numbers(values):
        out.extend(b"(")
        for n in values:
            number(n)
        out.extend(b"t")

    for key, (name, v) in enumerate(tensors.items()):
        text_of(name)
        out.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((")
        text_of("storage")
        out.extend(b"ctorch\n" + (b"FloatStorage" if v.dtype == "F32" else b"BFloat16Storage") + b"\n")
        text_of(str(key))
        text_of("cpu")
        number(v.count)
        out.extend(b"tQ")
        number(0)
        numbers(v.shape)
        numbers([int(np.prod(v.shape[i + 1 :], dtype=np.int64)) for i in range(len(v.shape))])
        out.extend(b"\x89ccollections\nOrderedDict\n)RtR")
    return bytes(out + b"u.")


def write_pth(path: Path, tensors: dict) -> None:
    """A zip of stored entries whose data begin at multiples of 64 bytes, as torch.save makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    root = path.stem
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:

        def entry(name: str, chunks, size: int):
            info = zipfile.ZipInfo(f"{root}/{name}", (1980, 1, 1, 0, 0, 0))
            # Before the data come 30 bytes of local header, the name, the ZIP64 field of 20 bytes that zipfile puts first, and this field.
            at = archive.fp.tell() + 30 + len(info.filename.encode()) + (20 if size >= 1 << 30 else 0) + 4
            padding = -at % 64
            info.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
            info.file_size = size
            with archive.open(info, "w", force_zip64=size >= 1 << 30) as f:
                for chunk in chunks:
                    f.write(chunk)

        table = _pickle(tensors)
        entry("data.pkl", [table], len(table))
        entry("byteorder", [b"little"], 6)
        for key, v in enumerate(tensors.values()):
            entry(f"data/{key}", v.chunks(), v.bytes)
        entry("version", [b"3\n"], 2)


def transformer_tensors(c: transformer.Config, dtype: str) -> dict:
    out = {}
    for name, shape in transformer.shapes(c).items():
        if "norm" in name and name.endswith("weight") or name in ("img_emb.proj.0.weight", "img_emb.proj.4.weight"):
            out[name] = Values(name, shape, 0.02, 1.0, dtype)
        elif name.endswith("modulation"):
            out[name] = Values(name, shape, 0.04, 0.0, dtype)
        else:
            out[name] = Values(name, shape, 0.01 if name.endswith("bias") else 0.02 * 3**0.5, 0.0, dtype)
    return out


def vae_tensors(second: bool, dtype: str) -> dict:
    """The tensors of Wan 2.1's VAE, or of Wan 2.2's."""
    out = {}
    for name, shape in (vae22.shapes(160, 256, 48) if second else vae.shapes(96, 16)).items():
        if name.endswith("gamma"):
            out[name] = Values(name, shape, 0.05, 1.0, dtype)
        elif name.endswith("bias"):
            out[name] = Values(name, shape, 0.02, 0.0, dtype)
        else:
            gain = (
                0.3
                if name.startswith(("encoder.head", "decoder.head"))
                else 0.5
                if name.endswith("residual.6.weight")
                else 1.0
            )
            out[name] = Values(name, shape, gain * (3 / float(np.prod(shape[1:]))) ** 0.5, 0.0, dtype)
    return out


def text_tensors(layers: int) -> dict:
    out = {}
    for name, shape in umt5.shapes(*TEXT, layers).items():
        # UMT5 does not divide its scores by sqrt(d), so the queries are as small as trained ones.
        scale = 0.005 if name.endswith("attn.q.weight") else 0.5 if "embedding" in name else 0.02
        out[name] = Values(
            name, shape, 0.02 if "norm" in name else scale * 3**0.5, 1.0 if "norm" in name else 0.0, "BF16"
        )
    return out


def clip_tensors(layers: int) -> dict:
    out = {}
    for name, shape in clip.shapes(*CLIP, layers, head=1024).items():
        norm = "norm" in name and name.endswith("weight")
        out[name] = Values(name, shape, 0.02 if norm else 0.02 * 3**0.5, 1.0 if norm else 0.0, "F32")
    out["log_scale"] = Values("log_scale", (), 0.0, 2.6593, "F32")
    out["textual.token_embedding.weight"] = Values("textual", (1000, 64), 0.02, 0.0, "F32")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder that receives the model's folder")
    parser.add_argument("--model", choices=sorted(MODELS), default="wan-t2v-1.3b")
    parser.add_argument("--dtype", choices=("f32", "bf16"), default="f32", help="of the transformer (default f32)")
    parser.add_argument("--vae-dtype", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--text-encoder", action="store_true", help="UMT5-XXL in bf16, 10.6 GiB; without it a tiny one")
    parser.add_argument("--clip", action="store_true", help="the ViT-H/14 tower in f32, 2.4 GiB; only for I2V models")
    parser.add_argument("--layers", type=int, help="blocks of the transformer, fewer than the true 30")
    parser.add_argument("--text-layers", type=int, default=24)
    parser.add_argument("--clip-layers", type=int, default=32)
    args = parser.parse_args()
    folder_name, config, model_type, file = MODELS[args.model]
    config = transformer.Config(**{**config.__dict__, "layers": args.layers or config.layers})
    out = args.out / folder_name

    def said(path: Path, write, *what):
        write(out / path, *what)
        print(f"{out / path}: {(out / path).stat().st_size:,} bytes", flush=True)

    write_json(out / "config.json", weights.transformer_config(config, model_type))
    said(Path(file), write_safetensors, transformer_tensors(config, args.dtype.upper()))
    second_vae = config.out_channels == 48
    said(Path(models.VAE22_FILE if second_vae else models.VAE_FILE), write_pth, vae_tensors(second_vae, args.vae_dtype.upper()))
    if args.text_encoder:
        said(Path(models.TEXT_FILE), write_pth, text_tensors(args.text_layers))
    else:
        sizes = (256, config.text_dim, 64, 128, 1, 1)  # the text encoder has its true width, or the transformer could not take its rows
        tiny = {
            name: Values(name, shape, 0.02 if "norm" in name else 0.05, 1.0 if "norm" in name else 0.0, "BF16")
            for name, shape in umt5.shapes(*sizes).items()
        }
        said(Path(models.TEXT_FILE), write_pth, tiny)
    if args.clip:
        said(Path(models.CLIP_FILE), write_pth, clip_tensors(args.clip_layers))
    elif config.clip_dim:
        print("without --clip the folder has no image encoder: image to video cannot run")
    tokenizer = out / "google" / "umt5-xxl"
    tokenizer.mkdir(parents=True, exist_ok=True)
    spiece = models.spiece()
    (tokenizer / "spiece.model").write_bytes(spiece)
    (tokenizer / "tokenizer.json").write_text(text.tokenizer_json(spiece), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

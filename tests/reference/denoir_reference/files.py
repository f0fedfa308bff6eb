# SPDX-License-Identifier: Apache-2.0
"""Writes files whose bytes depend only on their contents."""

import io
import json
import struct
import zipfile
from pathlib import Path

import torch

_NAMES = {
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float64: "F64",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.uint8: "U8",
    torch.int8: "I8",
    torch.bool: "BOOL",
}


def _raw(tensor: torch.Tensor) -> bytes:
    flat = tensor.detach().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def write_safetensors(path: Path, tensors: dict, metadata: dict | None = None) -> None:
    """Writes tensors in the order of their names; the header is padded with spaces to a multiple of 8 bytes."""
    header, offset, parts = {}, 0, []
    if metadata:
        header["__metadata__"] = metadata
    for name in sorted(tensors):
        data = _raw(tensors[name])
        header[name] = {
            "dtype": _NAMES[tensors[name].dtype],
            "shape": list(tensors[name].shape),
            "data_offsets": [offset, offset + len(data)],
        }
        parts.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def write_pth(path: Path, tensors: dict, root: str = "archive") -> None:
    """A state dict as torch.save writes it; `root` is the folder name inside the zip."""
    from collections import OrderedDict

    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()  # a buffer, so that the zip's inner folder is not named after a temporary path
    torch.save(OrderedDict((k, v.contiguous().clone()) for k, v in tensors.items()), buffer)
    path.write_bytes(buffer.getvalue())
    with zipfile.ZipFile(path) as check:
        assert any(n.endswith("/data.pkl") for n in check.namelist()) and root


def write_json(path: Path, value) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


class Fixtures:
    """Writes cases in the layout of tests/fixtures: `_weights/NAME`, `_models/NAME`, `CASE/{case.json, in, expect}`."""

    def __init__(self, root: Path, log=print):
        self.root, self.log, self.cases = root, log, []

    def weights(self, name: str) -> Path:
        return self.root / "_weights" / name

    def model(self, name: str) -> Path:
        return self.root / "_models" / name

    @staticmethod
    def _home(weights: str) -> str:
        return "_models" if "-tiny" in weights else "_weights"

    def case(
        self,
        name: str,
        module: str,
        weights: list,
        inputs,
        expect: dict,
        *,
        tol: float,
        note: str,
        settings: dict | None = None,
        dtype: str = "f32",
        precision: str | None = None,
        slices: dict | None = None,
    ):
        """`inputs`: tensors, the path of a shared file, or None. `weights`: paths under _weights or _models."""
        folder = self.root / name
        case = {
            "module": module,
            "dtype": dtype,
            "set": {k: str(v) for k, v in (settings or {}).items()},
            "weights": [f"../{self._home(w)}/{w}" for w in weights],
            "tol": tol,
            "note": note,
        }
        if precision:
            case["precision"] = precision
        if isinstance(inputs, str):
            case["inputs"] = inputs
        elif inputs is not None:
            write_safetensors(folder / "in.safetensors", inputs)
        if slices:
            case["slices"] = slices
        write_json(folder / "case.json", case)
        write_safetensors(folder / "expect.safetensors", {k: v.to(torch.float32) for k, v in expect.items()})
        self.cases.append(name)
        self.log(f"  {name}: {note}")


def relative_error(got: torch.Tensor, want: torch.Tensor) -> float:
    """max|a - b| / max|b|, the measure that the cases use."""
    if got.shape != want.shape:
        raise ValueError(f"shapes {tuple(got.shape)} and {tuple(want.shape)}")
    return float((got.double() - want.double()).abs().max() / want.double().abs().max().clamp_min(1e-30))


def agree(what: str, got: torch.Tensor, want: torch.Tensor, limit: float) -> float:
    """Ends the program if two references disagree."""
    error = relative_error(got, want)
    if not error <= limit:
        raise SystemExit(f"{what}: the references differ by {error:.2e}, allowed {limit:.0e}")
    return error

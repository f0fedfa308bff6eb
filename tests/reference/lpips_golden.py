# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/lpips/golden.json: LPIPS of the package lpips 0.1.4 with weights that are hashes of their names.

    python tests/reference/lpips_golden.py

The published weights may not be here; these are made by the C++ test from the same whole-number formula (`value`), so that nothing large is
stored. Pictures are those of picture_metrics_golden.py."""

import json
import math
import pathlib

import lpips
import numpy as np
import torch

from picture_metrics_golden import pair

CASES = [("alex", 64, 48, 1, "noise 9"), ("alex", 97, 61, 2, "shift 2"), ("alex", 31, 31, 3, "noise 40"), ("alex", 50, 33, 4, "none"),
         ("vgg", 32, 24, 5, "noise 9"), ("vgg", 17, 16, 6, "shift 1")]


def value(name, count):
    """Returns `count` numbers in -1 … 1, made from the bytes of a name."""
    h = np.uint64(2166136261)
    for byte in name.encode():
        h = ((h ^ np.uint64(byte)) * np.uint64(16777619)) & np.uint64(0xFFFFFFFF)
    i = (np.arange(count, dtype=np.uint64) * np.uint64(2654435761) + h) & np.uint64(0xFFFFFFFF)
    i ^= i >> np.uint64(16)
    i = (i * np.uint64(0x45D9F3B)) & np.uint64(0xFFFFFFFF)
    i ^= i >> np.uint64(16)
    return (i.astype(np.float64) / 2**31 - 1).astype(np.float32)


def weight(key, shape):
    """The weight `key`, as torchvision and the heads call it: "0.weight", "lin2"."""
    values = value(key, math.prod(shape))
    if key.startswith("lin"):
        return (values + 1) / 2
    return values * np.float32((3.0 / math.prod(shape[1:])) ** 0.5 if len(shape) == 4 else 0.1)


def model(net):
    network = lpips.LPIPS(net=net, pretrained=False, pnet_rand=True, verbose=False).eval()
    state = {}
    for name, tensor in network.state_dict().items():
        if name.startswith("scaling_layer"):
            state[name] = tensor
            continue
        parts = name.split(".")
        key = f"lin{parts[1]}" if parts[0] == "lins" else parts[0] if parts[0].startswith("lin") else ".".join(parts[2:])
        state[name] = torch.from_numpy(weight(key, tuple(tensor.shape)).reshape(tensor.shape))
    network.load_state_dict(state)
    return network.double()


def main():
    torch.set_num_threads(1)
    networks, rows = {}, []
    for net, width, height, seed, change in CASES:
        networks.setdefault(net, model(net))
        a, b = (torch.from_numpy(p.astype(np.float64)).permute(2, 0, 1)[None] / 127.5 - 1 for p in pair(width, height, seed, change, False))
        with torch.no_grad():
            rows.append({"net": net, "width": width, "height": height, "seed": seed, "change": change, "distance": networks[net](a, b).item()})
    out = pathlib.Path(__file__).resolve().parents[1] / "fixtures" / "lpips" / "golden.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()

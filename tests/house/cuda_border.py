#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every function that the CUDA backend overrides must go over the border of its module. A function of Backend that has a default compiles without that, and a
card would silently run the default."""
import re
import sys


def overridden(path):
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r"(\w+)\([^;{}]*\)\s*(?:const\s*)?override", file.read()))


def main():
    backend = sys.argv[1] + "/engine/backend/"
    missing = overridden(backend + "cuda/cuda_backend.h") - overridden(backend + "cuda_proxy.cpp") - {"CudaBackend"}
    for name in sorted(missing):
        print(f"{name} is CudaBackend's own, but not in cuda/module.h, cuda/guard.cpp and cuda_proxy.cpp")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

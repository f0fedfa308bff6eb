# SPDX-License-Identifier: Apache-2.0
"""The generators behind torch.randn (spec pipelines.md 1.6), in plain Python and NumPy."""

import math

import numpy as np

_MASK32 = 0xFFFFFFFF


class _Mt19937:
    def __init__(self, seed: int):
        state = [seed & _MASK32]
        for i in range(1, 624):
            state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & _MASK32)
        self.state, self.at = state, 624

    def next(self) -> int:
        if self.at == 624:
            s = self.state
            for i in range(624):
                y = (s[i] & 0x80000000) | (s[(i + 1) % 624] & 0x7FFFFFFF)
                s[i] = s[(i + 397) % 624] ^ (y >> 1) ^ (0x9908B0DF if y & 1 else 0)
            self.at = 0
        y = self.state[self.at]
        self.at += 1
        y ^= y >> 11
        y ^= (y << 7) & 0x9D2C5680
        y ^= (y << 15) & 0xEFC60000
        return y ^ (y >> 18)


def torch_cpu(seed: int, count: int) -> np.ndarray:
    """float32 [count], as torch.randn(count, generator=torch.Generator('cpu').manual_seed(seed))."""
    words, out = _Mt19937(seed), np.empty(count, dtype=np.float64)

    def sixteen(begin):
        u = [words.next() for _ in range(16)]
        fill(begin, [(w & 0xFFFFFF) * 2.0**-24 for w in u])

    def fill(begin, u):
        for j in range(8):
            radius, angle = math.sqrt(-2.0 * math.log(1.0 - u[j])), 2.0 * math.pi * u[j + 8]
            out[begin + j], out[begin + j + 8] = radius * math.cos(angle), radius * math.sin(angle)

    def double():
        high, low = words.next(), words.next()
        return (((high << 32) | low) & ((1 << 53) - 1)) * 2.0**-53

    if count < 16:
        for k in range(0, count, 2):
            u1, u2 = double(), double()
            radius, angle = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
            out[k] = radius * math.cos(angle)
            if k + 1 < count:
                out[k + 1] = radius * math.sin(angle)
        return out.astype(np.float32)
    # All uniform values are drawn before the groups of sixteen are transformed; those for the rest are drawn afterwards.
    u = [(words.next() & 0xFFFFFF) * 2.0**-24 for _ in range(count)]
    for begin in range(0, count - 15, 16):
        fill(begin, u[begin : begin + 16])
    if count % 16:
        sixteen(count - 16)
    return out.astype(np.float32)


def _philox(key: int, counter: list) -> list:
    k0, k1 = key & _MASK32, (key >> 32) & _MASK32
    c = list(counter)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k0, b & _MASK32, (a >> 32) ^ c[3] ^ k1, a & _MASK32]
        k0, k1 = (k0 + 0x9E3779B9) & _MASK32, (k1 + 0xBB67AE85) & _MASK32
    return c


def torch_cuda(seed: int, count: int, multiprocessors: int, threads_per_multiprocessor: int = 2048) -> np.ndarray:
    """float32 [count], as from a CUDA generator on a card with so many multiprocessors."""
    grid = min(multiprocessors * (threads_per_multiprocessor // 256), -(-count // 256))
    stride, out = 256 * grid, np.empty(count, dtype=np.float64)

    def pair(x, y):
        u, v = x * 2.0**-32 + 2.0**-33, 2.0 * math.pi * (y * 2.0**-32 + 2.0**-33)
        s = math.sqrt(-2.0 * math.log(u))
        return s * math.sin(v), s * math.cos(v)

    for thread in range(min(stride, count)):
        for call in range(-(-(count - thread) // (4 * stride))):
            w = _philox(seed, [call & _MASK32, call >> 32, thread & _MASK32, thread >> 32])
            for lane, value in enumerate((*pair(w[0], w[1]), *pair(w[2], w[3]))):
                index = thread + stride * (4 * call + lane)
                if index < count:
                    out[index] = value
    return out.astype(np.float32)

# SPDX-License-Identifier: Apache-2.0
"""Sigma lists and solvers of spec schedulers.md. Scalars and samples are float32 as in the originals, in NumPy, whose
float32 sums and products are the same everywhere; logarithms are taken in float64 and rounded."""

import math

import numpy as np

F32 = np.float32
S_MAX = float(F32(0.999))  # list A starts at the float32 value, widened


def shifted(sigma, shift: float):
    return shift * sigma / (1 + (shift - 1) * sigma)


def sigma_list(kind: str, steps: int, shift: float):
    """-> (sigmas float32 [steps + 1], timesteps int64 [steps]) of list A, B, C or D (section 2)."""
    if kind == "A":
        base = np.linspace(S_MAX, 0.0, steps + 1)[:-1]
    elif kind == "B":
        base = np.linspace(1.0, 0.0, steps + 1)[:-1]
    elif kind == "C":
        base = (1.0 - np.linspace(1.0, 0.001, steps + 1))[::-1][:-1]
    elif kind == "D":
        base = np.linspace(1.0, 0.001, steps + 1)[:-1]
    else:
        raise ValueError(kind)
    sigmas = shifted(base, float(shift))
    if kind == "D" and abs(sigmas[0] - 1) < 1e-6:
        sigmas[0] -= 1e-6
    return np.append(sigmas, 0.0).astype(F32), (sigmas * 1000.0).astype(np.int64)


def _log(x: F32) -> F32:
    return F32(math.log(float(x))) if x > 0 else F32(-math.inf)


def _expm1(x: F32) -> F32:
    return F32(math.expm1(float(x)))


def _lambda(sigma: F32) -> F32:
    return _log(F32(1) - sigma) - _log(sigma)


class UniPC:
    """UniPC of order 2, bh2 (section 4). `aliased`: the sample kept from the first step is the buffer that the caller
    then overwrites with the result, as in diffusion forcing (section 6)."""

    def __init__(self, sigmas, aliased: bool = False):
        self.sigmas, self.aliased = sigmas, aliased
        self.steps = len(sigmas) - 1
        self.index, self.warm, self.last_order = 0, 0, 0
        self.m = self.m_prev = self.last = None

    def _between(self, s, t):
        """The scalars of a step from sigma s to sigma t."""
        h = _lambda(t) - _lambda(s)
        e = _expm1(-h)
        return h, -h, e, F32(1) - t

    def _correct(self, converted):
        i, s = self.index, self.sigmas
        h, hh, e, alpha = self._between(s[i - 1], s[i])
        base = (s[i] / s[i - 1]) * self.last - (alpha * e) * self.m
        newest = converted - self.m
        if self.last_order == 1:
            return base - (alpha * e) * (F32(0.5) * newest)
        r = (_lambda(s[i - 2]) - _lambda(s[i - 1])) / h
        older = (self.m_prev - self.m) / r
        phi1 = e / hh - F32(1)
        b1 = phi1 / e
        b2 = (phi1 / hh - F32(0.5)) * F32(2) / e
        rho1 = (b2 - b1) / (r - F32(1))  # rho1 + rho2 = b1, r rho1 + rho2 = b2
        return base - (alpha * e) * (rho1 * older + (b1 - rho1) * newest)

    def _predict(self, sample, order):
        i, s = self.index, self.sigmas
        if s[i + 1] == 0:
            return self.m.copy()
        h, _, e, alpha = self._between(s[i], s[i + 1])
        out = (s[i + 1] / s[i]) * sample - (alpha * e) * self.m
        if order == 2:
            r = (_lambda(s[i - 1]) - _lambda(s[i])) / h
            out = out - (alpha * e) * (F32(0.5) * ((self.m_prev - self.m) / r))
        return out

    def step(self, velocity, sample):
        velocity, sample = velocity.astype(F32), sample.astype(F32)
        converted = sample - self.sigmas[self.index] * velocity
        if self.index > 0:
            sample = self._correct(converted)
        self.m_prev, self.m = self.m, converted
        order = min(2, self.steps - self.index, self.warm + 1)
        self.warm = min(self.warm + 1, 2)
        out = self._predict(sample, order)
        self.last = out if self.aliased and self.index == 0 else sample
        self.last_order = order
        self.index += 1
        return out


class DpmPlusPlus:
    """DPM++ 2M, midpoint, first order at both ends (section 5)."""

    def __init__(self, sigmas):
        self.sigmas, self.steps, self.index, self.previous = sigmas, len(sigmas) - 1, 0, None

    def step(self, velocity, sample):
        s, i = self.sigmas, self.index
        velocity, sample = velocity.astype(F32), sample.astype(F32)
        m = sample - s[i] * velocity
        with np.errstate(invalid="ignore", divide="ignore"):
            h = _lambda(s[i + 1]) - _lambda(s[i])
            e, alpha = _expm1(-h), F32(1) - s[i + 1]
            out = (s[i + 1] / s[i]) * sample - (alpha * e) * m
            if 0 < i < self.steps - 1:
                r = (_lambda(s[i]) - _lambda(s[i - 1])) / h
                out = out - F32(0.5) * (alpha * e) * ((F32(1) / r) * (m - self.previous))
        self.previous = m
        self.index += 1
        return out


class Euler:
    def __init__(self, sigmas):
        self.sigmas, self.index = sigmas, 0

    def step(self, velocity, sample):
        i, s = self.index, self.sigmas
        self.index += 1
        return sample.astype(F32) + (s[i + 1] - s[i]) * velocity.astype(F32)


SOLVERS = {"unipc": (UniPC, "A"), "dpmpp": (DpmPlusPlus, "B"), "euler": (Euler, "A")}

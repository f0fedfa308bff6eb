# SPDX-License-Identifier: Apache-2.0
"""TeaCache (section 8 of spec pipelines.md) as in its originals: the model itself counts calls and keeps two streams, even and odd."""

import numpy as np

# (plain, with use_ret_steps)
T2V_1_3B = (
    (2.39676752e3, -1.31110545e3, 2.01331979e2, -8.29855975, 1.37887774e-1),
    (-5.21862437e4, 9.23041404e3, -5.28275948e2, 1.36987616e1, -4.99875664e-2),
)
I2V_480P = (
    (-3.02331670e2, 2.23948934e2, -5.25463970e1, 5.87348440, -2.01973289e-1),
    (2.57151496e5, -3.54229917e4, 1.40286849e3, -1.35890334e1, 1.32517977e-1),
)


class Stream:
    sum, before, residual = 0.0, None, None


class TeaCache:
    """`calls`: after so many calls the count begins anew."""

    made, skipped = 0, 0  # numbers of forwards, for the notes

    def __init__(self, options: dict, steps: int, calls: int, image: bool = False):
        self.threshold, self.projected = options["threshold"], options.get("ret_steps", False)
        own = (I2V_480P if image else T2V_1_3B)[self.projected]
        self.polynomial = np.poly1d(options.get("coefficients") or own)
        self.first, self.last = (10, 2 * steps) if self.projected else (2, 2 * steps - 2)
        self.calls, self.count = calls, 0
        self.streams = (Stream(), Stream())
        self.stream = self.streams[0]

    def skips(self, e, e0) -> bool:
        """Whether the forward that begins here skips the blocks."""
        signal = e0 if self.projected else e
        s = self.stream = self.streams[self.count % 2]
        skip = False
        if self.first <= self.count < self.last:
            s.sum += self.polynomial(float((signal - s.before).abs().mean() / s.before.abs().mean()))
            skip = s.sum < self.threshold
        if not skip:
            s.sum = 0.0
        s.before = signal
        self.count = (self.count + 1) % self.calls
        TeaCache.made += 1
        TeaCache.skipped += skip
        return skip

    @property
    def residual(self):
        return self.stream.residual

    @residual.setter
    def residual(self, x):
        self.stream.residual = x

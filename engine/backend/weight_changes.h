// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "engine/backend/weight.h"

namespace denoir {

namespace detail {

/// y + Σ a[k]·x[k], rows x of `stride`; four at a time, so that y is read and written less often.
inline void add_rows(std::span<const float> a, const float* x, std::int64_t stride, float factor, float* y,
                     std::int64_t n) {
    std::size_t k = 0;
    for (; k + 4 <= a.size(); k += 4, x += 4 * stride) {
        const float a0 = factor * a[k], a1 = factor * a[k + 1], a2 = factor * a[k + 2], a3 = factor * a[k + 3];
        const float *x0 = x, *x1 = x + stride, *x2 = x + 2 * stride, *x3 = x + 3 * stride;
        for (std::int64_t i = 0; i < n; ++i) y[i] += a0 * x0[i] + a1 * x1[i] + (a2 * x2[i] + a3 * x3[i]);
    }
    for (; k < a.size(); ++k, x += stride)
        for (std::int64_t i = 0; i < n; ++i) y[i] += factor * a[k] * x[i];
}

} // namespace detail

/// Adds what `changes` say to a weight's row, widened to f32 and scaled: its columns [begin, end) of `columns`, in
/// `values`. The sum is rounded once, to the type that the weight is stored in, as if it had been merged there
/// (spec/checkpoints.md 9.1); not to fp8 and block types, whose rounding would lose it (9.5).
inline void add_changes(std::span<const WeightChange> changes, DType stored, bool scaled, std::int64_t row,
                        std::int64_t columns, std::int64_t begin, std::int64_t end, float* values) {
    if (changes.empty()) return;
    const std::int64_t n = end - begin;
    for (const WeightChange& change : changes) {
        if (change.difference) {
            const float* there = change.difference.data<float>() + row * columns + begin;
            for (std::int64_t i = 0; i < n; ++i) values[i] += change.factor * there[i];
            continue;
        }
        const std::int64_t rank = change.down.size(0);
        detail::add_rows({change.up.data<float>() + row * rank, static_cast<std::size_t>(rank)},
                         change.down.data<float>() + begin, columns, change.factor, values, n);
    }
    if (scaled) return;
    if (stored == DType::bf16)
        for (std::int64_t i = 0; i < n; ++i) values[i] = round_to_bf16(values[i]);
    if (stored == DType::f16)
        for (std::int64_t i = 0; i < n; ++i) {
            std::uint16_t half = 0;
            from_f32(DType::f16, values + i, &half, 1);
            values[i] = f16_to_f32(half);
        }
}

} // namespace denoir

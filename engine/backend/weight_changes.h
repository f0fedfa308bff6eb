// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "engine/backend/weight.h"

namespace denoir {

namespace detail {

/// y += factor · Σ a[k]·x[k], with rows x[k] that are `stride` apart. Takes four rows at a time, so that y is read and
/// written less often.
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

/// Adds a weight's changes to rows of it. Low-rank factors are converted to f32 once, differences as they are read.
class ChangedRows {
public:
    /// `stored`: the weight's type; `scaled`: whether it has a scale.
    ChangedRows(std::span<const WeightChange> changes, DType stored, bool scaled)
        : rounded_(scaled ? DType::f32 : stored) {
        for (const WeightChange& change : changes) {
            all_.push_back(change);
            if (change.difference) continue;
            all_.back().up = change.up.to_host_f32();
            all_.back().down = change.down.to_host_f32();
        }
    }
    /// Adds the changes to columns [begin, end) of `columns` of a row of the weight, which are in `values`, converted
    /// to f32 and scaled. The sum is rounded once, to the type in which the weight is stored, as if the change had been
    /// merged into the file (spec/checkpoints.md 9.1); but not to 8-bit and block types, whose rounding would lose it
    /// (9.5).
    void add(std::int64_t row, std::int64_t columns, std::int64_t begin, std::int64_t end, float* values) const {
        if (all_.empty()) return;
        const std::int64_t n = end - begin;
        for (const WeightChange& change : all_) {
            if (change.difference) {
                add_difference(change, row * columns + begin, n, values);
                continue;
            }
            const std::int64_t rank = change.down.size(0);
            detail::add_rows({change.up.data<float>() + row * rank, static_cast<std::size_t>(rank)},
                             change.down.data<float>() + begin, columns, change.factor, values, n);
        }
        if (rounded_ == DType::bf16)
            for (std::int64_t i = 0; i < n; ++i) values[i] = round_to_bf16(values[i]);
        if (rounded_ == DType::f16)
            for (std::int64_t i = 0; i < n; ++i) {
                std::uint16_t half = 0;
                from_f32(DType::f16, values + i, &half, 1);
                values[i] = f16_to_f32(half);
            }
    }

private:
    static void add_difference(const WeightChange& change, std::int64_t first, std::int64_t n, float* values) {
        const DType type = change.difference.dtype();
        const std::byte* from = change.difference.raw() + first * element_bytes(type);
        float wide[256];
        for (std::int64_t at = 0; at < n; at += std::ssize(wide)) {
            const std::int64_t count = std::min<std::int64_t>(std::ssize(wide), n - at);
            to_f32(type, from + at * element_bytes(type), wide, count);
            for (std::int64_t i = 0; i < count; ++i) values[at + i] += change.factor * wide[i];
        }
    }

    std::vector<WeightChange> all_;
    DType rounded_;
};

} // namespace denoir

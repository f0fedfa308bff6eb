// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/rope.h"

#include <cmath>
#include <vector>

namespace denoir::wan {
namespace {

struct Axis {
    std::int64_t pairs;
    std::vector<float> cos, sin; // [positions, pairs]
};

/// The rotations of one axis, whose n = 2·pairs channels have the frequencies 10000^(-2j/n).
Axis axis_table(std::int64_t positions, std::int64_t pairs) {
    Axis axis{pairs, {}, {}};
    for (std::int64_t p = 0; p < positions; ++p) {
        for (std::int64_t j = 0; j < pairs; ++j) {
            const double angle =
                static_cast<double>(p) * std::pow(10000.0, -static_cast<double>(j) / static_cast<double>(pairs));
            axis.cos.push_back(static_cast<float>(std::cos(angle)));
            axis.sin.push_back(static_cast<float>(std::sin(angle)));
        }
    }
    return axis;
}

} // namespace

std::array<std::int64_t, 3> rope_pairs(std::int64_t head_dim) {
    const std::int64_t pairs = head_dim / 2, third = pairs / 3;
    return {pairs - 2 * third, third, third};
}

Rope rope_table(std::int64_t frames, std::int64_t height, std::int64_t width, std::int64_t head_dim) {
    const auto [pt, ph, pw] = rope_pairs(head_dim);
    const Axis t = axis_table(frames, pt), h = axis_table(height, ph), w = axis_table(width, pw);
    Rope rope{Tensor::host({frames * height * width, head_dim / 2}),
              Tensor::host({frames * height * width, head_dim / 2})};
    float* cos = rope.cos.data<float>();
    float* sin = rope.sin.data<float>();
    auto append = [&](const Axis& axis, std::int64_t position) {
        const auto begin = static_cast<std::ptrdiff_t>(position * axis.pairs),
                   end = static_cast<std::ptrdiff_t>((position + 1) * axis.pairs);
        cos = std::copy(axis.cos.begin() + begin, axis.cos.begin() + end, cos);
        sin = std::copy(axis.sin.begin() + begin, axis.sin.begin() + end, sin);
    };
    for (std::int64_t f = 0; f < frames; ++f)
        for (std::int64_t i = 0; i < height; ++i)
            for (std::int64_t j = 0; j < width; ++j) {
                append(t, f);
                append(h, i);
                append(w, j);
            }
    return rope;
}

} // namespace denoir::wan

// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/conv_phase.h"

#include <algorithm>

#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

std::int64_t divide_down(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -divide_up(-a, b); }

} // namespace

PhaseAxis::PhaseAxis(std::int64_t outputs, std::int64_t kernel, std::int64_t pad, bool duplicate, std::int64_t phase)
    : first(phase),
      step(duplicate ? 2 : 1),
      count(divide_up(std::max<std::int64_t>(0, outputs - phase), step)),
      offset(divide_down(phase - pad, step)) {
    // Position phase - pad + d of the duplicated input is pixel floor((phase - pad + d) / 2).
    for (std::int64_t d = 0; d < kernel; ++d) tap_of.push_back(divide_down(phase - pad + d, step) - offset);
    taps = tap_of.back() + 1;
}

std::int64_t KernelShape::padded(const Kernels& kernels) const {
    return dotted() ? out : divide_up(out, kernels.tile_columns) * kernels.tile_columns;
}

std::int64_t Phase::row_floats(const Kernels& kernels, const KernelShape& kernel) const {
    return kernel.padded(kernels) * columns.taps * kernel.in;
}

std::vector<Phase> conv_phases(const KernelShape& kernel, const Shape& out, const ConvOptions& o) {
    std::vector<Phase> result;
    const int parities = o.duplicate ? 2 : 1;
    for (int y = 0; y < parities; ++y)
        for (int x = 0; x < parities; ++x)
            result.push_back({PhaseAxis(out[1], kernel.height, o.pad_top, o.duplicate, y),
                              PhaseAxis(out[2], kernel.width, o.pad_left, o.duplicate, x)});
    return result;
}

void pack_phase(const Kernels& kernels, const WeightRows& weight, const KernelShape& kernel, const Phase& phase,
                std::int64_t strip, std::int64_t time, float* panels) {
    const std::int64_t panel = kernels.tile_columns, begin = strip * panel, end = std::min(kernel.out, begin + panel);
    const std::int64_t row = phase.columns.taps * kernel.in, height = phase.rows.taps,
                       plane = kernel.height * kernel.width;
    std::vector<float> stored(static_cast<std::size_t>(weight.columns()));
    // [o][row tap][column tap · C]; taps that fall on the same pixel are added up in f64.
    std::vector<double> sums(static_cast<std::size_t>((end - begin) * height * row), 0.0);
    for (std::int64_t o = begin; o < end; ++o) {
        weight.read(o, 0, weight.columns(), stored.data());
        double* to = sums.data() + (o - begin) * height * row;
        for (std::int64_t y = 0; y < kernel.height; ++y)
            for (std::int64_t x = 0; x < kernel.width; ++x) {
                double* tap = to + phase.rows.tap_of[static_cast<std::size_t>(y)] * row +
                              phase.columns.tap_of[static_cast<std::size_t>(x)] * kernel.in;
                const float* from = stored.data() + time * plane + y * kernel.width + x;
                for (std::int64_t c = 0; c < kernel.in; ++c)
                    tap[c] += static_cast<double>(from[c * kernel.time * plane]);
            }
    }
    const std::vector<float> rows(sums.begin(), sums.end());
    for (std::int64_t y = 0; y < height; ++y) {
        float* to = panels + (time * height + y) * phase.row_floats(kernels, kernel) + strip * panel * row;
        const float* from = rows.data() + y * row;
        if (kernel.dotted())
            for (std::int64_t o = 0; o < end - begin; ++o) std::copy_n(from + o * height * row, row, to + o * row);
        else
            kernels.pack_transposed(from, height * row, end - begin, row, to);
    }
}

} // namespace denoir::cpu

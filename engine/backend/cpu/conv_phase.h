// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "engine/backend/cpu/weight_rows.h"

namespace denoir::cpu {

// With channels last, the pixels under one row of a kernel are contiguous: kw·C floats, and those of the next output
// pixel begin stride·C later. So a convolution is, for each row of the kernel in space and time, a matrix product whose
// A is the image itself (with overlapping rows); all are summed into the same C. Nothing is unfolded (no im2col).
//
// A 3x3 convolution of a 2x2 duplicated input equals four convolutions of the input itself, one for each parity of the
// output's row and column, in whose kernels the taps that fall on the same pixel are added up: 2x2 taps instead of 3x3.
// Each of the four is a phase; without duplication there is one phase.

/// Sizes of w [O,C,kt,kh,kw] or [O,C,kh,kw].
struct KernelShape {
    std::int64_t out, in, time, height, width;
    explicit KernelShape(const Shape& s)
        : out(s[0]), in(s[1]), time(s.rank() == 5 ? s[2] : 1), height(s[-2]), width(s[-1]) {}

    /// Whether there are so few output channels (a picture's three) that a panel would be mostly padding, so that dot
    /// products are used.
    bool dotted() const { return out <= 4; }
    /// Output channels, padded to whole panels unless dotted().
    std::int64_t padded(const Kernels&) const;
};

/// One axis of a phase: `count` outputs at first, first + step, …; tap t of output number i reads input i · stride +
/// offset + t.
struct PhaseAxis {
    std::int64_t first, step, count, taps, offset;
    std::vector<std::int64_t> tap_of; ///< kernel position -> tap

    PhaseAxis(std::int64_t outputs, std::int64_t kernel, std::int64_t pad, bool duplicate, std::int64_t phase);
};

struct Phase {
    PhaseAxis rows, columns;
    /// f32 or bf16 pairs (Kernels::gemm_bf16), [time][row tap][panel][column tap · C][kernels.tile_columns]; if
    /// dotted(), f32 [time][row tap][O][column tap · C].
    const std::byte* panels = nullptr;

    /// Floats of the panels of one row of the kernel, and of all rows.
    std::int64_t row_floats(const Kernels&, const KernelShape&) const;
    std::int64_t panel_floats(const Kernels& k, const KernelShape& s) const {
        return s.time * rows.taps * row_floats(k, s);
    }
};

/// The phases of a convolution with output [n, H', W', O].
std::vector<Phase> conv_phases(const KernelShape&, const Shape& out, const ConvOptions&);

/// Packs the output channels from strip · tile_columns on, at time tap `time` of a phase, into `panels`, the phase's
/// panels in f32.
void pack_phase(const Kernels&, const WeightRows&, const KernelShape&, const Phase&, std::int64_t strip,
                std::int64_t time, float* panels);

} // namespace denoir::cpu

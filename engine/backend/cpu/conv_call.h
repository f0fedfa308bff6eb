// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "engine/backend/cpu/conv_phase.h"

namespace denoir::cpu {

/// Rows of one ConvCall::multiply at most where the kernel is dotted.
constexpr std::int64_t most_rows = 256;

/// Pixels of an input frame that a tile reads; some may lie beyond its borders.
struct Window {
    std::int64_t top, left, rows, columns;
};

/// One call of CpuBackend::conv: what its ways of computing share.
struct ConvCall {
    const Kernels& kernels;
    std::span<const Tensor> frames;
    KernelShape kernel;
    const float* bias; ///< or null
    const Tensor* residual;
    ConvOptions options;
    Tensor& out;
    DType factors; ///< of windows and panels: bf16 for the processor's bf16 units, else f32

    /// Part of an input frame, [rows][columns][C] of `factors`, zeros beyond the image's borders; every row and column
    /// counts `copies` times. False where there is no frame.
    bool read_window(const Tensor& frame, const Window&, std::int64_t copies, std::byte* to) const;
    /// m <= most_rows rows of all output channels: sums [m, kernel.padded()] = (or +=) A · panels, A and the panels k
    /// deep.
    void multiply(const std::byte* a, std::int64_t lda, const std::byte* panels, std::int64_t k, std::int64_t m,
                  float* sums, bool accumulate) const;
    /// Bias, rounding and residual for n outputs of a row, at (y, x), (y, x + step), …; their sums are lost.
    void write_row(float* sums, std::int64_t n, std::int64_t frame, std::int64_t y, std::int64_t x,
                   std::int64_t step) const;
};

} // namespace denoir::cpu

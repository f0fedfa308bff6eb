// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "engine/backend/cpu/conv_phase.h"

namespace denoir::cpu {

/// The most rows of one ConvCall::multiply if the kernel is dotted().
constexpr std::int64_t most_rows = 256;

/// The pixels of an input frame that a tile reads; some may lie outside the frame.
struct Window {
    std::int64_t top, left, rows, columns;
};

/// One call of CpuBackend::conv, and what its algorithms share.
struct ConvCall {
    const Kernels& kernels;
    std::span<const Tensor> frames;
    KernelShape kernel;
    const float* bias; ///< or null
    const Tensor* residual;
    ConvOptions options;
    Tensor& out;
    DType factors; ///< type of windows and panels: bf16 for the processor's bf16 units, else f32

    /// Reads part of an input frame as [rows][columns][C] of `factors`, with zeros outside the frame and every row and
    /// column repeated `copies` times. Reads nothing and returns false if the frame is undefined.
    bool read_window(const Tensor& frame, const Window&, std::int64_t copies, std::byte* to) const;
    /// sums [m, kernel.padded()] = (or +=) A · panels, with A [m, k]; m <= most_rows if the kernel is dotted().
    void multiply(const std::byte* a, std::int64_t lda, const std::byte* panels, std::int64_t k, std::int64_t m,
                  float* sums, bool accumulate) const;
    /// Adds bias and residual to the sums of n outputs of a row, at (y, x), (y, x + step), …, rounds them and stores
    /// them. Overwrites `sums`.
    void write_row(float* sums, std::int64_t n, std::int64_t frame, std::int64_t y, std::int64_t x,
                   std::int64_t step) const;
};

} // namespace denoir::cpu

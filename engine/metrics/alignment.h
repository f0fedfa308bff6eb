// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>
#include <stop_token>

#include "engine/metrics/picture.h"

/// Which frame of one video belongs to which frame of another, where one begins earlier.
namespace denoir::metrics {

/// Mean brightness (BT.709 luma) in a grid of 16 x 16 cells: enough to know a frame again, whatever its size.
constexpr int signature_side = 16;
using Signature = std::array<float, signature_side * signature_side>;
Signature signature(const Rgb8& frame);

struct Alignment {
    int offset = 0;           ///< frame i of A belongs to frame i + offset of B
    double error = 0;         ///< root mean square difference of the signatures over the overlap, 0 … 255
    double error_at_zero = 0; ///< the same for offset 0
    /// False where other offsets fit as well: a still picture, or nothing in common. The offset is then 0.
    bool certain = false;
};

/// Tries every offset up to `largest` either way that leaves an overlap of at least half of the shorter one. Of offsets
/// that fit equally well the smallest is taken. Neither may be empty (asserted). Throws Cancelled.
Alignment align(std::span<const Signature> a, std::span<const Signature> b, int largest,
                const std::stop_token& stop = {});

} // namespace denoir::metrics

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>
#include <stop_token>

#include "engine/metrics/picture.h"

/// Finds by how many frames one video is ahead of another.
namespace denoir::metrics {

/// Mean brightness (BT.709 luma) in a grid of 16 x 16 cells, 0 … 255: enough to recognise a frame whatever its size.
constexpr int signature_side = 16;
using Signature = std::array<float, signature_side * signature_side>;
Signature signature(const Rgb8& frame);

struct Alignment {
    int offset = 0;           ///< frame i of A corresponds to frame i + offset of B
    double error = 0;         ///< root mean square difference of the signatures over the overlap, 0 … 255
    double error_at_zero = 0; ///< the same for offset 0
    /// False if other offsets fit as well (still pictures) or none does (unrelated videos). The offset is 0 then.
    bool certain = false;
};

/// Tries every offset up to `largest` in either direction with which at least half of the shorter video overlaps the
/// other. Of offsets that fit equally well, takes the smallest. Neither video may be empty (asserted). Throws
/// Cancelled.
Alignment align(std::span<const Signature> a, std::span<const Signature> b, int largest,
                const std::stop_token& stop = {});

} // namespace denoir::metrics

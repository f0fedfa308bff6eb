// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "engine/metrics/picture.h"

namespace denoir::metrics {

/// The metrics of a whole comparison.
struct Summary {
    std::size_t frames = 0;
    /// Means over the frames, except that `difference.max` is the largest, and `psnr` is computed from the mean MSE, so
    /// that a single pair of equal frames does not make it infinite.
    FrameMetrics mean;
    FrameMetrics worst;                         ///< each value at its worst frame: highest error, lowest psnr and ssim
    std::size_t worst_psnr = 0, worst_ssim = 0; ///< index of the worst frame; 0 if there is none
};

/// The summary of all frames. SSIM and LPIPS are set only if every frame has them.
Summary summarize(std::span<const FrameMetrics> frames);

/// Indices of at most `count` frames, the worst first, by SSIM if every frame has it, else by MSE. Any two are at least
/// `apart` frames apart, since the neighbours of a bad frame show the same error. Pairs of equal frames are left out.
std::vector<std::size_t> worst_frames(std::span<const FrameMetrics> frames, std::size_t count, std::size_t apart = 1);

} // namespace denoir::metrics

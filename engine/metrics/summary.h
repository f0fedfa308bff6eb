// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "engine/metrics/picture.h"

namespace denoir::metrics {

/// A whole comparison in one row.
struct Summary {
    std::size_t frames = 0;
    /// mse, ssim, lpips and the differences' mean and percentiles: means over the frames; max: the largest; psnr: of
    /// the mean MSE, so that a single equal frame does not make it infinite.
    FrameMetrics mean;
    FrameMetrics worst;                         ///< each value at its worst frame: highest error, lowest psnr and ssim
    std::size_t worst_psnr = 0, worst_ssim = 0; ///< where; 0 where there is nothing to tell
};

/// SSIM and LPIPS are there where every frame has them.
Summary summarize(std::span<const FrameMetrics> frames);

/// The indices of at most `count` frames, the worst first: by SSIM where every frame has it, else by MSE. None is
/// nearer than `apart` to one before it, since the neighbours of a bad frame show the same thing again. Equal frames
/// are never among them.
std::vector<std::size_t> worst_frames(std::span<const FrameMetrics> frames, std::size_t count, std::size_t apart = 1);

} // namespace denoir::metrics

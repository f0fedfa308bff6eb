// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "engine/core/thread_pool.h"

namespace denoir::metrics {

/// Structural similarity (Wang, Bovik, Sheikh, Simoncelli: Image quality assessment, 2004): Gaussian window, sigma 1.5,
/// 11 x 11, population covariance, K1 = 0.01, K2 = 0.03, range 255; the mean over all windows that lie completely
/// inside the picture. Equal to scikit-image's structural_similarity(gaussian_weights=True, sigma=1.5,
/// use_sample_covariance=False, data_range=255).
constexpr int ssim_window = 11;

/// A picture as rows of samples.
template <class T> struct SamplePlane {
    const T* data;
    std::int64_t row_stride; ///< in samples
    int width, height;       ///< in pixels
    int step;                ///< samples of a pixel. 3: interleaved RGB, of which ssim() gives the mean; 1: one channel
};

/// The mean SSIM; empty if either side is below ssim_window pixels. Both planes must have the same size.
std::optional<double> ssim(const SamplePlane<std::uint8_t>& a, const SamplePlane<std::uint8_t>& b, ThreadPool& pool);
std::optional<double> ssim(const SamplePlane<float>& a, const SamplePlane<float>& b, ThreadPool& pool);

} // namespace denoir::metrics

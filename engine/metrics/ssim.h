// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "engine/core/thread_pool.h"

namespace denoir::metrics {

/// Structural similarity (Wang, Bovik, Sheikh, Simoncelli: Image quality assessment, 2004): Gaussian window, sigma 1.5,
/// 11 x 11, population covariance, K1 = 0.01, K2 = 0.03, range 255; the mean over all windows that lie whole inside the
/// picture. Equal to scikit-image's structural_similarity(gaussian_weights=True, sigma=1.5,
/// use_sample_covariance=False, data_range=255).
constexpr int ssim_window = 11;

/// One picture as rows of samples. `step` 3: RGB interleaved, the mean over channels comes out; 1: one channel.
template <class T> struct SamplePlane {
    const T* data;
    std::int64_t row_stride; ///< samples
    int width, height;       ///< pixels
    int step;
};

/// Empty below ssim_window pixels on either side.
std::optional<double> ssim(const SamplePlane<std::uint8_t>& a, const SamplePlane<std::uint8_t>& b, ThreadPool& pool);
std::optional<double> ssim(const SamplePlane<float>& a, const SamplePlane<float>& b, ThreadPool& pool);

} // namespace denoir::metrics

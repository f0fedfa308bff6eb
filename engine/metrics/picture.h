// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"

/// The difference of two pictures of RGB in 0 … 255.
namespace denoir::metrics {

/// A view of 8-bit RGB, row-major, interleaved, without padding.
struct Rgb8 {
    const std::uint8_t* data = nullptr;
    int width = 0, height = 0;
};

/// Counts of values 0 … 255.
using Histogram = std::array<std::uint64_t, 256>;

/// Absolute difference over all samples (width x height x 3), in 0 … 255.
struct AbsoluteDifference {
    double mean = 0, max = 0, p95 = 0, p99 = 0; ///< percentiles are interpolated linearly between ranks, as in numpy
};

/// The metrics of a pair of frames. Empty are the PSNR of equal pictures, which is infinite, and the SSIM of pictures
/// smaller than its window.
struct FrameMetrics {
    double mse = 0;             ///< mean over all samples
    std::optional<double> psnr; ///< dB: 10 log10(255² / mse)
    std::optional<double> ssim; ///< -1 … 1
    AbsoluteDifference difference;
    std::optional<double> lpips; ///< set by the caller, if it has the network
};

/// Histograms over a whole comparison. Fractional samples are rounded.
struct PixelHistograms {
    std::array<Histogram, 3> a{}, b{}; ///< values of red, green, blue
    Histogram difference{};            ///< absolute differences of all channels
};

struct MetricOptions {
    bool ssim = true;
    /// If not null, the pair's samples are counted in these.
    PixelHistograms* histograms = nullptr;
};

/// 10 log10(255² / mse); empty if mse is 0.
std::optional<double> psnr_of(double mse);

/// Compares two frames of the same size (asserted). Work is divided by shape alone and every sum has a fixed order, so
/// that the result is the same for any number of threads and on any processor. Throws Cancelled through the pool.
FrameMetrics compare_frames(const Rgb8& a, const Rgb8& b, ThreadPool& pool, const MetricOptions& options = {});

/// The same for host tensors [3,H,W] f32 in 0 … 255 of the same shape, with a last stride of 1 (asserted). Values need
/// not be integers, but finite.
FrameMetrics compare_frames(const Tensor& a, const Tensor& b, ThreadPool& pool, const MetricOptions& options = {});

} // namespace denoir::metrics

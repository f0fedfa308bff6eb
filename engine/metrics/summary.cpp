// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/summary.h"

#include <algorithm>
#include <numeric>

namespace denoir::metrics {
namespace {

/// The mean of a value over all frames; empty if a frame does not have it.
std::optional<double> mean_of(std::span<const FrameMetrics> frames, std::optional<double> FrameMetrics::*value) {
    double sum = 0;
    for (const FrameMetrics& f : frames) {
        if (!(f.*value)) return std::nullopt;
        sum += *(f.*value);
    }
    if (frames.empty()) return std::nullopt;
    return sum / double(frames.size());
}

} // namespace

Summary summarize(std::span<const FrameMetrics> frames) {
    Summary s;
    s.frames = frames.size();
    if (frames.empty()) return s;
    s.worst = frames.front();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const FrameMetrics& f = frames[i];
        s.mean.mse += f.mse;
        s.mean.difference.mean += f.difference.mean;
        s.mean.difference.p95 += f.difference.p95;
        s.mean.difference.p99 += f.difference.p99;
        s.mean.difference.max = std::max(s.mean.difference.max, f.difference.max);
        if (f.mse > s.worst.mse) {
            s.worst.mse = f.mse;
            s.worst.psnr = f.psnr;
            s.worst_psnr = i;
        }
        if (f.ssim && (!s.worst.ssim || *f.ssim < *s.worst.ssim)) {
            s.worst.ssim = f.ssim;
            s.worst_ssim = i;
        }
        if (f.lpips && (!s.worst.lpips || *f.lpips > *s.worst.lpips)) s.worst.lpips = f.lpips;
        s.worst.difference.mean = std::max(s.worst.difference.mean, f.difference.mean);
        s.worst.difference.p95 = std::max(s.worst.difference.p95, f.difference.p95);
        s.worst.difference.p99 = std::max(s.worst.difference.p99, f.difference.p99);
    }
    s.worst.difference.max = s.mean.difference.max;
    const double n = double(frames.size());
    for (double* sum : {&s.mean.mse, &s.mean.difference.mean, &s.mean.difference.p95, &s.mean.difference.p99})
        *sum /= n;
    s.mean.psnr = psnr_of(s.mean.mse);
    s.mean.ssim = mean_of(frames, &FrameMetrics::ssim);
    s.mean.lpips = mean_of(frames, &FrameMetrics::lpips);
    return s;
}

std::vector<std::size_t> worst_frames(std::span<const FrameMetrics> frames, std::size_t count, std::size_t apart) {
    std::vector<std::size_t> order(frames.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const bool by_ssim = std::ranges::all_of(frames, [](const FrameMetrics& f) { return f.ssim.has_value(); });
    std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) {
        return by_ssim ? *frames[i].ssim < *frames[j].ssim : frames[i].mse > frames[j].mse;
    });
    std::vector<std::size_t> worst;
    for (const std::size_t i : order) {
        if (worst.size() == count) break;
        if (frames[i].mse == 0) continue;
        const bool near = std::ranges::any_of(worst, [&](std::size_t j) { return (i > j ? i - j : j - i) < apart; });
        if (!near) worst.push_back(i);
    }
    return worst;
}

} // namespace denoir::metrics

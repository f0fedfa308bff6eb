// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/ssim.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/core/instruction_set.h"
#include "engine/metrics/simd/ssim_tile.h"

namespace denoir::metrics {

// Each is defined by one of the builds of simd/ssim_tile.cpp.
namespace simd::baseline {
extern const Loops loops;
}
#if defined(__x86_64__)
namespace simd::avx2 {
extern const Loops loops;
}
namespace simd::avx512 {
extern const Loops loops;
}
#endif

namespace {

const simd::Loops& loops() {
#if defined(__x86_64__)
    static const InstructionSet set = widest_instruction_set();
    if (set >= InstructionSet::avx512) return simd::avx512::loops;
    if (set == InstructionSet::avx2) return simd::avx2::loops;
#endif
    return simd::baseline::loops;
}

/// The weights of a Gaussian of sigma 1.5, cut off at five pixels and normalised, from its edge to its centre.
std::array<double, simd::radius + 1> gaussian() {
    constexpr double sigma = 1.5;
    std::array<double, simd::radius + 1> w{};
    double sum = 0;
    for (int i = 0; i <= simd::radius; ++i) {
        const double x = simd::radius - i;
        w[std::size_t(i)] = std::exp(-0.5 * x * x / (sigma * sigma));
        sum += (i == simd::radius ? 1 : 2) * w[std::size_t(i)];
    }
    for (double& v : w) v /= sum;
    return w;
}

template <class T> std::optional<double> mean_ssim(const SamplePlane<T>& a, const SamplePlane<T>& b, ThreadPool& pool,
                                                   simd::TileSum<T> tile_sum) {
    assert(a.width == b.width && a.height == b.height && a.step == b.step && (a.step == 1 || a.step == simd::max_step));
    if (a.width < ssim_window || a.height < ssim_window) return std::nullopt;
    static const auto weights = gaussian();
    const int columns = (a.width - ssim_window + 1) * a.step, rows = a.height - ssim_window + 1;
    const int across = (columns + simd::tile_columns - 1) / simd::tile_columns,
              down = (rows + simd::tile_rows - 1) / simd::tile_rows;
    std::vector<double> sums(std::size_t(across) * std::size_t(down));
    std::vector<std::unique_ptr<simd::Scratch>> scratch(std::size_t(pool.threads()));
    pool.run(std::int64_t(sums.size()), [&](std::int64_t i, int worker) {
        auto& own = scratch[std::size_t(worker)];
        if (!own) own = std::make_unique_for_overwrite<simd::Scratch>(); // uninitialised, as it is written first
        const int x = int(i % across) * simd::tile_columns, y = int(i / across) * simd::tile_rows;
        sums[std::size_t(i)] = tile_sum(a.data + y * a.row_stride + x, b.data + y * b.row_stride + x, a.row_stride,
                                        b.row_stride, std::min(simd::tile_columns, columns - x),
                                        std::min(simd::tile_rows, rows - y), a.step, weights.data(), *own);
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0) / (double(columns) * rows);
}

} // namespace

std::optional<double> ssim(const SamplePlane<std::uint8_t>& a, const SamplePlane<std::uint8_t>& b, ThreadPool& pool) {
    return mean_ssim(a, b, pool, loops().bytes);
}

std::optional<double> ssim(const SamplePlane<float>& a, const SamplePlane<float>& b, ThreadPool& pool) {
    return mean_ssim(a, b, pool, loops().floats);
}

} // namespace denoir::metrics

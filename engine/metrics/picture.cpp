// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/picture.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "engine/metrics/ssim.h"

namespace denoir::metrics {
namespace {

constexpr std::int64_t rows_of_a_piece = 64;
constexpr double peak = 255;

std::int64_t pieces_of(std::int64_t rows) { return (rows + rows_of_a_piece - 1) / rows_of_a_piece; }

/// What numpy.percentile asks of the sorted samples: value(rank) and value(rank + 1), and how far between.
struct Rank {
    std::uint64_t index;
    double fraction;
};
Rank rank_of(double percent, std::uint64_t count) {
    const double at = percent / 100 * double(count - 1);
    const auto index = std::uint64_t(at);
    return {index, at - double(index)};
}

double percentile(const Histogram& counts, std::uint64_t count, double percent) {
    const Rank rank = rank_of(percent, count);
    const auto value_at = [&](std::uint64_t index) {
        std::uint64_t below = 0;
        for (int v = 0; v < 256; ++v)
            if ((below += counts[std::size_t(v)]) > index) return v;
        return 255;
    };
    const double low = value_at(rank.index);
    return low + rank.fraction * (value_at(std::min(rank.index + 1, count - 1)) - low);
}

/// Reorders `values`.
double percentile(std::vector<float>& values, double percent) {
    const Rank rank = rank_of(percent, values.size());
    const auto at = values.begin() + std::int64_t(rank.index);
    std::nth_element(values.begin(), at, values.end());
    const double low = *at, high = at + 1 == values.end() ? low : *std::min_element(at + 1, values.end());
    return low + rank.fraction * (high - low);
}

void add(Histogram& to, const Histogram& from) {
    for (std::size_t v = 0; v < 256; ++v) to[v] += from[v];
}

void add(PixelHistograms& to, const PixelHistograms& from) {
    for (std::size_t c = 0; c < 3; ++c) {
        add(to.a[c], from.a[c]);
        add(to.b[c], from.b[c]);
    }
    add(to.difference, from.difference);
}

/// Counters of one piece. 32 bits wide and one set for each channel: neighbouring samples are often equal, and counting
/// both in one place would make the second wait for the first.
struct Counters {
    std::uint32_t difference[3][256] = {}, a[3][256] = {}, b[3][256] = {};

    template <bool pixels> void count(const std::uint8_t* p, const std::uint8_t* q, std::int64_t samples) {
        for (std::int64_t i = 0; i < samples; i += 3)
            for (int c = 0; c < 3; ++c) {
                const int u = p[i + c], v = q[i + c];
                ++difference[c][u > v ? u - v : v - u];
                if constexpr (pixels) ++a[c][u], ++b[c][v];
            }
    }

    PixelHistograms widened() const {
        PixelHistograms h;
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t v = 0; v < 256; ++v) {
                h.a[c][v] = a[c][v];
                h.b[c][v] = b[c][v];
                h.difference[v] += difference[c][v];
            }
        return h;
    }
};

std::uint8_t nearest(float v) { return v > 0 ? std::uint8_t(std::min(v + 0.5f, 255.0f)) : std::uint8_t{0}; }

/// Sums of one row of a float picture.
struct RowSums {
    double squares = 0, absolute = 0, max = 0;
};

} // namespace

std::optional<double> psnr_of(double mse) {
    if (mse <= 0) return std::nullopt;
    return 10 * std::log10(peak * peak / mse);
}

FrameMetrics compare_frames(const Rgb8& a, const Rgb8& b, ThreadPool& pool, const MetricOptions& options) {
    assert(a.width == b.width && a.height == b.height && a.width > 0 && a.height > 0);
    const std::int64_t row = 3 * std::int64_t(a.width), pieces = pieces_of(a.height);
    std::vector<PixelHistograms> parts(std::size_t(pool.threads()));
    pool.run(pieces, [&](std::int64_t i, int worker) {
        const std::int64_t begin = i * rows_of_a_piece, rows = std::min(rows_of_a_piece, a.height - begin);
        Counters counters;
        const auto count = options.histograms ? &Counters::count<true> : &Counters::count<false>;
        (counters.*count)(a.data + begin * row, b.data + begin * row, rows * row);
        add(parts[std::size_t(worker)], counters.widened()); // whole numbers: any order gives the same sums
    });
    for (std::size_t i = 1; i < parts.size(); ++i) add(parts[0], parts[i]);
    const Histogram& difference = parts[0].difference;
    if (options.histograms) add(*options.histograms, parts[0]);

    FrameMetrics m;
    const auto samples = std::uint64_t(row) * std::uint64_t(a.height);
    std::uint64_t sum = 0, squares = 0;
    for (std::uint64_t v = 0; v < 256; ++v) {
        sum += v * difference[v];
        squares += v * v * difference[v];
        if (difference[v]) m.difference.max = double(v);
    }
    m.mse = double(squares) / double(samples);
    m.psnr = psnr_of(m.mse);
    m.difference.mean = double(sum) / double(samples);
    m.difference.p95 = percentile(difference, samples, 95);
    m.difference.p99 = percentile(difference, samples, 99);
    if (options.ssim)
        m.ssim = ssim(SamplePlane<std::uint8_t>{a.data, row, a.width, a.height, 3},
                      SamplePlane<std::uint8_t>{b.data, row, b.width, b.height, 3}, pool);
    return m;
}

FrameMetrics compare_frames(const Tensor& a, const Tensor& b, ThreadPool& pool, const MetricOptions& options) {
    assert(a.shape() == b.shape() && a.rank() == 3 && a.size(0) == 3 && a.dtype() == DType::f32 &&
           b.dtype() == DType::f32 && a.stride(2) == 1 && b.stride(2) == 1);
    const std::int64_t height = a.size(1), width = a.size(2), rows = 3 * height;
    const auto row = [](const Tensor& t, std::int64_t i, std::int64_t h) {
        return t.data<float>() + i / h * t.stride(0) + i % h * t.stride(1);
    };
    std::vector<float> difference(std::size_t(rows * width));
    std::vector<RowSums> sums{std::size_t(rows)};
    std::vector<PixelHistograms> parts(options.histograms ? std::size_t(pool.threads()) : 0);
    pool.run(pieces_of(rows), [&](std::int64_t piece, int worker) {
        const std::int64_t end = std::min(rows, (piece + 1) * rows_of_a_piece);
        for (std::int64_t i = piece * rows_of_a_piece; i < end; ++i) {
            const float *p = row(a, i, height), *q = row(b, i, height);
            RowSums& s = sums[std::size_t(i)];
            for (std::int64_t x = 0; x < width; ++x) {
                const double d = double(p[x]) - double(q[x]), size = std::abs(d);
                difference[std::size_t(i * width + x)] = float(size);
                s.squares += d * d;
                s.absolute += size;
                s.max = std::max(s.max, size);
            }
            if (!options.histograms) continue;
            PixelHistograms& h = parts[std::size_t(worker)];
            const auto c = std::size_t(i / height);
            for (std::int64_t x = 0; x < width; ++x) {
                ++h.a[c][nearest(p[x])];
                ++h.b[c][nearest(q[x])];
                ++h.difference[nearest(difference[std::size_t(i * width + x)])];
            }
        }
    });
    for (const PixelHistograms& part : parts) add(*options.histograms, part);

    FrameMetrics m;
    double squares = 0, absolute = 0;
    for (const RowSums& s : sums) {
        squares += s.squares;
        absolute += s.absolute;
        m.difference.max = std::max(m.difference.max, s.max);
    }
    const double samples = double(rows) * double(width);
    m.mse = squares / samples;
    m.psnr = psnr_of(m.mse);
    m.difference.mean = absolute / samples;
    m.difference.p95 = percentile(difference, 95);
    m.difference.p99 = percentile(difference, 99);
    if (!options.ssim) return m;
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const auto plane = [&](const Tensor& t) {
            return SamplePlane<float>{t.data<float>() + c * t.stride(0), t.stride(1), int(width), int(height), 1};
        };
        const std::optional<double> value = ssim(plane(a), plane(b), pool);
        if (!value) return m;
        sum += *value;
    }
    m.ssim = sum / 3;
    return m;
}

} // namespace denoir::metrics

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

/// The place of a percentile among the sorted samples, as in numpy.percentile: `fraction` of the way from value(index)
/// to value(index + 1).
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

/// A percentile of `values`, which are reordered.
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

/// Counters of one piece, of 32 bits, and separate for each channel: neighbouring samples are often equal, and if both
/// were counted in the same place, the second would have to wait for the first.
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

/// Sums of one row of a float picture's differences.
struct RowSums {
    double squares = 0, absolute = 0, max = 0;
};

/// The sums of a row of two pictures. Stores the absolute value of each difference in `difference`.
RowSums compare_row(const float* a, const float* b, std::int64_t width, float* difference) {
    RowSums sums;
    for (std::int64_t x = 0; x < width; ++x) {
        const double d = double(a[x]) - double(b[x]), size = std::abs(d);
        difference[x] = float(size);
        sums.squares += d * d;
        sums.absolute += size;
        sums.max = std::max(sums.max, size);
    }
    return sums;
}

/// Counts the values of a row of channel c, rounded to integers.
void count_row(const float* a, const float* b, const float* difference, std::int64_t width, std::size_t c,
               PixelHistograms& counts) {
    for (std::int64_t x = 0; x < width; ++x) {
        ++counts.a[c][nearest(a[x])];
        ++counts.b[c][nearest(b[x])];
        ++counts.difference[nearest(difference[x])];
    }
}

/// The mean SSIM over the channels of [3, H, W]; empty if the picture is smaller than SSIM's window.
std::optional<double> ssim_of_channels(const Tensor& a, const Tensor& b, ThreadPool& pool) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const auto plane = [&](const Tensor& t) {
            return SamplePlane<float>{t.data<float>() + c * t.stride(0), t.stride(1), int(t.size(2)), int(t.size(1)),
                                      1};
        };
        const std::optional<double> value = ssim(plane(a), plane(b), pool);
        if (!value) return std::nullopt;
        sum += *value;
    }
    return sum / 3;
}

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
        add(parts[std::size_t(worker)], counters.widened()); // integers, so that the order does not matter
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
    // Row i among the rows of all channels, one channel after the other.
    const auto row = [&](const Tensor& t, std::int64_t i) {
        return t.data<float>() + i / height * t.stride(0) + i % height * t.stride(1);
    };
    std::vector<float> difference(std::size_t(rows * width));
    std::vector<RowSums> sums{std::size_t(rows)};
    std::vector<PixelHistograms> parts(options.histograms ? std::size_t(pool.threads()) : 0);
    pool.run(pieces_of(rows), [&](std::int64_t piece, int worker) {
        const std::int64_t end = std::min(rows, (piece + 1) * rows_of_a_piece);
        for (std::int64_t i = piece * rows_of_a_piece; i < end; ++i) {
            float* own = difference.data() + i * width;
            sums[std::size_t(i)] = compare_row(row(a, i), row(b, i), width, own);
            if (options.histograms)
                count_row(row(a, i), row(b, i), own, width, std::size_t(i / height), parts[std::size_t(worker)]);
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
    if (options.ssim) m.ssim = ssim_of_channels(a, b, pool);
    return m;
}

} // namespace denoir::metrics

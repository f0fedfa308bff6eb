// SPDX-License-Identifier: Apache-2.0
#include "engine/media/resize.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace denoir {
namespace {

/// Weights are fixed-point numbers with this many bits behind the point, which leaves 8 bits for a pixel and 2 for
/// overshoot.
constexpr int weight_bits = 32 - 8 - 2;

double sinc(double x) { return x == 0 ? 1 : std::sin(x * M_PI) / (x * M_PI); }

double filter_radius(Filter filter) {
    switch (filter) {
    case Filter::box:
        return 0.5;
    case Filter::bilinear:
        return 1;
    case Filter::bicubic:
        return 2;
    default:
        return 3;
    }
}

double filter_value(Filter filter, double x) {
    if (filter == Filter::box) return x > -0.5 && x <= 0.5 ? 1 : 0;
    if (filter == Filter::lanczos) return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
    x = std::abs(x);
    if (filter == Filter::bilinear) return x < 1 ? 1 - x : 0;
    constexpr double a = -0.5;
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

/// The inputs of each output position: the first one, their number, and their weights.
struct Weights {
    int taps = 0;
    std::vector<int> first, count, values; ///< values: `taps` weights for each position, unused ones zero
};

Weights make_weights(int in, int out, Filter filter) {
    const double scale = static_cast<double>(in) / out, stretch = std::max(scale, 1.0),
                 support = filter_radius(filter) * stretch;
    Weights weights;
    weights.taps = static_cast<int>(std::ceil(support)) * 2 + 1;
    weights.first.resize(static_cast<std::size_t>(out));
    weights.count.resize(static_cast<std::size_t>(out));
    weights.values.resize(static_cast<std::size_t>(out) * static_cast<std::size_t>(weights.taps));
    std::vector<double> k(static_cast<std::size_t>(weights.taps));
    for (int o = 0; o < out; ++o) {
        const double centre = (o + 0.5) * scale;
        const int begin = std::max(static_cast<int>(centre - support + 0.5), 0),
                  end = std::min(static_cast<int>(centre + support + 0.5), in);
        double sum = 0;
        for (int i = begin; i < end; ++i)
            sum += k[static_cast<std::size_t>(i - begin)] = filter_value(filter, (i - centre + 0.5) * (1 / stretch));
        int* values = weights.values.data() + std::size_t(o) * std::size_t(weights.taps);
        for (int i = 0; i < end - begin; ++i) {
            const double w =
                (sum != 0 ? k[static_cast<std::size_t>(i)] / sum : k[static_cast<std::size_t>(i)]) * (1 << weight_bits);
            values[i] = static_cast<int>(w < 0 ? w - 0.5 : w + 0.5);
        }
        weights.first[static_cast<std::size_t>(o)] = begin;
        weights.count[static_cast<std::size_t>(o)] = end - begin;
    }
    return weights;
}

std::uint8_t round_weighted(int sum) { return static_cast<std::uint8_t>(std::clamp(sum >> weight_bits, 0, 255)); }
constexpr int half = 1 << (weight_bits - 1);

Image resize_width(const Image& image, int width, Filter filter) {
    const Weights weights = make_weights(image.width, width, filter);
    Image out(width, image.height);
    for (int y = 0; y < image.height; ++y) {
        std::uint8_t* to = out.row(y);
        for (int x = 0; x < width; ++x, to += 3) {
            const std::uint8_t* from = image.row(y) + 3 * weights.first[static_cast<std::size_t>(x)];
            const int* w = weights.values.data() + std::size_t(x) * std::size_t(weights.taps);
            int r = half, g = half, b = half;
            for (int i = 0; i < weights.count[static_cast<std::size_t>(x)]; ++i, from += 3) {
                r += from[0] * w[i];
                g += from[1] * w[i];
                b += from[2] * w[i];
            }
            to[0] = round_weighted(r);
            to[1] = round_weighted(g);
            to[2] = round_weighted(b);
        }
    }
    return out;
}

Image resize_height(const Image& image, int height, Filter filter) {
    const Weights weights = make_weights(image.height, height, filter);
    Image out(image.width, height);
    std::vector<int> sums(3 * static_cast<std::size_t>(image.width));
    for (int y = 0; y < height; ++y) {
        std::ranges::fill(sums, half);
        const int* w = weights.values.data() + std::size_t(y) * std::size_t(weights.taps);
        for (int i = 0; i < weights.count[static_cast<std::size_t>(y)]; ++i) {
            const std::uint8_t* from = image.row(weights.first[static_cast<std::size_t>(y)] + i);
            for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += from[x] * w[i];
        }
        std::transform(sums.begin(), sums.end(), out.row(y), round_weighted);
    }
    return out;
}

/// The bicubic taps of one output position on one axis, in f32 as PyTorch computes them.
struct CubicTaps {
    std::array<int, 4> index;
    std::array<float, 4> weight;
};

std::vector<CubicTaps> cubic_taps(int in, int out) {
    constexpr float a = -0.75f;
    const auto inner = [](float t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
    const auto outer = [](float t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
    std::vector<CubicTaps> taps(static_cast<std::size_t>(out));
    const float scale = static_cast<float>(in) / static_cast<float>(out);
    for (int o = 0; o < out; ++o) {
        // Rounded once, as in PyTorch's vectorised kernels: at 4000 pixels a second rounding would move taps by 2e-4.
        const float source = std::fma(scale, static_cast<float>(o) + 0.5f, -0.5f);
        const int first = static_cast<int>(std::floor(source));
        const float t = std::clamp(source - static_cast<float>(first), 0.0f, 1.0f);
        CubicTaps& tap = taps[static_cast<std::size_t>(o)];
        for (int i = 0; i < 4; ++i) tap.index[static_cast<std::size_t>(i)] = std::clamp(first - 1 + i, 0, in - 1);
        tap.weight = {outer(t + 1), inner(t), inner(1 - t), outer(2 - t)};
    }
    return taps;
}

} // namespace

Image resize_pil(const Image& image, int width, int height, Filter filter) {
    assert(image.width > 0 && image.height > 0 && width > 0 && height > 0);
    if (image.width != width && image.height != height)
        return resize_height(resize_width(image, width, filter), height, filter);
    if (image.width != width) return resize_width(image, width, filter);
    if (image.height != height) return resize_height(image, height, filter);
    return image;
}

Tensor resize_bicubic_torch(const Tensor& chw, int height, int width) {
    assert(chw.rank() == 3 && chw.dtype() == DType::f32 && chw.is_contiguous() && height > 0 && width > 0);
    const int channels = static_cast<int>(chw.size(0)), in_h = static_cast<int>(chw.size(1)),
              in_w = static_cast<int>(chw.size(2));
    const std::vector<CubicTaps> rows = cubic_taps(in_h, height), columns = cubic_taps(in_w, width);
    Tensor out = Tensor::host({channels, height, width});
    float* to = out.data<float>();
    for (int c = 0; c < channels; ++c) {
        const float* plane = chw.data<float>() + std::ptrdiff_t{c} * in_h * in_w;
        for (const CubicTaps& row : rows) {
            for (const CubicTaps& column : columns) {
                float sum = 0;
                for (std::size_t j = 0; j < 4; ++j) {
                    const float* line = plane + std::ptrdiff_t{row.index[j]} * in_w;
                    float across = 0;
                    for (std::size_t i = 0; i < 4; ++i) across += line[column.index[i]] * column.weight[i];
                    sum += across * row.weight[j];
                }
                *to++ = sum;
            }
        }
    }
    return out;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/difference.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace denoir {
namespace {

constexpr Colour none{20, 20, 20}, more_a{64, 140, 255}, more_b{255, 140, 26}, beyond{255, 255, 255};

Colour mix(Colour from, Colour to, double share) {
    const auto channel = [share](int a, int b) { return static_cast<std::uint8_t>(std::lround(a + (b - a) * share)); };
    return {channel(from.red, to.red), channel(from.green, to.green), channel(from.blue, to.blue)};
}

} // namespace

Image amplified_difference(const Image& a, const Image& b, double factor) {
    assert(a.width == b.width && a.height == b.height);
    std::array<std::uint8_t, 256> shown{};
    for (std::size_t v = 0; v < shown.size(); ++v)
        shown[v] = static_cast<std::uint8_t>(std::min(255.0, std::round(double(v) * factor)));
    Image out(a.width, a.height);
    for (std::size_t i = 0; i < out.rgb.size(); ++i) {
        const int d = a.rgb[i] - b.rgb[i];
        out.rgb[i] = shown[std::size_t(d < 0 ? -d : d)];
    }
    return out;
}

Colour signed_colour(int difference, double factor) {
    const double v = std::min(1.0, std::abs(difference) * factor / 255.0);
    const Colour hue = difference > 0 ? more_b : more_a;
    constexpr double knee = 0.7;
    return v <= knee ? mix(none, hue, v / knee) : mix(hue, beyond, (v - knee) / (1 - knee));
}

Image signed_difference(const Image& a, const Image& b, double factor) {
    assert(a.width == b.width && a.height == b.height);
    std::array<Colour, 511> shown{};
    for (int d = -255; d <= 255; ++d) shown[std::size_t(d + 255)] = signed_colour(d, factor);
    Image out(a.width, a.height);
    for (std::size_t i = 0; i < out.rgb.size(); i += 3) {
        const auto apart = [&](std::size_t channel) { return b.rgb[i + channel] - a.rgb[i + channel]; };
        const Colour c = shown[std::size_t(largest_of(apart(0), apart(1), apart(2)) + 255)];
        out.rgb[i] = c.red;
        out.rgb[i + 1] = c.green;
        out.rgb[i + 2] = c.blue;
    }
    return out;
}

int fitting_amplification(const metrics::PixelHistograms& h) {
    std::uint64_t all = 0, below = 0;
    for (const std::uint64_t n : h.difference) all += n;
    double p99 = 0;
    for (std::size_t v = 0; v < h.difference.size(); ++v)
        if (double(below += h.difference[v]) >= 0.99 * double(all)) {
            p99 = double(v);
            break;
        }
    return fitting_amplification(p99);
}

int fitting_amplification(double largest) {
    int factor = 1;
    while (factor < 64 && 2 * factor * largest <= 255) factor *= 2;
    return factor;
}

} // namespace denoir

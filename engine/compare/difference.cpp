// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/difference.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace denoir {

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

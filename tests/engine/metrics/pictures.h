// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/metrics/picture.h"

/// The pictures of tests/reference/picture_metrics_golden.py, made by the same formulas in whole numbers.
namespace denoir::test {

/// [H, W, 3]
struct Samples {
    int width = 0, height = 0;
    std::vector<std::int64_t> values;
};

inline std::uint32_t mixed(std::uint64_t x, std::uint64_t y, std::uint64_t c, std::uint64_t seed) {
    auto h = std::uint32_t(x * 0x9E3779B1u + y * 0x85EBCA77u + c * 0xC2B2AE3Du + seed * 0x27D4EB2Fu);
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    h = (h ^ (h >> 12)) * 0x297A2D39u;
    return h ^ (h >> 15);
}

inline Samples made(int width, int height,
                    const std::function<std::int64_t(std::uint64_t x, std::uint64_t y, std::uint64_t c)>& value) {
    Samples s{width, height, {}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < 3; ++c) s.values.push_back(value(std::uint64_t(x), std::uint64_t(y), std::uint64_t(c)));
    return s;
}

inline std::int64_t clipped(std::int64_t v) { return std::clamp<std::int64_t>(v, 0, 255); }

inline Samples picture(int width, int height, std::uint64_t seed, std::uint64_t move = 0) {
    return made(width, height, [&](std::uint64_t x, std::uint64_t y, std::uint64_t c) {
        x += move;
        auto ramp = std::int64_t((x * (2 + c) + y * 3 + 40 * c) % 480);
        if (ramp >= 240) ramp = 479 - ramp;
        const std::int64_t chequered = (x / 8 + y / 8) % 5 == 0 ? 60 : 0;
        return clipped(ramp * 3 / 4 + chequered + mixed(x, y, c, seed) % 9);
    });
}

inline std::vector<std::uint8_t> bytes(const Samples& s) { return {s.values.begin(), s.values.end()}; }

/// The samples as planes [3,H,W], each with a fraction of n / 256 from the bits of a hash at `shift`.
inline Tensor planes(const Samples& s, std::uint64_t seed, int shift) {
    Tensor t = Tensor::host({3, s.height, s.width});
    std::size_t i = 0;
    for (int y = 0; y < s.height; ++y)
        for (int x = 0; x < s.width; ++x)
            for (int c = 0; c < 3; ++c) {
                const auto h = mixed(std::uint64_t(x), std::uint64_t(y), std::uint64_t(c), seed + 2000);
                const float value = float(s.values[i++]) + float(h >> shift & 255) / 256;
                t.data<float>()[(c * s.height + y) * s.width + x] = std::min(value, 255.0f);
            }
    return t;
}

/// The second picture of a pair, made by a change such as "noise 3" or "shift 1".
inline Samples changed(const Samples& a, std::uint64_t seed, const std::string& change) {
    const std::string kind = change.substr(0, change.find(' '));
    const std::int64_t n = change.find(' ') == std::string::npos ? 0 : std::stoll(change.substr(change.find(' ')));
    if (kind == "shift") return picture(a.width, a.height, seed, std::uint64_t(n));
    std::size_t i = 0;
    const std::size_t middle = 3 * (std::size_t(a.height / 2) * std::size_t(a.width) + std::size_t(a.width / 2)) + 1;
    return made(a.width, a.height, [&](std::uint64_t x, std::uint64_t y, std::uint64_t c) -> std::int64_t {
        const std::size_t at = i++;
        const std::int64_t v = a.values[at];
        if (kind == "noise") return clipped(v + mixed(x, y, c, seed + 1000) % (2 * n + 1) - n);
        if (kind == "scale") return v * n / 100;
        if (kind == "invert") return 255 - v;
        if (kind == "plus") return clipped(v + n);
        if (kind == "one" && at == middle) return v ^ 255;
        return v;
    });
}

inline metrics::Rgb8 view(const std::vector<std::uint8_t>& b, int width, int height) {
    return {b.data(), width, height};
}

} // namespace denoir::test

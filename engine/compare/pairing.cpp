// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/pairing.h"

#include <algorithm>
#include <cmath>

namespace denoir {

bool rates_differ(double a, double b) { return a > 0 && b > 0 && std::abs(a - b) > 1e-3 * std::max(a, b); }

Pairing::Pairing(double fps_a, double fps_b, FrameMatch match, int offset)
    : fps_a_(fps_a), fps_b_(fps_b), by_time_(match == FrameMatch::time), offset_(offset) {}

std::int64_t Pairing::partner(std::int64_t a) const {
    if (!by_time_) return a + offset_;
    return std::llround(std::min(double(a) / fps_a_ * fps_b_, double(most_frames))) + offset_;
}

/// Halves the range: a length is what a file claims, and may be 10^9.
std::int64_t Pairing::first_to_meet(std::int64_t b, std::int64_t begin, std::int64_t end) const {
    while (begin < end) {
        const std::int64_t middle = begin + (end - begin) / 2;
        if (partner(middle) < b)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/pairing.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace denoir {
namespace {

/// The frame of `times` nearest to this moment; of two that are equally near, the later. Their number if the last frame
/// is over by then.
std::int64_t nearest(std::span<const double> times, double moment) {
    constexpr double hair = 1e-6; // seconds
    const auto n = std::int64_t(times.size());
    const double last = n > 1 ? times.back() - times[std::size_t(n) - 2] : 0; // is shown as long as its predecessor
    if (moment + hair >= times.back() + last / 2 && moment > times.back()) return n;
    const std::int64_t later = std::ranges::lower_bound(times, moment) - times.begin();
    if (later == n) return n - 1;
    if (later == 0) return 0;
    const double after = times[std::size_t(later)] - moment, before = moment - times[std::size_t(later) - 1];
    return after <= before + hair ? later : later - 1;
}

} // namespace

bool rates_differ(double a, double b) { return a > 0 && b > 0 && std::abs(a - b) > 1e-3 * std::max(a, b); }

std::vector<double> even_times(std::int64_t frames, double fps) {
    std::vector<double> times;
    for (std::int64_t n = 0; n < frames; ++n) times.push_back(double(n) / fps);
    return times;
}

bool come_evenly(std::span<const double> times, double fps) {
    constexpr double tolerance = 0.25; // of a frame
    for (std::size_t n = 0; n < times.size(); ++n)
        if (std::abs(times[n] * fps - double(n)) > tolerance) return false;
    return true;
}

Pairing::Pairing(std::span<const double> times_a, std::span<const double> times_b, int offset)
    : by_time_(true), offset_(offset) {
    assert(!times_a.empty() && !times_b.empty());
    std::vector<std::int64_t> partners;
    for (const double moment : times_a) partners.push_back(nearest(times_b, moment));
    nearest_ = std::make_shared<const std::vector<std::int64_t>>(std::move(partners));
}

Pairing::Pairing(double fps_a, double fps_b, FrameMatch match, int offset)
    : fps_a_(fps_a), fps_b_(fps_b), by_time_(match == FrameMatch::time), offset_(offset) {}

std::int64_t Pairing::partner(std::int64_t a) const {
    if (!by_time_) return a + offset_;
    if (nearest_) {
        const auto n = std::int64_t(nearest_->size());
        if (a < n) return (*nearest_)[std::size_t(std::max<std::int64_t>(a, 0))] + offset_;
        return nearest_->back() + 1 + (a - n) + offset_; // there is no such frame
    }
    return std::llround(std::min(double(a) / fps_a_ * fps_b_, double(most_frames))) + offset_;
}

/// By bisection: a length is what a file claims, and may be 10^9.
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

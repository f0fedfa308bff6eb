// SPDX-License-Identifier: Apache-2.0
#include "engine/core/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <numeric>

namespace denoir::profile {
namespace {

constexpr std::size_t zones = static_cast<std::size_t>(Zone::count);

constexpr std::array<std::string_view, zones> names = {"attention", "cast",   "convolution", "elementwise",
                                                       "gather",    "linear", "norm"};

struct Counter {
    std::atomic<std::int64_t> calls{0}, nanoseconds{0};
};
std::array<Counter, zones> counters;

} // namespace

std::string_view name(Zone zone) {
    assert(zone < Zone::count);
    return names[static_cast<std::size_t>(zone)];
}

std::array<Total, zones> totals() {
    std::array<Total, zones> out;
    for (std::size_t i = 0; i < zones; ++i)
        out[i] = {counters[i].calls.load(std::memory_order_relaxed),
                  1e-9 * static_cast<double>(counters[i].nanoseconds.load(std::memory_order_relaxed))};
    return out;
}

void add(Zone zone, double seconds) {
    assert(zone < Zone::count);
    Counter& counter = counters[static_cast<std::size_t>(zone)];
    counter.calls.fetch_add(1, std::memory_order_relaxed);
    counter.nanoseconds.fetch_add(static_cast<std::int64_t>(seconds * 1e9), std::memory_order_relaxed);
}

std::string table(const std::array<Total, zones>& totals) {
    std::array<std::size_t, zones> order;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return totals[a].seconds > totals[b].seconds; });
    const double all =
        std::accumulate(totals.begin(), totals.end(), 0.0, [](double sum, const Total& t) { return sum + t.seconds; });
    std::string out;
    for (const std::size_t i : order)
        if (totals[i].calls > 0)
            out += fmt::format("{:<12} {:>9} calls {:>9.3f} s {:>4.0f} %\n", names[i], totals[i].calls,
                               totals[i].seconds, all > 0 ? 100 * totals[i].seconds / all : 0);
    return out;
}

} // namespace denoir::profile

// SPDX-License-Identifier: Apache-2.0
#include "engine/core/profile.h"

#include <atomic>
#include <cassert>

namespace denoir::profile {
namespace {

constexpr int zones = static_cast<int>(Zone::count);

constexpr std::array<std::string_view, zones> names = {
    "attention", "cast", "clip",  "conditioning", "convolution", "copy",   "decode", "denoise", "encode",
    "linear",    "load", "media", "modulate",     "norm",        "solver", "text",   "vae"};

struct Counter {
    std::atomic<std::int64_t> calls{0};
    std::atomic<std::int64_t> nanoseconds{0};
};
std::array<Counter, zones> counters;

} // namespace

std::string_view name(Zone zone) {
    assert(zone < Zone::count);
    return names[static_cast<std::size_t>(zone)];
}

std::array<Total, zones> totals() {
    std::array<Total, zones> out;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = {counters[i].calls.load(std::memory_order_relaxed),
                  1e-9 * static_cast<double>(counters[i].nanoseconds.load(std::memory_order_relaxed))};
    return out;
}

void reset() {
    for (Counter& counter : counters) {
        counter.calls.store(0, std::memory_order_relaxed);
        counter.nanoseconds.store(0, std::memory_order_relaxed);
    }
}

void add(Zone zone, double seconds) {
    assert(zone < Zone::count);
    Counter& counter = counters[static_cast<std::size_t>(zone)];
    counter.calls.fetch_add(1, std::memory_order_relaxed);
    counter.nanoseconds.fetch_add(static_cast<std::int64_t>(seconds * 1e9), std::memory_order_relaxed);
}

} // namespace denoir::profile

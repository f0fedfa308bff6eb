// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace denoir::profile {

/// Every place that is timed, sorted by name.
enum class Zone {
    attention,
    cast,
    clip,
    conditioning,
    convolution,
    copy,
    decode,
    denoise,
    encode,
    linear,
    load,
    media,
    modulate,
    norm,
    solver,
    text,
    vae,
    count
};

std::string_view name(Zone);

struct Total {
    std::int64_t calls = 0;
    double seconds = 0;
};
/// Sums since the last reset, over all threads. Zones may nest.
std::array<Total, static_cast<int>(Zone::count)> totals();
void reset();
void add(Zone, double seconds);

/// Times the enclosing block.
class Scope {
public:
    explicit Scope(Zone zone) : zone_(zone), start_(std::chrono::steady_clock::now()) {}
    ~Scope() { add(zone_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count()); }
    Scope(const Scope&) = delete;

private:
    Zone zone_;
    std::chrono::steady_clock::time_point start_;
};

} // namespace denoir::profile

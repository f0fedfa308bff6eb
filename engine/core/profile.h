// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace denoir::profile {

/// The kinds of kernels that are timed, sorted by name. `engine/ops` times each of its calls of the backend as one of
/// these zones, which together are everything that a model computes.
enum class Zone { attention, cast, convolution, elementwise, gather, linear, norm, count };

std::string_view name(Zone);

struct Total {
    std::int64_t calls = 0;
    double seconds = 0; ///< of the calling thread: with a card, the time to launch, not to compute
};
/// Sums since the program began, over all threads.
std::array<Total, static_cast<int>(Zone::count)> totals();
void add(Zone, double seconds);

/// The totals as lines, the longest time first: name, calls, seconds, share of the sum. Empty if nothing was timed.
std::string table(const std::array<Total, static_cast<int>(Zone::count)>&);

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

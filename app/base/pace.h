// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <optional>

namespace denoir::app {

/// Lets reports through at most 20 times a second, the first one at once, as the window need not show more.
class Pace {
public:
    bool is_due() {
        const auto now = std::chrono::steady_clock::now();
        if (told_ && now - *told_ < std::chrono::milliseconds(50)) return false;
        told_ = now;
        return true;
    }

private:
    std::optional<std::chrono::steady_clock::time_point> told_;
};

} // namespace denoir::app

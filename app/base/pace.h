// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <optional>

namespace denoir::app {

/// Lets a report through 20 times a second, the first at once: more often than that the window shows nothing new.
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

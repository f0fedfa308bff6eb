// SPDX-License-Identifier: Apache-2.0
#include "engine/core/units.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"

namespace denoir {
namespace {

/// A hint with the valid values next to `value`, among first, first + step, … last.
std::string nearest(std::int64_t value, std::int64_t first, std::int64_t step, std::int64_t last) {
    if (value <= first) return fmt::format("use {} or more", first);
    if (value >= last) return fmt::format("use {} or less", last);
    const std::int64_t below = first + (value - first) / step * step;
    return fmt::format("use {} or {}", below, std::min(below + step, last));
}

/// `value` if it is one of first, first + step, … last. Throws UsageError otherwise.
int checked(std::int64_t value, std::int64_t first, std::int64_t step, std::int64_t last, std::string_view field,
            std::string_view rule) {
    if (value < first || value > last || (value - first) % step != 0)
        throw UsageError("", std::string(field), fmt::format("{} is not {}", value, rule),
                         nearest(value, first, step, last));
    return static_cast<int>(value);
}

int checked_side(std::int64_t pixels, int multiple, std::string_view field) {
    const std::int64_t last = Resolution::max / multiple * multiple;
    return checked(pixels, multiple, multiple, last, field, fmt::format("a multiple of {} up to {}", multiple, last));
}

} // namespace

FrameCount::FrameCount(std::int64_t frames, std::string_view field)
    : value_(checked(frames, 1, 4, max, field,
                     frames > max ? fmt::format("a number of frames up to {}", max) : "1, 5, 9, 13, … (4n + 1)")) {}

Resolution::Resolution(std::int64_t width, std::int64_t height, int multiple)
    : width_(checked_side(width, multiple, "width")), height_(checked_side(height, multiple, "height")) {}

StepCount::StepCount(std::int64_t steps, std::string_view field)
    : value_(checked(steps, 1, 1, max, field, fmt::format("a number of steps from 1 to {}", max))) {}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace denoir::test {

inline bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// How often the part occurs; occurrences may overlap.
inline std::size_t count(const std::string& text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

} // namespace denoir::test

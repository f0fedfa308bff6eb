// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/json.h"
#include "engine/core/text.h"

namespace denoir {

/// A field of a document that anyone may have written; empty where it is missing or no text.
inline std::string text_of(const Json& json, const char* key) {
    const auto it = json.find(key);
    return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// On one line. What is no UTF-8, as in an argument or a tensor's name of a .pth, becomes U+FFFD; dump() throws there.
inline std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// A number as people write one in an option: whole to 64 bits, else a finite f64. Nothing where it is none, nor for a
/// whole number beyond 64 bits, which would become another one.
inline std::optional<Json> read_number(std::string_view text) {
    if (const auto natural = read_whole<std::uint64_t>(text)) return *natural;
    if (const auto whole = read_whole<std::int64_t>(text)) return *whole;
    const auto real = read_double(text);
    if (!real || !std::isfinite(*real) || text.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
    return *real;
}

} // namespace denoir

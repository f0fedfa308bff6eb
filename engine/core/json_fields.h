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

/// The string `key` of an untrusted document; empty if it is missing or not a string.
inline std::string text_of(const Json& json, const char* key) {
    const auto it = json.find(key);
    return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// The value, or null if there is none.
template <class T> Json or_null(const std::optional<T>& value) { return value ? Json(*value) : Json(); }
/// The number, or null if it is infinite or NaN, which JSON does not have.
inline Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// The JSON text on one line. Bytes that are not UTF-8 (of an argument, or of a tensor's name in a .pth) become U+FFFD,
/// whereas dump() would throw.
inline std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// A number as people write it in an option: an integer of 64 bits, else a finite f64. Empty for other text, and for an
/// integer beyond 64 bits, which an f64 would change.
inline std::optional<Json> read_number(std::string_view text) {
    if (const auto natural = read_whole<std::uint64_t>(text)) return *natural;
    if (const auto whole = read_whole<std::int64_t>(text)) return *whole;
    const auto real = read_double(text);
    if (!real || !std::isfinite(*real) || text.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
    return *real;
}

} // namespace denoir

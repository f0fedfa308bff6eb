// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/core/error.h"

namespace denoir {

using Json = nlohmann::ordered_json;

/// Parses untrusted text: at most 64 levels deep, no repeated keys, only finite numbers (1e400 and NaN are refused; a
/// whole number beyond 64 bits becomes the nearest double), strings of valid UTF-8 without NUL. Throws an Error of our
/// own words with `file`, line and column.
Json parse_json(std::string_view text, std::string_view file);

} // namespace denoir

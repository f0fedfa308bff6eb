// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/core/error.h"

namespace denoir {

using Json = nlohmann::ordered_json;

/// Parses text that may come from strangers: at most 64 levels deep, no repeated keys, numbers finite (1e400 and NaN
/// are refused; a whole number beyond 64 bits becomes the next double), strings valid UTF-8 without NUL. Errors say
/// line and column; `file` is named in them. No library text reaches the user.
Json parse_json(std::string_view text, std::string_view file);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "engine/core/json.h"

namespace denoir {

/// A field of a document that anyone may have written; empty where it is missing or no text.
inline std::string text_of(const Json& json, const char* key) {
    const auto it = json.find(key);
    return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

} // namespace denoir

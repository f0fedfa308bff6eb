// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <span>
#include <string_view>

namespace denoir {

/// What an environment variable asks for: one of the words that it knows, or empty where it is not set or empty.
/// Another word counts as not set, and is said in one warning per variable that names the choices.
std::string_view environment_word(const char* variable, std::span<const std::string_view> known);
inline std::string_view environment_word(const char* variable, std::initializer_list<std::string_view> known) {
    return environment_word(variable, std::span(known.begin(), known.size()));
}

} // namespace denoir

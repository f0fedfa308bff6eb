// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <span>
#include <string_view>

namespace denoir {

/// The value of an environment variable: one of the words in `known`, or empty if it is unset or empty. Any other word
/// counts as unset, with one warning per variable that names the choices.
std::string_view environment_word(const char* variable, std::span<const std::string_view> known);
inline std::string_view environment_word(const char* variable, std::initializer_list<std::string_view> known) {
    return environment_word(variable, std::span(known.begin(), known.size()));
}

} // namespace denoir

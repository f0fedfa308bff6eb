// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace denoir {

/// A value by the name that files and command lines have for it.
template <class T> struct Named {
    std::string_view name;
    T value;
};

/// Nothing: no value has this name.
template <class T, std::size_t N>
constexpr std::optional<T> value_named(const std::array<Named<T>, N>& all, std::string_view name) {
    for (const Named<T>& one : all)
        if (one.name == name) return one.value;
    return std::nullopt;
}

/// Empty: the value has no name. It may be an optional.
template <class T, std::size_t N, class Value>
constexpr std::string_view name_of(const std::array<Named<T>, N>& all, const Value& value) {
    for (const Named<T>& one : all)
        if (value == one.value) return one.name;
    return {};
}

} // namespace denoir

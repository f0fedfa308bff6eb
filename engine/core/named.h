// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace denoir {

/// A value and the name that files and command lines use for it.
template <class T> struct Named {
    std::string_view name;
    T value;
};

/// The value of this name; empty if there is none.
template <class T, std::size_t N>
constexpr std::optional<T> value_named(const std::array<Named<T>, N>& all, std::string_view name) {
    for (const Named<T>& one : all)
        if (one.name == name) return one.value;
    return std::nullopt;
}

/// The name of `value`, which may be an optional; empty if it has none.
template <class T, std::size_t N, class Value>
constexpr std::string_view name_of(const std::array<Named<T>, N>& all, const Value& value) {
    for (const Named<T>& one : all)
        if (value == one.value) return one.name;
    return {};
}

} // namespace denoir

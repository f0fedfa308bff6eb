// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace denoir {

/// A value by the name that files and command lines have for it.
template <class T> struct Named {
    std::string_view name;
    T value;
};

} // namespace denoir

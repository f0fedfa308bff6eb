// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "engine/core/tensor.h"

namespace denoir {

/// True where both have the same rank and sizes; -1 in `expected` allows any size.
inline bool shape_fits(const Shape& found, const Shape& expected) {
    if (found.rank() != expected.rank()) return false;
    for (int i = 0; i < found.rank(); ++i)
        if (expected[i] >= 0 && expected[i] != found[i]) return false;
    return true;
}

/// "[1536, ?]": a shape with -1 shown as any.
inline std::string shape_pattern(const Shape& shape) {
    std::string text = "[";
    for (int i = 0; i < shape.rank(); ++i)
        text += (i ? ", " : "") + (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
    return text + "]";
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/guidance.h"

#include <cassert>
#include <cstddef>

namespace denoir {

void guide(std::span<float> conditional, std::span<const float> unconditional, float scale) {
    assert(conditional.size() == unconditional.size());
    for (std::size_t i = 0; i < conditional.size(); ++i)
        conditional[i] = unconditional[i] + scale * (conditional[i] - unconditional[i]);
}

} // namespace denoir

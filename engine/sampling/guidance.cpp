// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/guidance.h"

#include <cassert>

namespace denoir {

void guide(const Tensor& conditional, const Tensor& unconditional, float scale, std::span<const float> timesteps,
           double until) {
    assert(conditional.shape() == unconditional.shape());
    const std::int64_t channels = conditional.size(0), frames = conditional.size(1);
    const std::int64_t area = conditional.size(2) * conditional.size(3);
    float* c = conditional.data<float>();
    const float* u = unconditional.data<float>();
    for (std::int64_t row = 0; row < channels * frames; ++row, c += area, u += area) {
        if (!guided_at(timesteps[timesteps.size() == 1 ? 0 : std::size_t(row % frames)], until)) continue;
        for (std::int64_t i = 0; i < area; ++i) c[i] = u[i] + scale * (c[i] - u[i]);
    }
}

} // namespace denoir

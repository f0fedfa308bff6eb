// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/gelu_steps.h"

#include <cmath>
#include <vector>

#include "engine/core/dtype.h"

namespace denoir::cpu {
namespace {

/// The results for all bf16 values, of which there are fewer than a layer has activations.
std::vector<float> all_values() {
    std::vector<float> table;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const float v = bf16{static_cast<std::uint16_t>(bits)}.value();
        const float cubic = round_to_bf16(0.044715f * round_to_bf16(round_to_bf16(v * v) * v));
        const float inner = round_to_bf16(0.7978845608f * round_to_bf16(v + cubic));
        const float outer = round_to_bf16(1.0f + round_to_bf16(std::tanh(inner)));
        table.push_back(round_to_bf16(round_to_bf16(0.5f * v) * outer));
    }
    return table;
}

} // namespace

void gelu_in_steps(const float* in, float* out, std::int64_t n) {
    static const std::vector<float> table = all_values();
    for (std::int64_t i = 0; i < n; ++i) out[i] = table[bf16::from(in[i]).bits];
}

} // namespace denoir::cpu

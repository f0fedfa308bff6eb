// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/weight_rows.h"

namespace denoir::cpu {

Tensor CpuBackend::parameter(const Weight& weight, bool round_bf16) {
    auto& kept = weight.prepared[round_bf16 ? "f32.bf16" : "f32"];
    if (!kept) {
        Tensor values = empty(weight.shape(), DType::f32);
        const WeightRows rows(kernels_, weight, round_bf16);
        for (std::int64_t row = 0; row < rows.count() && rows.columns() > 0; ++row)
            rows.read(row, 0, rows.columns(), values.data<float>() + row * rows.columns());
        kept = std::make_shared<Tensor>(std::move(values));
    }
    return *std::static_pointer_cast<Tensor>(kept);
}

} // namespace denoir::cpu

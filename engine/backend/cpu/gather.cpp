// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"
#include "engine/backend/cpu/weight_rows.h"

namespace denoir::cpu {

void CpuBackend::gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) {
    const WeightRows rows(kernels_, table, false);
    const std::int64_t channels = rows.columns();
    each_rows(out.size(0), channels, channels, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t id = ids[static_cast<std::size_t>(i)];
            assert(id >= 0 && id < rows.count());
            float* row = result_row(out.dtype(), row_of(out, i), scratch);
            rows.read(id, 0, channels, row);
            store_f32(kernels_, row, out.dtype(), row_of(out, i), channels);
        }
    });
}

} // namespace denoir::cpu

// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {

void CpuBackend::widen_rotation(const Rope& table, std::int64_t token, float* row) const {
    const std::int64_t pairs = table.cos.size(1);
    const auto* cosines = reinterpret_cast<const float*>(row_of(table.cos, token));
    const auto* sines = reinterpret_cast<const float*>(row_of(table.sin, token));
    for (std::int64_t j = 0; j < pairs; ++j) {
        row[2 * j] = row[2 * j + 1] = cosines[j];
        row[2 * pairs + 2 * j] = -sines[j];
        row[2 * pairs + 2 * j + 1] = sines[j];
    }
}

void CpuBackend::rope(const Tensor& x, const Rope& table, int heads, Tensor& out) {
    const std::int64_t channels = x.size(1), size = channels / heads;
    each_rows(x.size(0), channels, channels * 2 + size * 2, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        float* rotation = scratch + 2 * channels;
        for (std::int64_t token = begin; token < end; ++token) {
            widen_rotation(table, token, rotation);
            const float* in = as_f32(kernels_, x.dtype(), row_of(x, token), channels, scratch);
            float* result = result_row(out.dtype(), row_of(out, token), scratch + channels);
            for (std::int64_t head = 0; head < channels; head += size)
                kernels_.rotate(in + head, rotation, rotation + size, result + head, size);
            store_f32(kernels_, result, out.dtype(), row_of(out, token), channels);
        }
    });
}

} // namespace denoir::cpu

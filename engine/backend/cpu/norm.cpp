// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

struct Moments {
    float mean, factor; ///< `factor` is 1 / sqrt(variance + eps)
};

Moments moments(const Kernels& kernels, const float* x, std::int64_t n, float eps) {
    const auto mean = static_cast<float>(kernels.sum(x, n) / static_cast<double>(n));
    const double variance = kernels.sum_squares(x, mean, n) / static_cast<double>(n);
    return {mean, static_cast<float>(1.0 / std::sqrt(variance + static_cast<double>(eps)))};
}

float rms_factor(const Kernels& kernels, const float* x, std::int64_t n, float eps) {
    const double square = kernels.sum_squares(x, 0.0f, n) / static_cast<double>(n);
    return static_cast<float>(1.0 / std::sqrt(square + static_cast<double>(eps)));
}

const float* f32_row(const Tensor& x, std::int64_t row) { return reinterpret_cast<const float*>(row_of(x, row)); }

} // namespace

void CpuBackend::layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, Tensor& out) {
    const std::int64_t channels = x.size(1);
    each_rows(x.size(0), channels, 2 * channels, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        for (std::int64_t token = begin; token < end; ++token) {
            const float* in = as_f32(kernels_, x.dtype(), row_of(x, token), channels, scratch);
            float* result = result_row(out.dtype(), row_of(out, token), scratch + channels);
            const Moments m = moments(kernels_, in, channels, eps);
            kernels_.normalize(in, m.mean, m.factor, weight ? weight->data<float>() : nullptr, false,
                               bias ? bias->data<float>() : nullptr, result, channels);
            store_f32(kernels_, result, out.dtype(), row_of(out, token), channels);
        }
    });
}

void CpuBackend::layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps,
                                     Tensor& out) {
    const std::int64_t channels = x.size(1), rows = x.size(0) / std::max<std::int64_t>(1, shift.size(0));
    each_rows(x.size(0), channels, 2 * channels, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        for (std::int64_t token = begin; token < end; ++token) {
            const float* in = as_f32(kernels_, x.dtype(), row_of(x, token), channels, scratch);
            float* result = result_row(out.dtype(), row_of(out, token), scratch + channels);
            const Moments m = moments(kernels_, in, channels, eps);
            kernels_.normalize(in, m.mean, m.factor, f32_row(scale, token / rows), true, f32_row(shift, token / rows),
                               result, channels);
            store_f32(kernels_, result, out.dtype(), row_of(out, token), channels);
        }
    });
}

void CpuBackend::rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions& options, Tensor& out) {
    const std::int64_t channels = x.size(1);
    const Tensor rounded = options.round_weight ? empty({channels}, DType::f32) : weight;
    if (options.round_weight) kernels_.round_bf16(weight.data<float>(), rounded.data<float>(), channels);
    each_rows(x.size(0), channels, 2 * channels, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        for (std::int64_t token = begin; token < end; ++token) {
            const float* in = as_f32(kernels_, x.dtype(), row_of(x, token), channels, scratch);
            float* result = result_row(out.dtype(), row_of(out, token), scratch + channels);
            const float factor = rms_factor(kernels_, in, channels, options.eps);
            kernels_.rms(in, factor, options.round_normalised, rounded.data<float>(), result, channels);
            store_f32(kernels_, result, out.dtype(), row_of(out, token), channels);
        }
    });
}

void CpuBackend::rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions& options, const Rope& table,
                               int heads, Tensor& out) {
    const std::int64_t channels = x.size(1), size = channels / heads;
    const Tensor rounded = options.round_weight ? empty({channels}, DType::f32) : weight;
    if (options.round_weight) kernels_.round_bf16(weight.data<float>(), rounded.data<float>(), channels);
    each_rows(x.size(0), channels, 2 * channels + 2 * size, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        float *result = scratch + channels, *rotation = scratch + 2 * channels;
        for (std::int64_t token = begin; token < end; ++token) {
            widen_rotation(table, token, rotation);
            const float* in = as_f32(kernels_, x.dtype(), row_of(x, token), channels, scratch);
            kernels_.rms(in, rms_factor(kernels_, in, channels, options.eps), options.round_normalised,
                         rounded.data<float>(), result, channels);
            float* rotated = result_row(out.dtype(), row_of(out, token), result);
            for (std::int64_t head = 0; head < channels; head += size)
                kernels_.rotate(result + head, rotation, rotation + size, rotated + head, size);
            store_f32(kernels_, rotated, out.dtype(), row_of(out, token), channels);
        }
    });
}

void CpuBackend::gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) {
    const std::int64_t channels = x.size(1), rows = x.size(0) / std::max<std::int64_t>(1, gate.size(0));
    each_rows(x.size(0), channels, 3 * channels, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        for (std::int64_t token = begin; token < end; ++token) {
            const float* a = as_f32(kernels_, x.dtype(), row_of(x, token), channels, scratch);
            const float* b = as_f32(kernels_, y.dtype(), row_of(y, token), channels, scratch + channels);
            float* result = result_row(out.dtype(), row_of(out, token), scratch + 2 * channels);
            kernels_.gated_add(a, b, f32_row(gate, token / rows), result, channels);
            store_f32(kernels_, result, out.dtype(), row_of(out, token), channels);
        }
    });
}

void CpuBackend::channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) {
    const std::int64_t channels = x.size(-1);
    // Joins all axes but the last if possible; a walk finds the rows of other views.
    const Tensor input = x.rank() == 2 ? x : x.reshape({x.elements() / std::max<std::int64_t>(1, channels), channels});
    const Tensor output = out.reshape(input.shape());
    const std::int64_t most = std::clamp<std::int64_t>(4096 / std::max<std::int64_t>(1, channels), 1, 64);
    const bool wide = x.dtype() == DType::f32, direct = out.dtype() == DType::f32 && output.stride(0) == channels;
    each_rows(input.size(0), channels, 2 * most * channels, [&](std::int64_t begin, std::int64_t end, float* scratch) {
        float* results = scratch + most * channels;
        for (std::int64_t row = begin; row < end; row += most) {
            const std::int64_t count = std::min(most, end - row);
            for (std::int64_t i = 0; i < count && !wide; ++i)
                as_f32(kernels_, x.dtype(), row_of(input, row + i), channels, scratch + i * channels);
            kernels_.unit_rows(wide ? f32_row(input, row) : scratch, wide ? input.stride(0) : channels, count, channels,
                               gamma.data<float>(), silu,
                               direct ? reinterpret_cast<float*>(row_of(output, row)) : results);
            for (std::int64_t i = 0; i < count && !direct; ++i)
                store_f32(kernels_, results + i * channels, out.dtype(), row_of(output, row + i), channels);
        }
    });
}

} // namespace denoir::cpu

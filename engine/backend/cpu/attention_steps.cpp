// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/attention_steps.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

/// Head number `head` of x [L, N, D], rounded to bf16, as f32 [L, D].
std::vector<float> head_of(const Kernels& kernels, const Tensor& x, std::int64_t head) {
    const std::int64_t size = x.size(2);
    std::vector<float> rows(static_cast<std::size_t>(x.size(0) * size));
    for (std::int64_t i = 0; i < x.size(0); ++i) {
        float* to = rows.data() + i * size;
        const std::byte* from = x.raw() + (i * x.stride(0) + head * x.stride(1)) * element_bytes(x.dtype());
        kernels.round_bf16(as_f32(kernels, x.dtype(), from, size, to), to, size);
    }
    return rows;
}

/// Turns scores into probabilities; both are bf16 values held in f32.
void softmax(const Kernels& kernels, float* row, std::int64_t n) {
    const float top = *std::max_element(row, row + n);
    float total = 0;
    for (std::int64_t j = 0; j < n; ++j) total += row[j] = std::exp(row[j] - top);
    for (std::int64_t j = 0; j < n; ++j) row[j] /= total;
    kernels.round_bf16(row, row, n);
}

} // namespace

void attention_in_steps(const Kernels& kernels, ThreadPool& pool, const Tensor& q, const Tensor& k, const Tensor& v,
                        const AttentionOptions& options, Tensor& out) {
    assert(options.causal_block == 0 && !options.key_bias && options.bias.stride(2) == 1);
    const std::int64_t queries = q.size(0), keys = k.size(0), size = q.size(2);
    pool.run(q.size(1), [&](std::int64_t head, int) {
        const std::vector<float> qs = head_of(kernels, q, head), ks = head_of(kernels, k, head);
        const std::vector<float> vs = head_of(kernels, v, head);
        std::vector<float> scores(static_cast<std::size_t>(keys)), biases(scores.size()),
            sum(static_cast<std::size_t>(size));
        for (std::int64_t i = 0; i < queries; ++i) {
            float* row = scores.data();
            kernels.dot(ks.data(), size, keys, qs.data() + i * size, size, row, 1);
            kernels.scale(row, options.scale, row, keys);
            kernels.round_bf16(row, row, keys);
            const std::int64_t at = head * options.bias.stride(0) + i * options.bias.stride(1);
            const std::byte* bias = options.bias.raw() + at * element_bytes(DType::bf16);
            kernels.add(row, as_f32(kernels, DType::bf16, bias, keys, biases.data()), row, keys);
            kernels.round_bf16(row, row, keys);
            softmax(kernels, row, keys);
            std::fill(sum.begin(), sum.end(), 0.0f);
            for (std::int64_t j = 0; j < keys; ++j) {
                const float p = row[j], *value = vs.data() + j * size;
                for (std::int64_t c = 0; c < size; ++c) sum[static_cast<std::size_t>(c)] += p * value[c];
            }
            kernels.round_bf16(sum.data(), sum.data(), size);
            const std::int64_t to = i * out.stride(0) + head * out.stride(1);
            store_f32(kernels, sum.data(), out.dtype(), out.raw() + to * element_bytes(out.dtype()), size);
        }
    });
}

} // namespace denoir::cpu

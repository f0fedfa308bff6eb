// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/backend/cpu/attention_steps.h"
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

constexpr std::int64_t query_block = 96;
/// Packed keys and values that exist at a time, in elements: as many heads as fit (one at least) are packed, then used
/// by all their queries.
constexpr std::int64_t packed_limit = std::int64_t{8} << 20;

std::int64_t head_at(const Tensor& x, std::int64_t token, std::int64_t head) {
    return token * x.stride(0) + head * x.stride(1);
}

/// Sizes of one call; D channels are padded to whole panels, keys go in blocks.
struct Plan {
    std::int64_t queries, keys, heads, size;
    std::int64_t padded, key_block, blocks, per_head;

    Plan(const Kernels& kernels, const Tensor& q, const Tensor& k)
        : queries(q.size(0)),
          keys(k.size(0)),
          heads(q.size(1)),
          size(q.size(2)),
          padded(divide_up(size, kernels.tile_columns) * kernels.tile_columns),
          key_block(256 / kernels.tile_columns * kernels.tile_columns),
          blocks(divide_up(keys, key_block)),
          per_head(blocks * key_block * (size + padded)) {}
    /// Where the panels of Kᵀ of a block begin; those of V follow behind key_block · size floats.
    std::int64_t at(std::int64_t head, std::int64_t block) const {
        return head * per_head + block * key_block * (size + padded);
    }
};

/// Sums and maxima of vector units lose what is no number: it is looked for before. Integers, so that the loop is one
/// of vectors.
template <class Bits> bool finite_bits(const void* values, std::int64_t n, Bits exponent) {
    const auto* bits = static_cast<const Bits*>(values);
    Bits found = 0;
    for (std::int64_t i = 0; i < n; ++i) found |= Bits((bits[i] & exponent) == exponent);
    return found == 0;
}

bool all_finite(DType type, const void* values, std::int64_t n) {
    return type == DType::bf16 ? finite_bits<std::uint16_t>(values, n, 0x7f80)
                               : finite_bits<std::uint32_t>(values, n, 0x7f800000);
}

} // namespace

void CpuBackend::attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                           Tensor& out) {
    if (options.bias && options.bias.dtype() == DType::bf16)
        return attention_in_steps(kernels_, pool_, q, k, v, options, out);
    const Plan plan(kernels_, q, k);
    if (plan.queries == 0 || plan.heads == 0) return;
    if (plan.keys == 0) return fill(out, 0.0f);
    const bool round = options.compute == DType::bf16;
    // Products from the processor's bf16 units where it has them: every factor is a bf16 value by then either way.
    const DType factors = round && kernels_.gemm_bf16 && plan.size % 2 == 0 ? DType::bf16 : DType::f32;
    const bool pairs = factors == DType::bf16;
    const std::int64_t bytes = element_bytes(factors), panel = kernels_.tile_columns;
    const std::int64_t group = std::clamp<std::int64_t>(packed_limit / plan.per_head, 1, plan.heads);
    const std::int64_t query_blocks = divide_up(plan.queries, query_block), size = plan.size, padded = plan.padded;
    const auto whole = [&](std::int64_t keys) { return pairs ? divide_up(keys, 2) * 2 : keys; };
    Tensor packed = empty({group * plan.per_head}, factors);
    const auto panels_of = [&](std::int64_t head, std::int64_t block) {
        return packed.raw() + plan.at(head, block) * bytes;
    };
    const Scratch scratch(*this, std::max(plan.key_block * (size + (pairs ? padded : 0)),
                                          query_block * (size + (pairs ? 2 : 1) * plan.key_block + padded + 2)));

    const auto read = [&](const Tensor& x, std::int64_t token, std::int64_t head, DType type, void* to) {
        const std::byte* from = x.raw() + head_at(x, token, head) * element_bytes(x.dtype());
        read_factors(kernels_, x.dtype(), from, size, type, round, static_cast<std::byte*>(to));
    };

    for (std::int64_t first = 0; first < plan.heads; first += group) {
        const std::int64_t heads = std::min(group, plan.heads - first);
        // The first key of each block that is no number; softmax gives none to a query that sees it.
        std::vector<std::int64_t> bad_key(static_cast<std::size_t>(heads * plan.blocks), plan.keys);
        pool_.run(heads * plan.blocks, [&](std::int64_t piece, int worker) {
            const std::int64_t head = piece / plan.blocks, block = piece % plan.blocks, begin = block * plan.key_block;
            const std::int64_t n = std::min(plan.key_block, plan.keys - begin);
            float *rows = scratch.of(worker), *unpaired = rows + plan.key_block * size;
            std::byte *keys = panels_of(head, block), *values = keys + plan.key_block * size * bytes;
            const auto pair = [&](std::int64_t count, std::byte* to) {
                kernels_.pair_rows(unpaired, count, reinterpret_cast<std::uint16_t*>(to));
            };
            for (std::int64_t i = n - 1; i >= 0; --i) {
                read(k, begin + i, first + head, DType::f32, rows + i * size);
                if (!all_finite(DType::f32, rows + i * size, size))
                    bad_key[static_cast<std::size_t>(piece)] = begin + i;
            }
            kernels_.pack_transposed(rows, size, n, size, pairs ? unpaired : reinterpret_cast<float*>(keys));
            if (pairs) pair(divide_up(n, panel) * size, keys);
            for (std::int64_t i = 0; i < n; ++i) read(v, begin + i, first + head, DType::f32, rows + i * size);
            std::fill(rows + n * size, rows + whole(n) * size, 0.0f);
            kernels_.pack(rows, size, whole(n), size, pairs ? unpaired : reinterpret_cast<float*>(values));
            if (pairs) pair(padded / panel * whole(n), values);
        });
        pool_.run(heads * query_blocks, [&](std::int64_t piece, int worker) {
            const std::int64_t head = piece / query_blocks, begin = piece % query_blocks * query_block;
            const std::int64_t rows = std::min(query_block, plan.queries - begin);
            float* queries = scratch.of(worker);
            float *s = queries + query_block * size, *sums = s + query_block * plan.key_block;
            float *greatest = sums + query_block * padded, *total = greatest + query_block;
            // The probabilities as factors: the scores' own memory in f32.
            std::byte* chances = reinterpret_cast<std::byte*>(pairs ? total + query_block : s);
            for (std::int64_t i = 0; i < rows; ++i)
                read(q, begin + i, first + head, factors, reinterpret_cast<std::byte*>(queries) + i * size * bytes);
            const auto queries_at = [&](std::int64_t i) {
                return reinterpret_cast<const std::byte*>(queries) + i * size * bytes;
            };
            std::fill_n(greatest, rows, -std::numeric_limits<float>::infinity());
            std::fill_n(total, rows, 0.0f);
            std::fill_n(sums, rows * padded, 0.0f);
            const std::int64_t* bad_keys = bad_key.data() + head * plan.blocks;
            const std::int64_t first_bad = *std::min_element(bad_keys, bad_keys + plan.blocks);
            // Keys that query i may see: [0, seen(i)).
            const auto seen = [&](std::int64_t i) {
                const std::int64_t block = options.causal_block;
                return block == 0 ? plan.keys : std::min(plan.keys, ((begin + i) / block + 1) * block);
            };
            for (std::int64_t block = 0; block < plan.blocks; ++block) {
                const std::int64_t from = block * plan.key_block;
                const std::int64_t n = std::min(plan.key_block, seen(rows - 1) - from);
                if (n <= 0) break;
                const std::byte *keys = panels_of(head, block), *values = keys + plan.key_block * size * bytes;
                gemm(kernels_, factors, reinterpret_cast<const std::byte*>(queries), size, keys, size, rows, n, s,
                     plan.key_block, false);
                for (std::int64_t i = 0; i < rows; ++i) {
                    float* row = s + i * plan.key_block;
                    const std::int64_t visible = std::clamp<std::int64_t>(seen(i) - from, 0, n);
                    const float* bias = options.bias
                                            ? options.bias.data<float>() + (first + head) * options.bias.stride(0) +
                                                  (begin + i) * options.bias.stride(1) + from
                                            : nullptr;
                    if (bias && std::any_of(bias, bias + visible, [](float b) { return std::isnan(b); }))
                        total[i] = std::numeric_limits<float>::quiet_NaN();
                    const float* key_bias = options.key_bias ? options.key_bias.data<float>() + from : nullptr;
                    const float top =
                        std::max(greatest[i], kernels_.scores(row, options.scale, bias, key_bias, visible));
                    const float shift = std::isinf(top) ? 0.0f : top; // nothing seen yet
                    if (top > greatest[i] && total[i] > 0) {
                        const float shrink = std::exp(greatest[i] - shift);
                        kernels_.scale(sums + i * padded, shrink, sums + i * padded, size);
                        total[i] *= shrink;
                    }
                    greatest[i] = top;
                    if (pairs) {
                        auto* chance = reinterpret_cast<std::uint16_t*>(chances + i * plan.key_block * bytes);
                        total[i] += kernels_.exponentials_bf16(row, shift, chance, visible);
                        std::fill(chance + visible, chance + whole(n), std::uint16_t{0});
                    } else {
                        total[i] += kernels_.exponentials(row, shift, round, visible);
                        std::fill(row + visible, row + n, 0.0f);
                    }
                }
                // The panels of V hold as many rows as the block has keys.
                const std::int64_t stored = whole(std::min(plan.key_block, plan.keys - from));
                for (std::int64_t j = 0; j < padded; j += panel)
                    gemm(kernels_, factors, chances, plan.key_block, values + j * stored * bytes, whole(n), rows,
                         std::min(panel, size - j), sums + j, padded, true);
            }
            for (std::int64_t i = 0; i < rows; ++i) {
                float* row = sums + i * padded;
                const bool number =
                    first_bad >= seen(i) && !std::isnan(total[i]) && all_finite(factors, queries_at(i), size);
                if (number)
                    kernels_.scale(row, total[i] > 0 ? 1.0f / total[i] : 0.0f, row, size);
                else
                    std::fill_n(row, size, std::numeric_limits<float>::quiet_NaN());
                std::byte* to = out.raw() + head_at(out, begin + i, first + head) * element_bytes(out.dtype());
                if (round) kernels_.round_bf16(row, row, size);
                store_f32(kernels_, row, out.dtype(), to, size);
            }
        });
    }
}

} // namespace denoir::cpu

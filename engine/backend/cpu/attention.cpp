// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/backend/cpu/attention_steps.h"
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

/// Elements of packed keys and values that exist at the same time: as many heads as fit (at least one) are packed, then
/// used by all their queries.
constexpr std::int64_t packed_limit = std::int64_t{8} << 20;
constexpr float log2_e = 1.44269504f;

std::int64_t head_at(const Tensor& x, std::int64_t token, std::int64_t head) {
    return token * x.stride(0) + head * x.stride(1);
}

/// The sizes of one call. The D channels are padded to whole panels; keys and queries are divided into blocks.
struct Plan {
    std::int64_t queries, keys, heads, size;
    std::int64_t padded, key_block, blocks, per_head;
    std::int64_t heads_at_once;
    std::int64_t rows;        ///< queries whose scores for a block of keys fit into the inner caches with these keys
    std::int64_t query_block; ///< queries that use a block of keys while it is in the caches

    Plan(const Kernels& kernels, const Tensor& q, const Tensor& k)
        : queries(q.size(0)),
          keys(k.size(0)),
          heads(q.size(1)),
          size(q.size(2)),
          padded(divide_up(size, kernels.tile_columns) * kernels.tile_columns),
          key_block(256 / kernels.tile_columns * kernels.tile_columns),
          blocks(divide_up(keys, key_block)),
          per_head(blocks * key_block * (size + padded)),
          heads_at_once(std::max<std::int64_t>(1, std::min(packed_limit / std::max<std::int64_t>(1, per_head), heads))),
          rows(kernels.bf16_in_tiles ? 32 : 96),
          // Matrix tiles are so fast that fetching the keys matters. At least 64 blocks keep many cores busy.
          query_block(kernels.bf16_in_tiles ? std::clamp<std::int64_t>(queries * heads_at_once / 64 / 96, 1, 3) * 96
                                            : rows) {}
    /// The place of the panels of Kᵀ of a block; those of V follow key_block · size floats later.
    std::int64_t at(std::int64_t head, std::int64_t block) const {
        return head * per_head + block * key_block * (size + padded);
    }
};

/// Attention with an online softmax, in pieces that run in parallel. First the keys and values of some heads are
/// packed, one block of keys per piece; then the queries of these heads are computed, one block of queries per piece.
/// Each piece needs `scratch_floats` of its own.
class Pieces {
public:
    Pieces(const Kernels& kernels, const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
           Tensor& out)
        : kernels_(kernels),
          q_(q),
          k_(k),
          v_(v),
          options_(options),
          out_(out),
          plan_(kernels, q, k),
          round_(options.compute == DType::bf16),
          pairs_(round_ && kernels.gemm_bf16 && plan_.size % 2 == 0) {}

    const Plan& plan() const { return plan_; }
    /// Type of the factors of products: bf16 if the processor has units for it, since in bf16 every factor is a bf16
    /// value anyway.
    DType factors() const { return pairs_ ? DType::bf16 : DType::f32; }
    std::int64_t scratch_floats() const {
        const std::int64_t packing = plan_.key_block * (plan_.size + (pairs_ ? plan_.padded : 0));
        return std::max(packing, plan_.query_block * (plan_.size + plan_.padded + 2) +
                                     plan_.rows * plan_.key_block * (pairs_ ? 2 : 1));
    }

    /// Begins with the next heads, from `first_head` on, whose keys and values will be packed into `packed`
    /// [heads_at_once · per_head].
    void begin(std::int64_t first_head, std::byte* packed) { first_head_ = first_head, packed_ = packed; }
    void pack(std::int64_t head, std::int64_t block, float* scratch);
    void attend(std::int64_t head, std::int64_t block_of_queries, float* scratch) const;

private:
    /// A block of queries that is being computed, rows [begin, begin + count), and its memory.
    struct Queries {
        std::int64_t head, begin, count;
        float* values;            ///< the queries as factors
        float* sums;              ///< running sums of probabilities times v
        float* greatest;          ///< running maximum of each row's scores, as an exponent of e, or of 2 if `pairs_`
        float* total;             ///< running sum of each row's probabilities
        float* scores;            ///< scores of plan_.rows queries
        std::byte* probabilities; ///< as factors; in f32 they replace the scores in place
    };
    /// Some of these queries, rows [first, first + count) of the block, and keys [from, from + n).
    struct Part {
        std::int64_t first, count, block, from, n;
    };

    std::int64_t bytes() const { return element_bytes(factors()); }
    std::int64_t whole(std::int64_t keys) const { return pairs_ ? divide_up(keys, 2) * 2 : keys; }
    std::byte* keys_of(std::int64_t head, std::int64_t block) const {
        return packed_ + plan_.at(head, block) * bytes();
    }
    std::byte* values_of(std::int64_t head, std::int64_t block) const {
        return keys_of(head, block) + plan_.key_block * plan_.size * bytes();
    }
    void read(const Tensor& x, std::int64_t token, std::int64_t head, DType type, void* to) const {
        const std::byte* from = x.raw() + head_at(x, token, first_head_ + head) * element_bytes(x.dtype());
        read_factors(kernels_, x.dtype(), from, plan_.size, type, round_, static_cast<std::byte*>(to));
    }
    std::byte* query(const Queries& q, std::int64_t i) const {
        return reinterpret_cast<std::byte*>(q.values) + i * plan_.size * bytes();
    }
    /// Query i of the block may see keys [0, seen).
    std::int64_t seen(const Queries& q, std::int64_t i) const {
        const std::int64_t block = options_.causal_block;
        return block == 0 ? plan_.keys : std::min(plan_.keys, ((q.begin + i) / block + 1) * block);
    }
    void attend_part(const Queries&, const Part&) const;
    void weigh_scores(const Queries&, const Part&, std::int64_t row) const;
    void add_values(const Queries&, const Part&) const;
    void write_rows(const Queries&) const;

    const Kernels& kernels_;
    const Tensor &q_, &k_, &v_;
    const AttentionOptions& options_;
    Tensor& out_;
    Plan plan_;
    bool round_, pairs_;
    std::int64_t first_head_ = 0;
    std::byte* packed_ = nullptr;
};

void Pieces::pack(std::int64_t head, std::int64_t block, float* scratch) {
    const std::int64_t size = plan_.size, begin = block * plan_.key_block;
    const std::int64_t n = std::min(plan_.key_block, plan_.keys - begin);
    float *rows = scratch, *unpaired = rows + plan_.key_block * size;
    std::byte *keys = keys_of(head, block), *values = values_of(head, block);
    const auto packed = [&](std::byte* to) { return pairs_ ? unpaired : reinterpret_cast<float*>(to); };
    const auto pair = [&](std::int64_t count, std::byte* to) {
        if (pairs_) kernels_.pair_rows(unpaired, count, reinterpret_cast<std::uint16_t*>(to));
    };
    for (std::int64_t i = 0; i < n; ++i) read(k_, begin + i, head, DType::f32, rows + i * size);
    kernels_.pack_transposed(rows, size, n, size, packed(keys));
    pair(divide_up(n, kernels_.tile_columns) * size, keys);
    for (std::int64_t i = 0; i < n; ++i) read(v_, begin + i, head, DType::f32, rows + i * size);
    std::fill(rows + n * size, rows + whole(n) * size, 0.0f);
    kernels_.pack(rows, size, whole(n), size, packed(values));
    pair(plan_.padded / kernels_.tile_columns * whole(n), values);
}

void Pieces::attend(std::int64_t head, std::int64_t block_of_queries, float* scratch) const {
    const std::int64_t most = plan_.query_block, begin = block_of_queries * most;
    Queries q{.head = head, .begin = begin, .count = std::min(most, plan_.queries - begin), .values = scratch};
    q.sums = q.values + most * plan_.size;
    q.greatest = q.sums + most * plan_.padded;
    q.total = q.greatest + most;
    q.scores = q.total + most;
    q.probabilities = reinterpret_cast<std::byte*>(pairs_ ? q.scores + plan_.rows * plan_.key_block : q.scores);
    for (std::int64_t i = 0; i < q.count; ++i) read(q_, q.begin + i, head, factors(), query(q, i));
    std::fill_n(q.greatest, q.count, -std::numeric_limits<float>::infinity());
    std::fill_n(q.total, q.count, 0.0f);
    std::fill_n(q.sums, q.count * plan_.padded, 0.0f);
    for (std::int64_t block = 0; block < plan_.blocks; ++block) {
        const std::int64_t from = block * plan_.key_block;
        for (std::int64_t first = 0; first < q.count; first += plan_.rows) {
            const std::int64_t count = std::min(plan_.rows, q.count - first);
            const std::int64_t n = std::min(plan_.key_block, seen(q, first + count - 1) - from);
            if (n > 0) attend_part(q, {first, count, block, from, n});
        }
    }
    write_rows(q);
}

void Pieces::attend_part(const Queries& q, const Part& part) const {
    gemm(kernels_, factors(), query(q, part.first), plan_.size, keys_of(q.head, part.block), plan_.size, part.count,
         part.n, q.scores, plan_.key_block, false);
    for (std::int64_t row = 0; row < part.count; ++row) weigh_scores(q, part, row);
    add_values(q, part);
}

/// One step of the online softmax for a row of the part: turns its scores into probabilities relative to the maximum so
/// far, and rescales the sums made relative to a smaller maximum.
void Pieces::weigh_scores(const Queries& q, const Part& part, std::int64_t row_of_part) const {
    const std::int64_t i = part.first + row_of_part, from = part.from, n = part.n;
    float* row = q.scores + row_of_part * plan_.key_block;
    const std::int64_t visible = std::clamp<std::int64_t>(seen(q, i) - from, 0, n);
    const float unit = pairs_ ? log2_e : 1.0f; // bf16 probabilities are computed as powers of 2, which is half the work
    float scale = options_.scale * unit;
    if (options_.bias || options_.key_bias) {
        const float* bias = options_.bias
                                ? options_.bias.data<float>() + (first_head_ + q.head) * options_.bias.stride(0) +
                                      (q.begin + i) * options_.bias.stride(1) + from
                                : nullptr;
        const float* key_bias = options_.key_bias ? options_.key_bias.data<float>() + from : nullptr;
        kernels_.biased_scores(row, options_.scale, bias, key_bias, visible);
        scale = unit;
    }
    const float top = std::max(q.greatest[i], kernels_.greatest(row, visible) * scale);
    // -inf means that no key was visible yet. A score of +inf or NaN makes the row NaN.
    const float shift = top == -std::numeric_limits<float>::infinity() ? 0.0f : top;
    if (top > q.greatest[i] && q.total[i] > 0) {
        const float shrink = std::exp((q.greatest[i] - shift) / unit);
        float* sums = q.sums + i * plan_.padded;
        kernels_.scale(sums, shrink, sums, plan_.size);
        q.total[i] *= shrink;
    }
    q.greatest[i] = top;
    if (pairs_) {
        auto* p = reinterpret_cast<std::uint16_t*>(q.probabilities + row_of_part * plan_.key_block * bytes());
        q.total[i] += kernels_.powers_of_two_bf16(row, scale, shift, p, visible);
        std::fill(p + visible, p + whole(n), std::uint16_t{0});
    } else {
        q.total[i] += kernels_.exponentials(row, scale, shift, round_, visible);
        std::fill(row + visible, row + n, 0.0f);
    }
}

void Pieces::add_values(const Queries& q, const Part& part) const {
    // The panels of V have as many rows as the block has keys.
    const std::int64_t stored = whole(std::min(plan_.key_block, plan_.keys - part.from)), n = whole(part.n);
    const std::int64_t columns = n == stored ? plan_.padded : kernels_.tile_columns; // of one product
    const std::byte* values = values_of(q.head, part.block);
    float* sums = q.sums + part.first * plan_.padded;
    for (std::int64_t j = 0; j < plan_.padded; j += columns)
        gemm(kernels_, factors(), q.probabilities, plan_.key_block, values + j * stored * bytes(), n, part.count,
             std::min(columns, plan_.size - j), sums + j, plan_.padded, true);
}

void Pieces::write_rows(const Queries& q) const {
    const std::int64_t size = plan_.size;
    for (std::int64_t i = 0; i < q.count; ++i) {
        float* row = q.sums + i * plan_.padded;
        kernels_.scale(row, q.total[i] == 0 ? 0.0f : 1.0f / q.total[i], row, size);
        std::byte* to = out_.raw() + head_at(out_, q.begin + i, first_head_ + q.head) * element_bytes(out_.dtype());
        if (round_) kernels_.round_bf16(row, row, size);
        store_f32(kernels_, row, out_.dtype(), to, size);
    }
}

} // namespace

void CpuBackend::attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                           Tensor& out) {
    attend(q, k, v, options, out);
    if (options.added) add(out, options.added, out);
}

void CpuBackend::attend(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                        Tensor& out) {
    if (options.bias && options.bias.dtype() == DType::bf16)
        return attention_in_steps(kernels_, pool_, q, k, v, options, out);
    Pieces pieces(kernels_, q, k, v, options, out);
    const Plan& plan = pieces.plan();
    if (plan.queries == 0 || plan.heads == 0) return;
    if (plan.keys == 0) return fill(out, 0.0f);
    const std::int64_t group = plan.heads_at_once, query_blocks = divide_up(plan.queries, plan.query_block);
    Tensor packed = empty({group * plan.per_head}, pieces.factors());
    const Scratch scratch(*this, pieces.scratch_floats());
    for (std::int64_t first = 0; first < plan.heads; first += group) {
        const std::int64_t heads = std::min(group, plan.heads - first);
        pieces.begin(first, packed.raw());
        pool_.run(heads * plan.blocks, [&](std::int64_t piece, int worker) {
            pieces.pack(piece / plan.blocks, piece % plan.blocks, scratch.of(worker));
        });
        pool_.run(heads * query_blocks, [&](std::int64_t piece, int worker) {
            pieces.attend(piece / query_blocks, piece % query_blocks, scratch.of(worker));
        });
    }
}

} // namespace denoir::cpu

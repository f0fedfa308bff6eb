// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/tensors.h"

namespace denoir::cuda {
namespace {

constexpr std::int64_t largest_fused_head = 256, fewest_fused_keys = 2;

/// q [rows, H, D] · kᵀ of every head -> scores [H, rows, stride] f32.
Product score_product(const Tensor& q, const Tensor& k, const Tensor& scores, std::int64_t stride) {
    Product p;
    p.m = q.size(0);
    p.n = k.size(0);
    p.k = q.size(2);
    p.type = type_of(q.dtype());
    p.batch = q.size(1);
    p.a = q.raw();
    p.lda = q.stride(0);
    p.a_step = q.stride(1);
    p.b = k.raw();
    p.ldb = k.stride(0);
    p.b_step = k.stride(1);
    p.c = scores.raw();
    p.ldc = stride;
    p.c_step = p.m * stride;
    return p;
}

/// The product p's scores -> probabilities, in the type and memory of `out`. Row 0 is query number `first_row`; `bias`
/// and `key_bias` as in AttentionOptions, on the card.
Softmax score_softmax(const Product& p, const Tensor& out, std::int64_t first_row, const AttentionOptions& options,
                      const Tensor& bias, const Tensor& key_bias) {
    Softmax s;
    s.scores = static_cast<const float*>(p.c);
    s.out = out.raw();
    s.out_type = type_of(out.dtype());
    s.heads = p.batch;
    s.rows = p.m;
    s.keys = p.n;
    s.stride = p.ldc;
    s.first_row = first_row;
    s.scale = options.scale;
    s.causal_block = options.causal_block;
    if (bias) {
        s.bias = bias.raw();
        s.bias_type = type_of(bias.dtype());
        s.bias_head = bias.stride(0);
        s.bias_row = bias.stride(1);
        s.steps = bias.dtype() == DType::bf16;
    }
    if (key_bias) s.key_bias = key_bias.data<float>();
    return s;
}

/// Probabilities [H, rows, stride] · v [keys, H, D] of every head -> out [rows, H, D].
Product value_product(const Tensor& probabilities, std::int64_t stride, const Tensor& v, const Tensor& out) {
    Product p;
    p.m = out.size(0);
    p.n = out.size(2);
    p.k = v.size(0);
    p.type = type_of(probabilities.dtype());
    p.batch = out.size(1);
    p.a = probabilities.raw();
    p.lda = stride;
    p.a_step = p.m * stride;
    p.b = v.raw();
    p.ldb = v.stride(0);
    p.b_step = v.stride(1);
    p.b_is_kn = true;
    p.c = out.raw();
    p.c_type = type_of(out.dtype());
    p.ldc = out.stride(0);
    p.c_step = out.stride(1);
    return p;
}

} // namespace

void CudaBackend::attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                            Tensor& out) {
    throw_if_stopped();
    if (out.elements() == 0) return;
    const bool steps = options.bias && options.bias.dtype() == DType::bf16;
    const DType compute = steps ? DType::bf16 : options.compute;
    const Tensor qs = as(q, compute), ks = as(k, compute), vs = as(v, compute);
    const bool in_place = out.dtype() == compute && out.stride(2) == 1;
    Tensor result = in_place ? out : allocate(out.shape(), compute), log_sum;
    if (k.size(0) == 0)
        fill(result, 0.0f);
    else if (!attention_fused(qs, ks, vs, options, log_sum, result))
        attention_plain(qs, ks, vs, options, result);
    const bool adds = log_sum && in_place; // whether the kernel that joins the last key adds as well
    if (log_sum) join_last_key(qs, ks, vs, options, log_sum, adds ? options.added : Tensor(), result);
    if (!in_place) copy(result, out);
    if (options.added && !adds) add(out, options.added, out);
}

/// `workspace` is memory for one call and is replaced if a larger one is needed. Its part that is used starts at a
/// multiple of 256, as the card's own allocator gives it.
Dnn::Caller CudaBackend::dnn_caller(Tensor& workspace) {
    return {[this, &workspace](std::size_t bytes) {
                constexpr std::size_t aligned = 256;
                if (!workspace || workspace.bytes() < bytes + aligned)
                    workspace = allocate({static_cast<std::int64_t>(bytes + aligned)}, DType::u8);
                const auto at = reinterpret_cast<std::uintptr_t>(workspace.raw());
                return workspace.raw() + (aligned - at % aligned) % aligned;
            },
            [this] { throw_if_stopped(); }};
}

/// False if the library cannot do it. If the last key was left out, `log_sum` is set for join_last_key(), [H, Lq].
bool CudaBackend::attention_fused(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                                  Tensor& log_sum, Tensor& out) {
    const bool extra = options.key_bias && options.last_key_count > 0;
    if (!options_.dnn || q.dtype() != DType::bf16 || q.size(2) % 8 != 0 || q.size(2) > largest_fused_head ||
        options.bias || (options.key_bias && !extra) || (extra && options.causal_block != 0))
        return false;
    const auto keys_of = [&](std::int64_t query) {
        return extra ? k.size(0) - 1 : visible_keys(query, k.size(0), options.causal_block);
    };
    if (keys_of(0) < fewest_fused_keys) return false; // not every version of the library can do it
    FusedAttention a;
    a.heads = q.size(1);
    a.size = q.size(2);
    a.scale = options.scale;
    a.q_token = q.stride(0), a.q_head = q.stride(1);
    a.k_token = k.stride(0), a.k_head = k.stride(1);
    a.v_token = v.stride(0), a.v_head = v.stride(1);
    a.out_token = out.stride(0), a.out_head = out.stride(1);
    a.k = k.raw();
    a.v = v.raw();
    Tensor memory, sums = extra ? allocate({a.heads, q.size(0)}, DType::f32) : Tensor();
    if (extra) a.log_sum = sums.data<float>();
    // Queries of one causal block see the same keys.
    const std::int64_t block = options.causal_block ? options.causal_block : q.size(0);
    a.all_keys = keys_of(q.size(0) - 1);
    for (std::int64_t first = (q.size(0) - 1) / block * block; first >= 0; first -= block) {
        a.queries = std::min(block, q.size(0) - first);
        a.keys = keys_of(first);
        a.q = q.slice(0, first, first + a.queries).raw();
        a.out = out.slice(0, first, first + a.queries).raw();
        if (!options_.dnn->attention(a, dnn_caller(memory))) return false;
    }
    log_sum = sums;
    return true;
}

void CudaBackend::join_last_key(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                                const Tensor& log_sum, const Tensor& added, Tensor& out) {
    const std::int64_t last = k.size(0) - 1;
    ExtraKey e;
    e.q = q.raw();
    e.k = k.select(0, last).raw();
    e.v = v.select(0, last).raw();
    e.q_token = q.stride(0), e.q_head = q.stride(1);
    e.k_head = k.stride(1), e.v_head = v.stride(1);
    e.out_token = out.stride(0), e.out_head = out.stride(1);
    e.log_sum = log_sum.data<float>();
    if (added) {
        e.added = added.raw();
        e.added_token = added.stride(0), e.added_head = added.stride(1);
    }
    e.out = out.raw();
    e.tokens = q.size(0);
    e.heads = static_cast<int>(q.size(1));
    e.size = static_cast<int>(q.size(2));
    e.scale = options.scale;
    e.log_count = static_cast<float>(std::log(static_cast<double>(options.last_key_count)));
    join_extra_key(*runtime_, e);
}

/// Scores, softmax, weighted sum: three kernels, on as many queries at a time as Options::piece_bytes has room for.
void CudaBackend::attention_plain(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options,
                                  Tensor& out) {
    const std::int64_t queries = q.size(0), heads = q.size(1), stride = divide_up(k.size(0), 8) * 8;
    const std::int64_t limit = std::max<std::int64_t>(1, options_.piece_bytes / (heads * stride * 4)),
                       chunk = std::min(queries, limit);
    Tensor scores = allocate({heads * chunk * stride}, DType::f32);
    const Tensor probabilities = q.dtype() == DType::bf16 ? allocate({heads * chunk * stride}, DType::bf16) : scores;
    const Tensor bias = options.bias ? here(options.bias) : Tensor(),
                 key_bias = options.key_bias ? here(options.key_bias) : Tensor();
    for (std::int64_t first = 0; first < queries; first += chunk) {
        throw_if_stopped();
        const std::int64_t end = std::min(first + chunk, queries);
        Tensor to = out.slice(0, first, end);
        Product of_scores = score_product(q.slice(0, first, end), k, scores, stride);
        product(of_scores, scores);
        cuda::softmax(*runtime_, score_softmax(of_scores, probabilities, first, options, bias, key_bias));
        Product of_values = value_product(probabilities, stride, v, to);
        product(of_values, to);
    }
}

} // namespace denoir::cuda

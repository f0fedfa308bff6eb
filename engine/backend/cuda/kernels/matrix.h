// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/runtime.h"

namespace denoir::cuda {

/// C[M,N] = curve(round(A[M,K] · B + bias[N])), `batch` times; a library's own epilogue may leave out the rounding. A
/// and C: rows of stride lda, ldc. B: [N,K] rows of stride ldb (as weights lie), or with `b_is_kn` [K,N]. A and B of
/// one type, products summed in f32.
struct Product {
    std::int64_t m = 0, n = 0, k = 0;
    Type type = Type::f32; ///< of A and B
    bool tf32 = false;     ///< a library may round A and B of f32 to TF32
    const void *a = nullptr, *b = nullptr;
    std::int64_t lda = 0, ldb = 0, ldc = 0;
    bool b_is_kn = false;
    void* c = nullptr;
    Type c_type = Type::f32;
    const float* bias = nullptr;     ///< [N] or null
    const void* bias_as_c = nullptr; ///< the same values in the type of C, for libraries that want that
    Curve activation = Curve::none;
    bool round_sum = false;                                     ///< the sum is rounded to bf16 before the activation
    std::int64_t batch = 1, a_step = 0, b_step = 0, c_step = 0; ///< elements from one product to the next
};

/// The plain product, with a tile of C in registers, A and B through shared memory. Any shape, stride and alignment.
/// Used if the library is missing; the library's products are compared with it.
void multiply(Runtime&, const Product&);

struct ProductTile {
    static constexpr int side = 64, depth = 16, each = 4, threads = 256;
    static_assert(side / each * (side / each) == threads);
    static_assert(2 * depth * (side + 1) * sizeof(float) <= 48 * 1024);
};

/// S [H, rows, stride] f32 -> P, softmax over the first `keys` of each row. P may be S.
struct Softmax {
    const float* scores = nullptr;
    void* out = nullptr;
    Type out_type = Type::f32;
    std::int64_t heads = 0, rows = 0, keys = 0, stride = 0;
    std::int64_t first_row = 0; ///< the number of the query in row 0
    float scale = 1;
    std::int64_t causal_block = 0;
    const void* bias = nullptr; ///< [H, Lq, Lk], strides in elements
    Type bias_type = Type::f32;
    std::int64_t bias_head = 0, bias_row = 0;
    const float* key_bias = nullptr; ///< [Lk]
    bool steps = false;              ///< every step is rounded to bf16
};
void softmax(Runtime&, const Softmax&);

/// The number n of keys [0, n) that query number `row` sees.
DENOIR_HD std::int64_t visible_keys(std::int64_t row, std::int64_t keys, std::int64_t causal_block) {
    if (causal_block == 0) return keys;
    const std::int64_t end = (row / causal_block + 1) * causal_block;
    return end < keys ? end : keys;
}

DENOIR_HD float score(const Softmax& a, float product, float bias, float key_bias) {
    float s = product * a.scale;
    if (a.steps) s = rounded(s);
    s += bias;
    if (a.steps) s = rounded(s);
    return s + key_bias;
}

/// Joins one more key for every query, which stands for `count` equal keys, to an attention whose log-sum-exp is known.
struct ExtraKey {
    const void* q = nullptr;                                                                   ///< [L, H, D] bf16
    const void *k = nullptr, *v = nullptr;                                                     ///< [H, D] bf16
    std::int64_t q_token = 0, q_head = 0, k_head = 0, v_head = 0, out_token = 0, out_head = 0; ///< strides
    const float* log_sum = nullptr; ///< [H, L], natural logarithm
    void* out = nullptr;            ///< [L, H, D] bf16: in and out
    const void* added = nullptr;    ///< [L, H, D] bf16, added to the result once that is rounded; or null
    std::int64_t added_token = 0, added_head = 0;
    std::int64_t tokens = 0;
    int heads = 0, size = 0;
    float scale = 1, log_count = 0;
};
void join_extra_key(Runtime&, const ExtraKey&);

} // namespace denoir::cuda

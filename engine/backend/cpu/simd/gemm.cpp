// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/simd/functions.h"

#include <utility>

namespace denoir::cpu::DENOIR_ISA {
namespace {

/// The factors of the matrix kernel: one f32 value of A and a vector of B along the columns.
struct Singles {
    using Element = float;
    using Factor = Vec;
    static constexpr int depth = 1; ///< values along k that one multiplication takes
    static Factor spread(const float* a) { return splat(*a); }
    static Factor columns(const float* b) { return load(b); }
    static Vec multiply_add(Factor a, Factor b, Vec c) { return fma(a, b, c); }
};

#if defined(__AVX512BF16__) && !defined(DENOIR_TILES)
/// Two bf16 values of A and a vector of pairs of B.
struct Bf16Pairs {
    using Element = std::uint16_t;
    using Factor = __m512bh;
    static constexpr int depth = 2;
    static Factor spread(const std::uint16_t* a) {
        std::int32_t pair;
        __builtin_memcpy(&pair, a, sizeof pair);
        return reinterpret_cast<Factor>(_mm512_set1_epi32(pair));
    }
    static Factor columns(const std::uint16_t* b) { return reinterpret_cast<Factor>(_mm512_loadu_si512(b)); }
    static Vec multiply_add(Factor a, Factor b, Vec c) { return _mm512_dpbf16_ps(c, a, b); }
};
#endif

/// Computes `rows` rows of C for `vectors` vectors of a panel. The sums stay in registers for all of k, while C itself
/// is prefetched.
template <class Unit, int rows, int vectors> void micro_kernel(const typename Unit::Element* a, std::int64_t lda,
                                                               const typename Unit::Element* panel, std::int64_t k,
                                                               float* c, std::int64_t ldc, bool accumulate) {
    Vec sums[rows][vectors];
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < vectors; ++j) sums[i][j] = Vec{};
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < vectors * lanes; j += 16) __builtin_prefetch(c + i * ldc + j, 1);
    for (std::int64_t p = 0; p < k; p += Unit::depth, panel += gemm_columns * Unit::depth) {
        typename Unit::Factor b[vectors];
        for (int j = 0; j < vectors; ++j) b[j] = Unit::columns(panel + j * lanes * Unit::depth);
        for (int i = 0; i < rows; ++i) {
            const typename Unit::Factor x = Unit::spread(a + i * lda + p);
            for (int j = 0; j < vectors; ++j) sums[i][j] = Unit::multiply_add(x, b[j], sums[i][j]);
        }
    }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < vectors; ++j) {
            float* to = c + i * ldc + j * lanes;
            store(to, accumulate ? load(to) + sums[i][j] : sums[i][j]);
        }
}

template <class Unit, int vectors, int... i> auto for_rows(std::int64_t rows, std::integer_sequence<int, i...>) {
    static constexpr decltype(&micro_kernel<Unit, 1, vectors>) table[] = {micro_kernel<Unit, i + 1, vectors>...};
    return table[rows - 1];
}

/// Computes m rows of C for the first `vectors` vectors of one panel.
template <class Unit, int vectors> void strip(const typename Unit::Element* a, std::int64_t lda,
                                              const typename Unit::Element* panel, std::int64_t k, std::int64_t m,
                                              float* c, std::int64_t ldc, bool accumulate) {
    std::int64_t i = 0;
    for (; i + gemm_rows <= m; i += gemm_rows)
        micro_kernel<Unit, gemm_rows, vectors>(a + i * lda, lda, panel, k, c + i * ldc, ldc, accumulate);
    if (i < m)
        for_rows<Unit, vectors>(m - i, std::make_integer_sequence<int, gemm_rows - 1>{})(a + i * lda, lda, panel, k,
                                                                                         c + i * ldc, ldc, accumulate);
}

template <class Unit, int... i> auto for_vectors(std::int64_t vectors, std::integer_sequence<int, i...>) {
    static constexpr decltype(&strip<Unit, 1>) table[] = {strip<Unit, i + 1>...};
    return table[(vectors < gemm_vectors ? vectors : gemm_vectors) - 1];
}

template <class Unit> void product(const typename Unit::Element* a, std::int64_t lda,
                                   const typename Unit::Element* panels, std::int64_t k, std::int64_t m, std::int64_t n,
                                   float* c, std::int64_t ldc, bool accumulate) {
    // As many rows of A as stay in the L2 cache (about 192 KiB) while all panels are used one after the other; each
    // panel stays in the L1 cache.
    const std::int64_t fit = 49152 / (k > 0 ? k : 1) / gemm_rows * gemm_rows, block = fit > gemm_rows ? fit : gemm_rows;
    for (std::int64_t begin = 0; begin < m; begin += block) {
        const std::int64_t end = m - begin < block ? m : begin + block;
        const typename Unit::Element* panel = panels;
        for (std::int64_t j = 0; j < n; j += gemm_columns, panel += gemm_columns * k)
            for_vectors<Unit>((n - j + lanes - 1) / lanes, std::make_integer_sequence<int, gemm_vectors>{})(
                a + begin * lda, lda, panel, k, end - begin, c + begin * ldc + j, ldc, accumulate);
    }
}

template <int... i> Vec interleave_low(Vec a, Vec b, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (i % 2 * lanes + i / 2)...);
}
template <int... i> Vec interleave_high(Vec a, Vec b, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (i % 2 * lanes + i / 2 + lanes / 2)...);
}

/// Interleaving the upper with the lower half of the rows, log2(lanes) times, turns rows into columns.
void transpose(Vec (&rows)[lanes]) {
    constexpr std::make_integer_sequence<int, lanes> all;
    for (int round = 1; round < lanes; round *= 2) {
        Vec next[lanes];
        for (int i = 0; i < lanes / 2; ++i) {
            next[2 * i] = interleave_low(rows[i], rows[i + lanes / 2], all);
            next[2 * i + 1] = interleave_high(rows[i], rows[i + lanes / 2], all);
        }
        for (int i = 0; i < lanes; ++i) rows[i] = next[i];
    }
}

/// Packs `lanes` columns of a panel from `n` <= lanes rows of w.
void pack_strip(const float* w, std::int64_t ldw, std::int64_t n, std::int64_t k, float* panel) {
    for (std::int64_t p = 0; p < k; p += lanes) {
        const std::int64_t rest = k - p < lanes ? k - p : lanes;
        Vec rows[lanes];
        for (int i = 0; i < lanes; ++i)
            rows[i] = i >= n ? Vec{} : rest == lanes ? load(w + i * ldw + p) : load_part(w + i * ldw + p, rest);
        transpose(rows);
        for (int i = 0; i < rest; ++i) store(panel + (p + i) * gemm_columns, rows[i]);
    }
}

} // namespace

void gemm(const float* a, std::int64_t lda, const float* panels, std::int64_t k, std::int64_t m, std::int64_t n,
          float* c, std::int64_t ldc, bool accumulate) {
    product<Singles>(a, lda, panels, k, m, n, c, ldc, accumulate);
}

#if defined(__AVX512BF16__) && !defined(DENOIR_TILES)
void gemm_bf16(const std::uint16_t* a, std::int64_t lda, const std::uint16_t* panels, std::int64_t k, std::int64_t m,
               std::int64_t n, float* c, std::int64_t ldc, bool accumulate) {
    product<Bf16Pairs>(a, lda, panels, k, m, n, c, ldc, accumulate);
}
#endif

void pair_rows(const float* panels, std::int64_t rows, std::uint16_t* pairs) {
    for (std::int64_t p = 0; p < rows; p += 2, panels += 2 * gemm_columns, pairs += 2 * gemm_columns)
        for (int j = 0; j < gemm_columns; j += lanes) {
            // The first value of a pair is in the low half of 32 bits (little-endian), as in the rows of A.
            const UVec pair =
                (bf16_bits(load(panels + j)) >> 16) | (bf16_bits(load(panels + gemm_columns + j)) & 0xFFFF0000u);
            __builtin_memcpy(pairs + 2 * j, &pair, sizeof pair);
        }
}

void pack_transposed(const float* w, std::int64_t ldw, std::int64_t n, std::int64_t k, float* panels) {
    for (std::int64_t j = 0; j < n; j += gemm_columns, panels += gemm_columns * k)
        for (int v = 0; v < gemm_vectors; ++v) {
            const std::int64_t first = j + v * lanes, rest = n - first;
            pack_strip(w + (rest > 0 ? first * ldw : 0), ldw,
                       rest < 0       ? 0
                       : rest < lanes ? rest
                                      : lanes,
                       k, panels + v * lanes);
        }
}

void pack(const float* v, std::int64_t ldv, std::int64_t k, std::int64_t n, float* panels) {
    for (std::int64_t j = 0; j < n; j += gemm_columns)
        for (std::int64_t p = 0; p < k; ++p, panels += gemm_columns)
            for (int i = 0; i < gemm_vectors; ++i) {
                const std::int64_t first = j + i * lanes, rest = n - first;
                const float* from = v + p * ldv + first;
                store(panels + i * lanes, rest >= lanes ? load(from) : rest > 0 ? load_part(from, rest) : Vec{});
            }
}

void dot(const float* x, std::int64_t ldx, std::int64_t m, const float* w, std::int64_t k, float* out,
         std::int64_t ldo) {
    const std::int64_t whole = k / lanes * lanes;
    const Vec last = load_part(w + whole, k - whole);
    // Four rows at a time share the loads of w; two sums per row hide the latency.
    for (std::int64_t i = 0; i < m; i += 4) {
        const int rows = m - i < 4 ? static_cast<int>(m - i) : 4;
        Vec even[4]{}, odd[4]{};
        std::int64_t p = 0;
        for (; p + 2 * lanes <= whole; p += 2 * lanes) {
            const Vec w0 = load(w + p), w1 = load(w + p + lanes);
            for (int r = 0; r < rows; ++r) {
                const float* row = x + (i + r) * ldx + p;
                even[r] = fma(load(row), w0, even[r]);
                odd[r] = fma(load(row + lanes), w1, odd[r]);
            }
        }
        for (int r = 0; r < rows; ++r) {
            const float* row = x + (i + r) * ldx;
            if (p < whole) even[r] = fma(load(row + p), load(w + p), even[r]);
            odd[r] = fma(load_part(row + whole, k - whole), last, odd[r]);
            out[(i + r) * ldo] = sum(even[r] + odd[r]);
        }
    }
}

double multiply_adds(std::int64_t rounds) {
    constexpr int chains = gemm_rows * gemm_vectors;
    Vec sums[chains];
#pragma GCC unroll 64
    for (int i = 0; i < chains; ++i) sums[i] = splat(static_cast<float>(i));
    Vec factor = splat(0.999f), addend = splat(1e-3f);
    asm volatile("" : "+m"(factor), "+m"(addend)); // no constants for the compiler, so that it cannot shorten the loop
    const Vec f = factor, a = addend;
    for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 64 // otherwise the sums stay in memory, and its latency is measured
        for (int i = 0; i < chains; ++i) sums[i] = fma(sums[i], f, a);
    }
    Vec total{};
#pragma GCC unroll 64
    for (int i = 0; i < chains; ++i) total = total + sums[i];
    asm volatile("" : : "m"(total));
    return 2.0 * lanes * chains * static_cast<double>(rounds);
}

} // namespace denoir::cpu::DENOIR_ISA

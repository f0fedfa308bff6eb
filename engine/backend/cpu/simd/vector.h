// SPDX-License-Identifier: Apache-2.0
#pragma once
// A vector of f32 as wide as the instruction set of this build of simd/ (DENOIR_ISA: baseline, avx2, avx512).
// Everything is in a namespace of that name, and nothing here uses inline functions of other headers: the linker would
// merge those of different builds, and a processor without the wider instructions would then execute them.
#include <cstdint>
#include <utility>
#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace denoir::cpu::DENOIR_ISA {

// The matrix kernel keeps gemm_rows x gemm_vectors vectors of C in registers, with one row of B and one element of A.
// There are 16 registers with SSE and AVX2, 32 with AVX-512 and NEON.
#if defined(DENOIR_TILES) // a panel is two tiles wide
constexpr int lanes = 16, gemm_rows = 12, gemm_vectors = 2;
constexpr bool bf16_in_tiles = true;
#elif defined(__AVX512F__)
constexpr int lanes = 16, gemm_rows = 8, gemm_vectors = 3;
#elif defined(__AVX2__)
constexpr int lanes = 8, gemm_rows = 6, gemm_vectors = 2;
#elif defined(__ARM_NEON)
constexpr int lanes = 4, gemm_rows = 8, gemm_vectors = 3;
#else
constexpr int lanes = 4, gemm_rows = 4, gemm_vectors = 2;
#endif
#if !defined(DENOIR_TILES)
constexpr bool bf16_in_tiles = false;
#endif
constexpr int gemm_columns = gemm_vectors * lanes;

using Vec = float __attribute__((vector_size(lanes * 4)));
using IVec = std::int32_t __attribute__((vector_size(lanes * 4)));
using UVec = std::uint32_t __attribute__((vector_size(lanes * 4)));
using Pairs = std::uint64_t __attribute__((vector_size(lanes * 4)));
using Halves = std::uint16_t __attribute__((vector_size(lanes * 2)));
using Bytes = std::uint8_t __attribute__((vector_size(lanes)));
using SignedBytes = std::int8_t __attribute__((vector_size(lanes)));

inline Vec load(const float* p) {
    Vec v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
inline void store(float* p, Vec v) { __builtin_memcpy(p, &v, sizeof v); }

/// The first n < lanes elements, followed by zeros.
inline Vec load_part(const float* p, std::int64_t n) {
    Vec v{};
    __builtin_memcpy(&v, p, static_cast<std::size_t>(n) * 4);
    return v;
}
inline void store_part(float* p, Vec v, std::int64_t n) { __builtin_memcpy(p, &v, static_cast<std::size_t>(n) * 4); }

/// f in every lane. (f - 0, since the compiler may drop the subtraction, which keeps -0; f + 0 would not keep it.)
inline Vec splat(float f) { return f - Vec{}; }
inline IVec isplat(std::int32_t i) { return i - IVec{}; }
inline IVec bits(Vec v) { return reinterpret_cast<IVec>(v); }
inline Vec from_bits(IVec v) { return reinterpret_cast<Vec>(v); }

/// a · b + c, rounded once if the processor can do so.
inline Vec fma(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#elif defined(__ARM_NEON)
    return vfmaq_f32(c, a, b);
#else
    return a * b + c;
#endif
}

inline Vec max(Vec a, Vec b) { return a > b ? a : b; }
inline Vec min(Vec a, Vec b) { return a < b ? a : b; }
inline Vec abs(Vec v) { return from_bits(bits(v) & isplat(0x7FFFFFFF)); }

inline Vec sqrt(Vec v) {
    for (int i = 0; i < lanes; ++i) v[i] = __builtin_sqrtf(v[i]);
    return v;
}

/// The sums of each lane and the one `distance` further.
template <int distance, int... i> Vec fold(Vec v, std::integer_sequence<int, i...>) {
    return v + __builtin_shufflevector(v, v, ((i + distance) % lanes)...);
}
/// The sum of all lanes, in the fixed order of adding halves first.
inline float sum(Vec v) {
    constexpr std::make_integer_sequence<int, lanes> all;
    if constexpr (lanes >= 16) v = fold<8>(v, all);
    if constexpr (lanes >= 8) v = fold<4>(v, all);
    return fold<1>(fold<2>(v, all), all)[0];
}
/// The greater of each lane and the one `distance` further.
template <int distance, int... i> Vec fold_greatest(Vec v, std::integer_sequence<int, i...>) {
    return max(v, __builtin_shufflevector(v, v, ((i + distance) % lanes)...));
}
inline float greatest(Vec v) {
    constexpr std::make_integer_sequence<int, lanes> all;
    if constexpr (lanes >= 16) v = fold_greatest<8>(v, all);
    if constexpr (lanes >= 8) v = fold_greatest<4>(v, all);
    return fold_greatest<1>(fold_greatest<2>(v, all), all)[0];
}

/// Rounded to bf16, to nearest with ties to even, as the upper halves of 32 bits; NaN stays NaN.
inline UVec bf16_bits(Vec v) {
    const UVec u = reinterpret_cast<UVec>(v);
    const UVec rounded = u + 0x7FFFu + ((u >> 16) & 1u);
    const IVec is_nan = bits(abs(v)) > 0x7F800000;
    return is_nan ? (u | 0x400000u) : rounded;
}
inline Vec round_bf16(Vec v) { return reinterpret_cast<Vec>(bf16_bits(v) & 0xFFFF0000u); }
inline Halves narrow_bf16(Vec v) {
#if defined(__AVX512BF16__)
    // A single instruction, but it would turn denormals into zero.
    if (_mm512_fpclass_ps_mask(v, 0x20) == 0) return reinterpret_cast<Halves>(_mm512_cvtneps_pbh(v));
#endif
    return __builtin_convertvector(bf16_bits(v) >> 16, Halves);
}

/// narrow_bf16() for values without denormals.
inline Halves narrow_normal_bf16(Vec v) {
#if defined(__AVX512BF16__)
    return reinterpret_cast<Halves>(_mm512_cvtneps_pbh(v));
#else
    return narrow_bf16(v);
#endif
}

/// The values of f16 that are finite, exactly.
inline Vec widen_finite_f16(Halves h) {
#if defined(__AVX512F__)
    // Not _mm512_cvtph_ps, as some compilers warn about an undefined value in it.
    return _mm512_maskz_cvtph_ps(0xFFFF, reinterpret_cast<__m256i>(h));
#elif defined(__F16C__)
    return _mm256_cvtph_ps(reinterpret_cast<__m128i>(h));
#else
    const IVec wide = __builtin_convertvector(h, IVec), magnitude = wide & 0x7FFF, sign = (wide & 0x8000) << 16;
    const IVec normal = (magnitude << 13) + (112 << 23); // exponent bias 15 -> 127
    const IVec subnormal = bits(from_bits(magnitude | 0x3F000000) - splat(0.5f));
    return from_bits(sign | (magnitude < 0x400 ? subnormal : normal));
#endif
}
/// The values of f16, exactly; NaN keeps its payload (the processor's instruction would make a signalling one quiet).
inline Vec widen_f16(Halves h) {
    const IVec wide = __builtin_convertvector(h, IVec), magnitude = wide & 0x7FFF, sign = (wide & 0x8000) << 16;
    const IVec endless = sign | ((magnitude << 13) + (224 << 23)); // infinity and NaN have all bits of the exponent
    return from_bits(magnitude >= 0x7C00 ? endless : bits(widen_finite_f16(h)));
}
inline Vec widen_i8(Bytes b) {
    return __builtin_convertvector(__builtin_convertvector(reinterpret_cast<SignedBytes>(b), IVec), Vec);
}
/// The values of f8_e5m2: the upper halves of f16.
inline Vec widen_e5m2(Bytes b) { return widen_f16(__builtin_convertvector(b, Halves) << 8); }
/// The values of f8_e4m3: no infinities, one NaN for each sign.
inline Vec widen_e4m3(Bytes b) {
    const Halves wide = __builtin_convertvector(b, Halves);
    const Vec value = widen_finite_f16((wide & 0x80) << 8 | (wide & 0x7F) << 7) * splat(256.0f); // bias 7 -> 15
    const IVec nan = (bits(value) & static_cast<int>(0x80000000u)) | 0x7FC00000;
    return from_bits(abs(value) == splat(480.0f) ? nan : bits(value)); // NaN has all bits set, which would be 480
}

} // namespace denoir::cpu::DENOIR_ISA

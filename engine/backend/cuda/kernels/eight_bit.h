// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/eight_bit.h"
#include "engine/backend/cuda/kernels/rows.h"

namespace denoir::cuda {

DENOIR_HD float largest_of(EightBit kind) { return kind == EightBit::fp8 ? 448.0f : 127.0f; }

/// Rounds to e4m3: to nearest, ties to even, saturating. NaN stays NaN. The same bits as denoir::f32_to_f8_e4m3.
DENOIR_HD std::uint8_t narrow_e4m3(float x) {
    const std::uint32_t u = to_bits(x), sign = u >> 24 & 0x80u;
    const float magnitude = fabsf(x);
    if (magnitude != magnitude) return static_cast<std::uint8_t>(sign | 0x7Fu);
    if (magnitude >= 448.0f) return static_cast<std::uint8_t>(sign | 0x7Eu);
    if (magnitude < 0x1p-6f) { // subnormal: multiples of 2^-9; adding 1.5·2^23 rounds to whole numbers
        const float steps = magnitude * 512.0f + 12582912.0f;
        return static_cast<std::uint8_t>(sign | (to_bits(steps) & 0xFu));
    }
    const std::uint32_t m = u & 0x7FFFFFFFu, rounded_up = m + 0x7FFFFu + (m >> 20 & 1u);
    return static_cast<std::uint8_t>(sign | ((rounded_up >> 20) - (120u << 3)));
}

DENOIR_HD float widen_e4m3(std::uint8_t bits) {
    const float sign = bits & 0x80u ? -1.0f : 1.0f;
    const int exponent = bits >> 3 & 15, mantissa = bits & 7;
    if (exponent == 15 && mantissa == 7) return NAN;
    if (exponent == 0) return sign * static_cast<float>(mantissa) * 0x1p-9f;
    return sign *
           from_bits(static_cast<std::uint32_t>(exponent + 120) << 23 | static_cast<std::uint32_t>(mantissa) << 20);
}

/// x in 8 bits, divided by its row's scale; `inverse` is 1 / scale.
DENOIR_HD std::uint8_t quantised(EightBit kind, float x, float inverse) {
    if (kind == EightBit::fp8) return narrow_e4m3(x * inverse);
    const float whole = rintf(x * inverse);
    return static_cast<std::uint8_t>(static_cast<std::int8_t>(whole < -127.0f  ? -127.0f
                                                              : whole > 127.0f ? 127.0f
                                                                               : whole));
}
DENOIR_HD float eight_bit_value(EightBit kind, std::uint8_t bits) {
    return kind == EightBit::fp8 ? widen_e4m3(bits) : static_cast<float>(static_cast<std::int8_t>(bits));
}

/// Each row of x [L, C] in 8 bits: `out` [L, C] (dense) and scale [L], so that x is nearly scale · out.
void quantise_rows(Runtime&, EightBit, const Rows& x, std::int64_t tokens, int channels, std::uint8_t* out,
                   float* scale);

/// C [M,N] bf16 = (A·Bᵀ) · a_scale[M] · b_scale[N] + bias[N]; A [M,K], B [N,K] dense.
struct EightBitProduct {
    EightBit kind = EightBit::fp8;
    std::int64_t m = 0, n = 0, k = 0;
    const std::uint8_t *a = nullptr, *b = nullptr;
    const float *a_scale = nullptr, *b_scale = nullptr;
    const float* bias = nullptr;     ///< or null
    const void* bias_bf16 = nullptr; ///< the same, for the library
    void* c = nullptr;               ///< bf16; i32 for the library's product of integers
    std::int64_t ldc = 0;
};
/// The plain product, with which the library's is compared.
void multiply_eight_bit(Runtime&, const EightBitProduct&);
/// What multiply_eight_bit does with its sums, [M,N] i32, dense.
void scale_sums(Runtime&, const EightBitProduct&, const std::int32_t* sums);

} // namespace denoir::cuda

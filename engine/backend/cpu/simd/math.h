// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cpu/simd/vector.h"

namespace denoir::cpu::DENOIR_ISA {

/// e^x with an error of at most 2 ulp; 0 below -87.3, e^88 for larger x, NaN for NaN.
inline Vec exp(Vec x) {
    const Vec none = splat(-87.33654f);
    const Vec clamped = min(splat(88.0f), max(none, x)); // if one argument is NaN, these return the second
    // x = n·ln 2 + r with |r| <= ln 2 / 2. Adding 1.5·2^23 rounds to an integer and leaves it in the low bits.
    const Vec magic = splat(12582912.0f);
    const Vec shifted = fma(clamped, splat(1.44269504f), magic);
    const Vec n = shifted - magic;
    const Vec r = fma(n, splat(2.12194440e-4f), fma(n, splat(-0.693359375f), clamped));
    // e^r = 1 + r + r²·g(r), where g is a Chebyshev fit; the relative error of e^r is 1e-8.
    Vec g = fma(r, splat(0.00139336884f), splat(0.00836320547f));
    g = fma(g, r, splat(0.0416664646f));
    g = fma(g, r, splat(0.166665768f));
    g = fma(g, r, splat(0.500000001f));
    const Vec above_one = fma(g, r * r, r);
#if defined(__AVX512F__)
    return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, none, _CMP_NLT_UQ), above_one + splat(1.0f), n);
#else
    const Vec power = from_bits((bits(shifted) - bits(magic) + 127) << 23);
    const Vec value = above_one * power + power;
    return x < none ? Vec{} : value;
#endif
}

/// 2^x with a relative error of 5e-6, for results that are rounded to bf16; 0 or a denormal below -126, NaN for NaN.
inline Vec exp2_coarse(Vec x) {
#if defined(__AVX512DQ__)
    // The forms with masks of all lanes, as some compilers warn about an undefined value in the plain ones.
    const Vec fraction = _mm512_maskz_reduce_ps(0xFFFF, x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    // 2^f for 0 <= f < 1, as a Chebyshev fit of the relative error.
    Vec g = fma(fraction, splat(0.013534168f), splat(0.05201146f));
    g = fma(g, fraction, splat(0.24144275f));
    g = fma(g, fraction, splat(0.69300383f));
    g = fma(g, fraction, splat(1.0000026f));
    return _mm512_maskz_scalef_ps(0xFFFF, g, x); // g · 2^floor(x)
#else
    return exp(x * splat(0.693147181f));
#endif
}

inline Vec sigmoid(Vec x) { return 1.0f / (1.0f + exp(-x)); }
inline Vec silu(Vec x) { return x * sigmoid(x); }

/// x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))). Uses 1 + tanh(u) = 2·sigmoid(2u), without cancellation for negative x.
inline Vec gelu_tanh(Vec x) {
    const Vec u = x * fma(x * x, splat(0.0713548163f), splat(1.59576912f));
    return x * sigmoid(u);
}

/// The error function with an absolute error of 1e-7: a series in x² below 1, 1 - e^p(|x|) above (both Chebyshev fits),
/// 1 from 4 on.
inline Vec erf(Vec x) {
    const Vec t = x * x;
    Vec s = fma(t, splat(7.88249711e-5f), splat(-8.01885499e-4f));
    s = fma(s, t, splat(0.00518931194f));
    s = fma(s, t, splat(-0.0268543288f));
    s = fma(s, t, splat(0.112835975f));
    s = fma(s, t, splat(-0.376126269f));
    s = fma(s, t, splat(1.12837917f));
    const Vec a = min(abs(x), splat(4.0f));
    Vec p = fma(a, splat(1.6140616e-6f), splat(-4.55906224e-5f));
    p = fma(p, a, splat(5.92769538e-4f));
    p = fma(p, a, splat(-0.00474022234f));
    p = fma(p, a, splat(0.0263647174f));
    p = fma(p, a, splat(-0.109978245f));
    p = fma(p, a, splat(-0.631937094f));
    p = fma(p, a, splat(-1.13016668f));
    p = fma(p, a, splat(3.03212969e-4f));
    const Vec far = 1.0f - exp(p);
    return a < 1.0f ? x * s : (x < 0.0f ? -far : far);
}

inline Vec gelu_erf(Vec x) { return 0.5f * x * (1.0f + erf(x * 0.707106781f)); }

} // namespace denoir::cpu::DENOIR_ISA

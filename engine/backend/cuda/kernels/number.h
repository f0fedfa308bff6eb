// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cassert>
#include <cmath>
#include <cstdint>
#include <type_traits>

// Arithmetic on single values and packs of values, for the device and for the host: the tests run every kernel on the
// host, thread by thread (emulator.h).
#if defined(__CUDACC__)
#define DENOIR_HD __host__ __device__ __forceinline__
#else
#define DENOIR_HD inline
#endif

namespace denoir::cuda {

/// The types that kernels read and write. All but f32 and bf16 are only converted from, or moved as they are.
enum class Type : int { f32, bf16, f16, i64 };

struct Bf16 {
    std::uint16_t bits;
};
struct F16 {
    std::uint16_t bits;
};

DENOIR_HD float from_bits(std::uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
DENOIR_HD std::uint32_t to_bits(float value) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

DENOIR_HD float widen(float x) { return x; }
DENOIR_HD float widen(Bf16 x) { return from_bits(static_cast<std::uint32_t>(x.bits) << 16); }
DENOIR_HD float widen(std::int64_t x) { return static_cast<float>(x); }
/// IEEE half with subnormals: the exponent is moved by a product with 2^112, which also normalises.
DENOIR_HD float widen(F16 x) {
    const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000u) << 16, rest = x.bits & 0x7FFFu;
    if (rest >= 0x7C00u) return from_bits(sign | 0x7F800000u | (rest & 0x3FFu) << 13);
    const float magnitude = from_bits(rest << 13) * from_bits(0x77800000u);
    return from_bits(sign | to_bits(magnitude));
}

/// Two values as bf16, to nearest, ties to even. The same bits as denoir::bf16::from except for NaN, which is 0x7FFF on
/// a card. The card's instruction for a single value runs on a slow unit.
DENOIR_HD std::uint32_t narrow_pair(float low, float high) {
#if defined(__CUDA_ARCH__)
    std::uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
#else
    const auto narrowed = [](float x) {
        const std::uint32_t u = to_bits(x);
        return ((u & 0x7FFFFFFFu) > 0x7F800000u ? u | 0x400000u : u + 0x7FFFu + ((u >> 16) & 1u)) >> 16;
    };
    return narrowed(low) | narrowed(high) << 16;
#endif
}
DENOIR_HD Bf16 narrow_bf16(float x) { return {static_cast<std::uint16_t>(narrow_pair(x, 0.0f))}; }
DENOIR_HD float rounded(float x) { return from_bits(narrow_pair(0.0f, x)); }
template <class T> DENOIR_HD T narrow(float x);
template <> DENOIR_HD float narrow<float>(float x) { return x; }
template <> DENOIR_HD Bf16 narrow<Bf16>(float x) { return narrow_bf16(x); }

/// V neighbouring elements, moved in one access; the address must be a multiple of the pack's size. bf16 values are
/// kept in pairs, which are widened and narrowed without taking them apart.
template <class T, int V> inline constexpr bool paired = V % 2 == 0 && std::is_same_v<T, Bf16>;
template <class T, int V, bool pairs = paired<T, V>> struct alignas(sizeof(T) * V) Pack { T value[V]; };
template <class T, int V> struct alignas(sizeof(T) * V) Pack<T, V, true> { std::uint32_t pair[V / 2]; };

/// Whether a pack may lie at this address. At any other the card fails; the host would not, so it asserts this.
template <class P> DENOIR_HD bool lies_well(const void* at) {
    return reinterpret_cast<std::uintptr_t>(at) % alignof(P) == 0;
}

template <int V, class T> DENOIR_HD Pack<T, V> fetch(const T* from) {
#if defined(__CUDA_ARCH__)
    return *reinterpret_cast<const Pack<T, V>*>(from);
#else
    Pack<T, V> pack;
    assert(lies_well<decltype(pack)>(from));
    __builtin_memcpy(&pack, from, sizeof pack);
    return pack;
#endif
}
template <class T, int V> DENOIR_HD void widen(const Pack<T, V>& pack, float* values) {
    if constexpr (paired<T, V>)
        for (int i = 0; i < V; i += 2) {
            values[i] = from_bits(pack.pair[i / 2] << 16);
            values[i + 1] = from_bits(pack.pair[i / 2] & 0xFFFF0000u);
        }
    else
        for (int i = 0; i < V; ++i) values[i] = widen(pack.value[i]);
}
template <int V, class T> DENOIR_HD void load(const T* from, float* values) { widen(fetch<V>(from), values); }
template <int V, class T> DENOIR_HD void store(T* to, const float* values) {
    Pack<T, V> pack;
    if constexpr (paired<T, V>)
        for (int i = 0; i < V; i += 2) pack.pair[i / 2] = narrow_pair(values[i], values[i + 1]);
    else
        for (int i = 0; i < V; ++i) pack.value[i] = narrow<T>(values[i]);
#if defined(__CUDA_ARCH__)
    *reinterpret_cast<Pack<T, V>*>(to) = pack;
#else
    assert(lies_well<decltype(pack)>(to));
    __builtin_memcpy(to, &pack, sizeof pack);
#endif
}

/// 1 / sqrt(x), at most two units in the last place off.
DENOIR_HD float reciprocal_root(float x) {
#if defined(__CUDA_ARCH__)
    return rsqrtf(x);
#else
    return 1.0f / sqrtf(x);
#endif
}

/// a · b + c, rounded once. For two kernels that must give the same bits: from a product and a sum a device compiler
/// makes one operation or two, depending on the code around them.
DENOIR_HD float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }

/// a / b, at most two units in the last place off for |b| up to 2^126.
DENOIR_HD float quotient(float a, float b) {
#if defined(__CUDA_ARCH__)
    return __fdividef(a, b);
#else
    return a / b;
#endif
}

/// x / (1 + e^-u). On a card it takes five instructions, none of which handles subnormal numbers: e^-u is off by up to
/// (2 + |u|) · 1e-7 of itself, and below u = -87 the result is 0 instead of less than 1e-36 · x.
DENOIR_HD float logistic(float x, float u) {
#if defined(__CUDA_ARCH__)
    float power, share;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(u * -1.44269504f));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(share) : "f"(1.0f + power));
    return x * share;
#else
    return x / (1.0f + expf(-u));
#endif
}

DENOIR_HD std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// As denoir::Activation, which a device compiler need not know.
enum class Curve : int { none, silu, gelu_tanh, gelu_erf };

/// The same formulas as the CPU's vector code, with the library's exp and erf.
DENOIR_HD float curve(Curve kind, float x) {
    switch (kind) {
    case Curve::none:
        return x;
    case Curve::silu:
        return logistic(x, x);
    case Curve::gelu_tanh:
        return logistic(x, x * (x * x * 0.0713548163f + 1.59576912f));
    case Curve::gelu_erf:
        return 0.5f * x * (1.0f + erff(x * 0.707106781f));
    }
    return x;
}

/// tanh GELU of a bf16 value, every operation rounded to bf16.
DENOIR_HD float gelu_tanh_in_steps(float x) {
    const float cubic = rounded(0.044715f * rounded(rounded(x * x) * x));
    const float inner = rounded(0.7978845608f * rounded(x + cubic));
    return rounded(0.5f * x) * rounded(1.0f + rounded(tanhf(inner)));
}

} // namespace denoir::cuda

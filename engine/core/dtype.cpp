// SPDX-License-Identifier: Apache-2.0
#include "engine/core/dtype.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "engine/core/blocks.h"

namespace denoir {
namespace {

constexpr std::array<DTypeInfo, 24> infos = {{
    {"f32", "F32", 1, 4},   {"f16", "F16", 1, 2},   {"bf16", "BF16", 1, 2},       {"f64", "F64", 1, 8},
    {"i64", "I64", 1, 8},   {"i32", "I32", 1, 4},   {"i16", "I16", 1, 2},         {"i8", "I8", 1, 1},
    {"u8", "U8", 1, 1},     {"bool", "BOOL", 1, 1}, {"f8_e4m3", "F8_E4M3", 1, 1}, {"f8_e5m2", "F8_E5M2", 1, 1},
    {"q4_0", "", 32, 18},   {"q4_1", "", 32, 20},   {"q5_0", "", 32, 22},         {"q5_1", "", 32, 24},
    {"q8_0", "", 32, 34},   {"q2_k", "", 256, 84},  {"q3_k", "", 256, 110},       {"q4_k", "", 256, 144},
    {"q5_k", "", 256, 176}, {"q6_k", "", 256, 210}, {"iq4_nl", "", 32, 18},       {"iq4_xs", "", 256, 136},
}};

// The conversions avoid f32 subnormals as operands, since a library may have switched them off for the thread (DAZ).

inline float widen_f16(std::uint16_t h) {
    const std::uint32_t magnitude = h & 0x7FFFu, sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
    const std::uint32_t shifted = (magnitude << 13) + (112u << 23); // exponent bias 15 -> 127
    const std::uint32_t special = shifted + (112u << 23);           // infinities and NaN: exponent 255
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(0x3F000000u | magnitude) - 0.5f);
    const std::uint32_t bits = magnitude >= 0x7C00u ? special : magnitude < 0x400u ? subnormal : shifted;
    return std::bit_cast<float>(sign | bits);
}

/// The magnitude bits of the nearest (ties to even) number with `Mantissa` bits and exponent bias `Bias`. `u`: the bits
/// of a finite |f| that fits.
template <int Mantissa, int Bias> inline std::uint32_t narrow_magnitude(std::uint32_t u) {
    constexpr int cut = 23 - Mantissa;
    // Adding this constant leaves |f| / (smallest subnormal) in the low bits of the sum, rounded as the hardware
    // rounds.
    constexpr std::uint32_t magic = static_cast<std::uint32_t>(127 + 24 - Bias - Mantissa) << 23;
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(u) + std::bit_cast<float>(magic)) - magic;
    const std::uint32_t rounded = u + ((1u << (cut - 1)) - 1) + (u >> cut & 1u);
    const std::uint32_t normal = (rounded - (static_cast<std::uint32_t>(127 - Bias) << 23)) >> cut;
    return u < static_cast<std::uint32_t>(128 - Bias) << 23 ? subnormal : normal;
}

inline std::uint16_t narrow_f16(float f) {
    const auto bits = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t sign = bits >> 16 & 0x8000u, u = bits & 0x7FFFFFFFu;
    const std::uint32_t nan = 0x7E00u | (u >> 13 & 0x3FFu);
    const std::uint32_t finite = narrow_magnitude<10, 15>(std::min(u, 0x477FEFFFu)); // the largest that rounds to 65504
    const std::uint32_t magnitude = u > 0x7F800000u ? nan : u > 0x477FEFFFu ? 0x7C00u : finite;
    return static_cast<std::uint16_t>(sign | magnitude);
}

template <int Mantissa, int Bias> inline std::uint8_t narrow_f8(float f, std::uint32_t largest) {
    const auto bits = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t sign = bits >> 24 & 0x80u, u = bits & 0x7FFFFFFFu;
    const std::uint32_t finite = narrow_magnitude<Mantissa, Bias>(std::min(u, largest));
    return static_cast<std::uint8_t>(sign | (u > 0x7F800000u ? 0x7Fu : finite));
}

inline std::uint8_t narrow_e4m3(float f) { return narrow_f8<3, 7>(f, std::bit_cast<std::uint32_t>(448.0f)); }
inline std::uint8_t narrow_e5m2(float f) { return narrow_f8<2, 15>(f, std::bit_cast<std::uint32_t>(57344.0f)); }

/// All 256 values of e4m3. It has no infinity, and only 0x7F and 0xFF are NaN.
std::array<float, 256> make_e4m3_table() {
    std::array<float, 256> table{};
    for (int i = 0; i < 256; ++i) {
        const int exponent = i >> 3 & 15, mantissa = i & 7;
        float value = exponent ? std::ldexp(static_cast<float>(8 + mantissa), exponent - 10)
                               : std::ldexp(static_cast<float>(mantissa), -9);
        if ((i & 0x7F) == 0x7F) value = std::bit_cast<float>(0x7FC00000u);
        table[static_cast<std::size_t>(i)] = i & 0x80 ? -value : value;
    }
    return table;
}

const std::array<float, 256>& e4m3_table() {
    static const std::array<float, 256> table = make_e4m3_table();
    return table;
}

/// out[i] = f(in[i]) for unaligned memory on either side; simple enough for the compiler to vectorise.
template <class In, class Out, class F> void each(const void* in, void* out, std::int64_t n, F f) {
    const auto* from = static_cast<const std::byte*>(in);
    auto* to = static_cast<std::byte*>(out);
    for (std::int64_t i = 0; i < n; ++i) {
        In x;
        std::memcpy(&x, from + i * static_cast<std::int64_t>(sizeof(In)), sizeof(In));
        const Out y = f(x);
        std::memcpy(to + i * static_cast<std::int64_t>(sizeof(Out)), &y, sizeof(Out));
    }
}

template <class In> void widen(const void* in, float* out, std::int64_t n) {
    each<In, float>(in, out, n, [](In x) { return static_cast<float>(x); });
}

} // namespace

const DTypeInfo& info(DType d) {
    assert(static_cast<std::size_t>(d) < infos.size());
    return infos[static_cast<std::size_t>(d)];
}

std::optional<DType> dtype_from_safetensors(std::string_view name) {
    for (std::size_t i = 0; i < infos.size(); ++i)
        if (!name.empty() && infos[i].safetensors == name) return static_cast<DType>(i);
    return std::nullopt;
}

float f16_to_f32(std::uint16_t h) { return widen_f16(h); }
std::uint16_t f32_to_f16(float f) { return narrow_f16(f); }
float f8_e4m3_to_f32(std::uint8_t b) { return e4m3_table()[b]; }
float f8_e5m2_to_f32(std::uint8_t b) { return widen_f16(static_cast<std::uint16_t>(b << 8)); }
std::uint8_t f32_to_f8_e4m3(float f) { return narrow_e4m3(f); }
std::uint8_t f32_to_f8_e5m2(float f) { return narrow_e5m2(f); }

void to_f32(DType from, const void* in, float* out, std::int64_t n) {
    if (n == 0) return;
    switch (from) {
    case DType::f32:
        std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
        return;
    case DType::f16:
        each<std::uint16_t, float>(in, out, n, widen_f16);
        return;
    case DType::bf16:
        each<bf16, float>(in, out, n, [](bf16 x) { return x.value(); });
        return;
    case DType::f64:
        widen<double>(in, out, n);
        return;
    case DType::i64:
        widen<std::int64_t>(in, out, n);
        return;
    case DType::i32:
        widen<std::int32_t>(in, out, n);
        return;
    case DType::i16:
        widen<std::int16_t>(in, out, n);
        return;
    case DType::i8:
        widen<std::int8_t>(in, out, n);
        return;
    case DType::u8:
        widen<std::uint8_t>(in, out, n);
        return;
    case DType::boolean:
        each<std::uint8_t, float>(in, out, n, [](std::uint8_t x) { return x ? 1.0f : 0.0f; });
        return;
    case DType::f8_e4m3: {
        const float* table = e4m3_table().data();
        each<std::uint8_t, float>(in, out, n, [table](std::uint8_t x) { return table[x]; });
        return;
    }
    case DType::f8_e5m2:
        each<std::uint8_t, float>(in, out, n,
                                  [](std::uint8_t x) { return widen_f16(static_cast<std::uint16_t>(x << 8)); });
        return;
    default:
        assert(n % info(from).block_elements == 0);
        dequantize_blocks(from, static_cast<const std::uint8_t*>(in), out, n / info(from).block_elements);
    }
}

void from_f32(DType to, const float* in, void* out, std::int64_t n) {
    if (n == 0) return;
    switch (to) {
    case DType::f32:
        std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
        return;
    case DType::f16:
        each<float, std::uint16_t>(in, out, n, narrow_f16);
        return;
    case DType::bf16:
        each<float, bf16>(in, out, n, bf16::from);
        return;
    case DType::f64:
        each<float, double>(in, out, n, [](float x) { return static_cast<double>(x); });
        return;
    case DType::f8_e4m3:
        each<float, std::uint8_t>(in, out, n, narrow_e4m3);
        return;
    case DType::f8_e5m2:
        each<float, std::uint8_t>(in, out, n, narrow_e5m2);
        return;
    case DType::q8_0:
        assert(n % 32 == 0);
        quantize_q8_0(in, static_cast<std::uint8_t*>(out), n / 32);
        return;
    default:
        assert(!"from_f32: no conversion to this type");
    }
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace denoir {

/// Element types. Arithmetic is done in f32 and bf16; all others are for storage (checkpoints, token ids, masks).
/// Block types (q…, iq…) hold `block_elements` values in `block_bytes` bytes along the last axis
/// (spec/checkpoints.md 5.3).
enum class DType : std::uint8_t {
    f32,
    f16,
    bf16,
    f64,
    i64,
    i32,
    i16,
    i8,
    u8,
    boolean,
    f8_e4m3,
    f8_e5m2,
    q4_0,
    q4_1,
    q5_0,
    q5_1,
    q8_0,
    q2_k,
    q3_k,
    q4_k,
    q5_k,
    q6_k,
    iq4_nl,
    iq4_xs,
};

struct DTypeInfo {
    std::string_view name;        ///< the name on the command line: "f32", "bf16", "q4_k"
    std::string_view safetensors; ///< the name in a safetensors header; empty if the format has no such type
    int block_elements;           ///< 1 except for block types
    int block_bytes;
};

const DTypeInfo& info(DType);
std::optional<DType> dtype_from_safetensors(std::string_view name);
inline bool is_block(DType d) { return info(d).block_elements > 1; }
inline bool is_float(DType d) { return d <= DType::f64 || d >= DType::f8_e4m3; }
/// Bytes of one element or, for block types, of a whole block.
inline int element_bytes(DType d) { return info(d).block_bytes; }

/// bfloat16, the upper half of an f32. Rounds to nearest, ties to even; NaN becomes a quiet NaN.
struct bf16 {
    std::uint16_t bits;
    static bf16 from(float f) {
        const auto u = std::bit_cast<std::uint32_t>(f);
        if ((u & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<std::uint16_t>((u >> 16) | 0x40u)};
        return {static_cast<std::uint16_t>((u + 0x7FFFu + ((u >> 16) & 1u)) >> 16)};
    }
    float value() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

inline float round_to_bf16(float f) { return bf16::from(f).value(); }

/// IEEE half with subnormals. Rounds to nearest, ties to even; values that are too large become infinite.
float f16_to_f32(std::uint16_t);
std::uint16_t f32_to_f16(float);
/// The two kinds of fp8 (spec/checkpoints.md 6.1). Round to nearest, ties to even; values that are too large become the
/// largest finite value (e4m3: 448).
float f8_e4m3_to_f32(std::uint8_t);
float f8_e5m2_to_f32(std::uint8_t);
std::uint8_t f32_to_f8_e4m3(float);
std::uint8_t f32_to_f8_e5m2(float);

/// Converts `n` elements of any type to f32; for a block type n must be a multiple of the block. Neither side needs to
/// be aligned.
void to_f32(DType from, const void* in, float* out, std::int64_t n);
/// Converts `n` values to f32, f16, bf16, f64, f8_e4m3, f8_e5m2 or q8_0 (n a multiple of 32); no other type.
void from_f32(DType to, const float* in, void* out, std::int64_t n);

} // namespace denoir

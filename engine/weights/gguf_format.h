// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the reader and the writer of GGUF files: the format's numbers (spec/checkpoints.md 5).
#include <array>
#include <cstdint>
#include <string_view>

#include "engine/core/dtype.h"

namespace denoir::gguf {

inline constexpr std::string_view magic = "GGUF";
/// Of the data and of each tensor in it, in bytes, where the metadata does not say otherwise.
inline constexpr std::uint32_t default_alignment = 32;

/// Types of values in the metadata.
enum ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64, value_types };

/// GGML's number for a type of tensor.
struct TensorType {
    std::uint32_t id;
    DType dtype;
};
/// spec/checkpoints.md 5.3
inline constexpr std::array tensor_types{
    TensorType{0, DType::f32},     TensorType{1, DType::f16},     TensorType{2, DType::q4_0},
    TensorType{3, DType::q4_1},    TensorType{6, DType::q5_0},    TensorType{7, DType::q5_1},
    TensorType{8, DType::q8_0},    TensorType{10, DType::q2_k},   TensorType{11, DType::q3_k},
    TensorType{12, DType::q4_k},   TensorType{13, DType::q5_k},   TensorType{14, DType::q6_k},
    TensorType{20, DType::iq4_nl}, TensorType{23, DType::iq4_xs}, TensorType{24, DType::i8},
    TensorType{25, DType::i16},    TensorType{26, DType::i32},    TensorType{27, DType::i64},
    TensorType{28, DType::f64},    TensorType{30, DType::bf16}};

} // namespace denoir::gguf

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "engine/backend/weight.h"
#include "engine/weights/container.h"

namespace denoir {

// Two kinds of quantised checkpoints are read: scaled fp8 (spec/checkpoints.md 6.2) and quanto in 8 bits. All others
// are refused by name. `file` is the name of the file in errors.

/// Whether this is the last part of a weight scale's name: "scale_weight", "weight_scale".
bool is_scale_leaf(std::string_view leaf);

/// Throws an Error with the name of the scheme if the tensor `name` (canonical or not) belongs to a quantisation that
/// is not read: nvfp4, bitsandbytes, GPTQ, ….
void refuse_unknown_quantisation(std::string_view name, const std::string& file);
/// Throws an Error for a weight `name` of few bits that the tensor `scale` seems to scale in an unknown way: without
/// its scale, the weight's numbers mean nothing.
[[noreturn]] void refuse_unknown_scale(std::string_view name, std::string_view scale, const std::string& file);
/// Whether `weight` holds the values of one of optimum-quanto's 8-bit kinds (qint8, qfloat8): W = value * scale, with a
/// scale for each row. Throws Error for its other kinds, and if `scale` (null: none) does not belong to such values.
bool is_quanto(const FileTensor& weight, const FileTensor* scale, const std::string& file);
/// Throws Error for a weight stored in 8-bit integers: int8, or u8 with a scale, which packs smaller values.
void refuse_whole_numbers(std::string_view name, DType, bool scaled, const std::string& file);
/// Checks ComfyUI's `<layer>.comfy_quant`, a JSON text in a U8 tensor: float8_e4m3fn and float8_e5m2 pass, other
/// formats are refused by name.
void check_comfy_quant(const Container& container, const FileTensor& tensor, std::string_view name,
                       const std::string& file);
/// Throws Error if `__metadata__["_quantization_metadata"]` names for any layer a format that check_comfy_quant
/// refuses.
void check_quantisation_metadata(const std::map<std::string, std::string>& metadata, const std::string& file);

/// Throws Error naming the first tensor of a file whose name, type or metadata tell of a quantisation that is not read.
void check_quantisation(const Container&, const std::string& file);

/// A scale as Weight::scale wants it: f32 [] or [out] or, if each row is scaled in blocks of columns, [out, blocks].
/// Throws Error naming `name` if the shape does not fit `weight`, or if a value is not finite.
Tensor read_scale(const Tensor& stored, const Shape& weight, std::string_view name, const std::string& file);

/// Whether the values are floating point numbers: stored as such, or integers with a scale.
bool holds_floats(const Weight&);

/// An f32 copy of a weight [out, …] with its scale ([], [out] or [out, blocks]; undefined: none) multiplied in.
Tensor dequantised(const Tensor& weight, const Tensor& scale);

} // namespace denoir

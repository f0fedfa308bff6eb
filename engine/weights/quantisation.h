// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "engine/backend/weight.h"
#include "engine/weights/container.h"

namespace denoir {

// Quantised checkpoints that are read: scaled fp8 (spec/checkpoints.md 6.2) and quanto in 8 bits. All others are
// refused by name. `file`: for errors.

/// True for the last part of a weight scale's name: "scale_weight", "weight_scale".
bool is_scale_leaf(std::string_view leaf);

/// Throws an Error with the name of the scheme where `name` (canonical or not) belongs to a quantisation that is not
/// read: nvfp4, bitsandbytes, GPTQ, ….
void refuse_unknown_quantisation(std::string_view name, const std::string& file);
/// Throws an Error for a weight `name` in few bits that seems to be scaled by the tensor `scale` in a way that is not
/// known: without it the weight's numbers mean nothing.
[[noreturn]] void refuse_unknown_scale(std::string_view name, std::string_view scale, const std::string& file);
/// Whether `weight` holds the values of one of optimum-quanto's 8-bit kinds (qint8, qfloat8): W = value * scale, with a
/// scale for each row. Throws Error for its other kinds and where `scale` (null: none) does not belong to such values.
bool is_quanto(const FileTensor& weight, const FileTensor* scale, const std::string& file);
/// Throws Error for a weight stored as 8-bit integers: int8, or u8 where it is `scaled`, which packs smaller values.
void refuse_whole_numbers(std::string_view name, DType, bool scaled, const std::string& file);
/// Checks ComfyUI's `<layer>.comfy_quant`, a JSON text in a U8 tensor: float8_e4m3fn and float8_e5m2 pass, other
/// formats are refused by name.
void check_comfy_quant(const Container& container, const FileTensor& tensor, std::string_view name,
                       const std::string& file);
/// Throws Error where `__metadata__["_quantization_metadata"]` names, for any layer, a format that check_comfy_quant
/// refuses.
void check_quantisation_metadata(const std::map<std::string, std::string>& metadata, const std::string& file);

/// Throws Error naming the first tensor of a file whose quantisation is not read, as its name, its type or the metadata
/// tell.
void check_quantisation(const Container&, const std::string& file);

/// A scale as Weight::scale wants it, f32 [] or [out]; where rows are scaled in blocks of columns, [out, blocks].
/// Throws Error naming `name` where the shape does not fit `weight` or a value is not finite.
Tensor read_scale(const Tensor& stored, const Shape& weight, std::string_view name, const std::string& file);

/// True where the values are floating point numbers: stored as such, or integers with a scale.
bool holds_floats(const Weight&);

/// f32 copy of a scaled weight [out, …] with its scale ([], [out] or [out, blocks]) multiplied in.
Tensor dequantised(const Tensor& weight, const Tensor& scale);

} // namespace denoir

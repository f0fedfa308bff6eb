// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/dtype.h"
#include "engine/core/named.h"
#include "engine/core/progress.h"

namespace denoir {

/// What convert() writes.
struct ConvertOptions {
    enum class Layout { original, diffusers, comfy };
    /// f32, bf16 or f16 of the floating point tensors; empty: each as stored (quantised ones become f32).
    std::optional<DType> dtype;
    /// comfy: the original names of transformer and VAE, transformers' names of the encoders.
    Layout layout = Layout::original;
    /// f8_e4m3: linears of the blocks with a scale each (ComfyUI's scaled fp8); q8_0: the same linears as 8-bit blocks,
    /// in a GGUF file; the rest keeps `dtype`.
    std::optional<DType> quantize;
    ProgressCall progress; ///< bytes written; may be empty
    std::stop_token stop;
};

/// As command lines name them.
inline constexpr std::array<Named<ConvertOptions::Layout>, 3> convert_layouts{
    {{"original", ConvertOptions::Layout::original},
     {"diffusers", ConvertOptions::Layout::diffusers},
     {"comfy", ConvertOptions::Layout::comfy}}};
inline constexpr std::array<Named<DType>, 3> convert_dtypes{
    {{"f32", DType::f32}, {"bf16", DType::bf16}, {"f16", DType::f16}}};
inline constexpr std::array<Named<DType>, 2> quantisations{{{"q8_0", DType::q8_0}, {"fp8_scaled", DType::f8_e4m3}}};

struct ConvertResult {
    std::uint64_t tensors = 0, bytes = 0; ///< of the written file
    /// What may surprise: linears that do not fit blocks, an input that is one shard of many, a tokenizer left out.
    std::vector<std::string> warnings;
};

/// Reads one network in any layout and format and writes it as one safetensors file, or with q8_0 as one GGUF file; the
/// name of `out` must end accordingly. Needs the memory of one tensor. A LoRA or an unknown network keeps its names and
/// its metadata, to which peft's adapter_config.json is added. The tokenizer that a text encoder carries as a tensor is
/// copied into a safetensors file. `out` must not be an input file, however it is spelled: those stay mapped
/// throughout. Throws Error, Cancelled.
ConvertResult convert(const std::filesystem::path& in, const std::filesystem::path& out, const ConvertOptions& options);

} // namespace denoir

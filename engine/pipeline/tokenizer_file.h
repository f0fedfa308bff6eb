// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

#include "engine/models/umt5/tokenizer.h"

namespace denoir {

struct ModelFolder;

/// What helps where there is none: where to get one.
constexpr const char* tokenizer_hint =
    "put a Wan repository's tokenizer.json, or ComfyUI's umt5_xxl_*.safetensors, which carries it, beside the "
    "transformer, or name it";

/// ModelFolder::tokenizer, wherever it lies: a tokenizer file, a folder, a safetensors file that carries a spiece.model
/// as the tensor `spiece_model` (Comfy's text encoders), or a GGUF file with a vocabulary in its metadata. Throws Error
/// naming the file.
umt5::Tokenizer load_tokenizer(const std::filesystem::path& path);

/// The regular files that ModelFolder::tokenizer stands for: what is in them decides the ids.
std::vector<std::filesystem::path> tokenizer_files(const std::filesystem::path& path);

} // namespace denoir

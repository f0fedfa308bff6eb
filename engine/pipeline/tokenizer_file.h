// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

#include "engine/models/umt5/tokenizer.h"

namespace denoir {

struct ModelFolder;

/// The hint of errors about a missing tokenizer: where to get one.
constexpr const char* tokenizer_hint =
    "put a Wan repository's tokenizer.json, or ComfyUI's umt5_xxl_*.safetensors, which carries it, beside the "
    "transformer, or name it";

/// Loads ModelFolder::tokenizer, which may be a tokenizer file, a folder with one, a safetensors file with a
/// spiece.model as its tensor `spiece_model` (Comfy's text encoders), or a GGUF file with the vocabulary in its
/// metadata. Throws Error naming the file.
umt5::Tokenizer load_tokenizer(const std::filesystem::path& path);

/// The regular files that load_tokenizer() reads for this path.
std::vector<std::filesystem::path> tokenizer_files(const std::filesystem::path& path);

} // namespace denoir

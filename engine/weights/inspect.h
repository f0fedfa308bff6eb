// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/core/json.h"

namespace denoir {

/// What a checkpoint file or model folder is, told from headers alone: no weights are read. Any well-formed container
/// is described; an unrecognised one has the family and variant "unknown".
struct Inspection {
    struct Entry {
        std::string name, dtype; ///< as in the file
        std::vector<std::int64_t> shape;
        std::uint64_t bytes = 0;
    };
    struct Part {
        std::string role; ///< "transformer", "transformer (low noise)", "VAE", "text encoder", "CLIP", "tokenizer",
                          ///< "LoRA", "unknown"
        std::vector<std::filesystem::path> files;
        std::uint64_t bytes = 0; ///< of the files
        std::string format;      ///< "safetensors", "pth", "gguf", "tokenizer"
        std::string layout;      ///< "original", "diffusers", "open_clip", "llama.cpp"
    };
    std::string family = "unknown"; ///< "wan", "skyreels", "skyreels-df", "wan2.2"
    /// "t2v", "i2v", "flf2v", "df", "ti2v", "vace", "vae", "text-encoder", "clip", "lora", "unknown".
    std::string variant = "unknown";
    Json config = Json::object();                ///< dimensions from the shapes, heads and text length from config.json
    std::map<std::string, std::uint64_t> dtypes; ///< bytes per type, named as on the command line
    std::vector<Entry> tensors;
    std::vector<Part> parts;
    std::vector<std::string> missing, warnings;
    std::uint64_t parameters = 0, bytes = 0; ///< of all tensors; scales and tokenizers count only as bytes

    /// The type that holds the most bytes, "" without tensors.
    std::string dtype() const;
};

/// Throws Error unless `path` is a well-formed container or a folder with at least one.
Inspection inspect(const std::filesystem::path& path);

/// The document of `inspect --json` (contract): `tensors` is the count; with `list` a `tensor_list` of name, dtype and
/// shape is added.
Json to_json(const Inspection&, bool list = false);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/weights/family.h"
#include "engine/weights/model_parts.h"

namespace denoir {

/// Where the parts of a model lie: an original or diffusers repository folder, or single files. Only names and headers
/// were read.
struct ModelFolder {
    std::filesystem::path root;
    std::vector<std::filesystem::path> transformer;     ///< files of the (high-noise) transformer
    std::vector<std::filesystem::path> transformer_low; ///< Wan 2.2 A14B's second expert, else empty
    std::vector<std::filesystem::path> vae, text_encoder, clip;
    std::filesystem::path tokenizer; ///< file or folder for umt5::Tokenizer::load, or a text encoder's file that
                                     ///< carries one (tensor `spiece_model`, GGUF metadata); empty: none
    Json config = Json::object();    ///< the transformer's config.json
    Json model_index = Json::object();
    std::filesystem::path model_index_file; ///< in which that stands; empty: there is none
    std::string relative; ///< the unsupported relative of Wan that it is (TransformerTraits::outside, relative_by_name)
    std::string unread;   ///< without a transformer: how a file that may be one is quantised, in words; else empty
    std::string deeper;   ///< without a transformer: the names of those in subfolders, for a message; else empty
    std::optional<Family> family;     ///< detect_family(); nothing: it cannot be told
    std::vector<std::string> missing; ///< "transformer", "high-noise transformer", "low-noise transformer", "VAE",
                                      ///< "text encoder", "tokenizer", "CLIP image encoder" (where the transformer has
                                      ///< its branch)
    std::vector<std::string> warnings;

    /// Finds the parts of a model. `path`: an original Wan / SkyReels repository, one with a folder for each expert, a
    /// diffusers repository, any of them as the Hugging Face cache keeps it, a folder laid out as ComfyUI's
    /// (diffusion_models, vae, text_encoders, clip_vision, with folders in them), or the file of a transformer with its
    /// companions beside it or in such folders. `named`: parts that are taken from elsewhere. Throws Error where no
    /// model is there, or several and none is meant, for a damaged file, and where a named part is of another kind or
    /// of another model; Cancelled once `stop` is set: hundreds of headers may lie beside a model, on a slow disk.
    static ModelFolder open(const std::filesystem::path& path, const ModelParts& named = {},
                            const std::stop_token& stop = {});
};

} // namespace denoir

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

/// Where the parts of a model lie: in the folder of an original or diffusers repository, or in single files. Only names
/// and headers have been read.
struct ModelFolder {
    std::filesystem::path root;
    std::vector<std::filesystem::path> transformer;     ///< files of the (high-noise) transformer
    std::vector<std::filesystem::path> transformer_low; ///< Wan 2.2 A14B's second expert; otherwise empty
    std::vector<std::filesystem::path> vae, text_encoder, clip;
    std::filesystem::path tokenizer; ///< file or folder for umt5::Tokenizer::load, or a text encoder's file that
                                     ///< carries one (tensor `spiece_model`, GGUF metadata); empty: none
    Json config = Json::object();    ///< the transformer's config.json
    Json model_index = Json::object();
    std::filesystem::path model_index_file; ///< the file of model_index; empty if there is none
    std::string relative; ///< the unsupported relative of Wan that it is (TransformerTraits::outside, relative_by_name)
    std::string unread;   ///< if there is no transformer: how a file that may be one is quantised, in words
    std::string deeper;   ///< if there is no transformer: the names of those in subfolders, for a message
    std::optional<Family> family;     ///< detect_family(); unset if the files do not tell
    std::vector<std::string> missing; ///< "transformer", "high-noise transformer", "low-noise transformer", "VAE",
                                      ///< "text encoder", "tokenizer", "CLIP image encoder" (if the transformer has
                                      ///< an image branch)
    std::vector<std::string> warnings;

    /// Finds the parts of a model. `path` is an original Wan or SkyReels repository, one with a folder for each expert,
    /// a diffusers repository, any of them as the Hugging Face cache keeps it, a folder laid out like ComfyUI's
    /// (diffusion_models, vae, text_encoders, clip_vision, with folders in them), or the file of a transformer whose
    /// companions lie beside it or in such folders. `named` are parts that lie elsewhere. Throws Error if there is no
    /// model, or several of which none is meant, for a damaged file, and if a named part is of another kind or of
    /// another model. Throws Cancelled once `stop` is set, as hundreds of headers may lie beside a model on a slow
    /// disk.
    static ModelFolder open(const std::filesystem::path& path, const ModelParts& named = {},
                            const std::stop_token& stop = {});
};

} // namespace denoir

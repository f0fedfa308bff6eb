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
    std::string relative; ///< of Wan, and not supported: TransformerTraits::outside, or by its name; else empty
    std::string unread;   ///< where there is no transformer: what a file that may be it is quantised with; else empty
    std::string deeper;   ///< where there is no transformer: those in the folders there, for a message; else empty
    std::optional<Family> family;     ///< from config.json / model_index.json, else hints in names; empty: open
    std::vector<std::string> missing; ///< "transformer", "high-noise transformer", "low-noise transformer", "VAE",
                                      ///< "text encoder", "tokenizer", "CLIP image encoder" (where the transformer has
                                      ///< its branch)
    std::vector<std::string> warnings;

    /// `path`: an original Wan / SkyReels repository, one with a folder for each expert, a diffusers repository, any of
    /// them as the Hugging Face cache keeps it, a folder in ComfyUI's order (diffusion_models, vae, text_encoders,
    /// clip_vision, with folders in them), or the file of a transformer with its companions beside it or in such
    /// folders. `named`: parts that are taken from elsewhere. Throws Error where nothing there is a model, several are
    /// and none is meant, for a damaged file, and where a named part is not what it is named for or fits no such model;
    /// Cancelled once `stop` is set: beside a model hundreds of headers may lie, on a slow disk.
    static ModelFolder open(const std::filesystem::path& path, const ModelParts& named = {},
                            const std::stop_token& stop = {});
};

} // namespace denoir

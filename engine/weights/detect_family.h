// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/weights/family.h"
#include "engine/weights/traits.h"

namespace denoir {

/// Everything that may tell the family of a transformer.
struct FamilyEvidence {
    Json config = Json::object(), model_index = Json::object();
    std::string config_file = "config.json", index_file = "model_index.json"; ///< their names in errors
    TransformerTraits traits;
    bool two_experts = false;
    bool all_in_one = false;        ///< its file holds a VAE and a text encoder, too (is_all_in_one)
    bool second_vae = false;        ///< its latents are those of Wan 2.2's VAE, which lies beside it
    std::vector<std::string> names; ///< of the file, then of its folders, nearest first
};

/// The family, by the first of these that tells it (contract, `family`): `family` in config.json or model_index.json;
/// tensors that only one family has; `inject_sample_info` and `model_type`; the rest of model_index.json; diffusers'
/// class of the transformer; hints in names. A first-last-frame model is Wan's unless one of the last three says
/// SkyReels. A single Wan 2.2 A14B transformer from an all-in-one file, or named after one ("rapid-aio"), is a merge of
/// the two experts and computed as Wan 2.1. Empty if nothing tells it: the family is never guessed. Throws Error (field
/// `family`) if one of the JSON files names an unknown one.
std::optional<Family> detect_family(const FamilyEvidence&);

/// The family of a transformer that is certainly not one of A14B's experts, although a second transformer is given with
/// it: its tensors, its model_index.json or a version in a name are another model's. Empty if it may be an expert.
std::optional<Family> family_of_one(const FamilyEvidence&);

/// Whether it is TI2V-5B, the one of Wan 2.2's models that has a single transformer.
bool is_ti2v(const FamilyEvidence&);

/// "SkyReels-A2" or another of SkyReels' models that are not V2, by the nearest of FamilyEvidence::names that mentions
/// SkyReels or Wan; empty otherwise. Their tensors may look like those of V2, so that only names tell.
std::string relative_by_name(const std::vector<std::string>& names);

/// FamilyEvidence::names of a file or folder: its own name and those of up to five folders above it. If links are
/// involved, each name is followed by the real one on that level.
std::vector<std::string> hint_names(const std::filesystem::path& path);

} // namespace denoir

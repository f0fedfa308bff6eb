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
    std::string config_file = "config.json", index_file = "model_index.json"; ///< what they are called in errors
    TransformerTraits traits;
    bool two_experts = false;
    bool all_in_one = false;        ///< its file holds a VAE and a text encoder, too (is_all_in_one)
    bool second_vae = false;        ///< its latents are those of Wan 2.2's VAE, which is beside it
    std::vector<std::string> names; ///< file name, then its folders, nearest first
};

/// In this order (contract, `family`): config.json's `family`; what only one family's tensors have;
/// `inject_sample_info`, `model_type`; model_index.json; hints in names. A first-last-frame model is Wan's unless one
/// of the last two says SkyReels. What is Wan 2.2 A14B's, but one transformer in an all-in-one file or called after one
/// ("rapid-aio"), is a merge of the two experts and computed as Wan 2.1's. Empty where it stays open: never guessed.
/// Throws Error (field `family`) where config.json names an unknown one.
std::optional<Family> detect_family(const FamilyEvidence&);

/// Of Wan 2.2's models the one with a single transformer; the A14B has two.
bool is_ti2v(const FamilyEvidence&);

/// "SkyReels-A2" or another of SkyReels' models that are not V2, where the nearest of FamilyEvidence's names that
/// speaks of SkyReels or Wan speaks of it: their tensors may be those of V2. Else empty.
std::string relative_by_name(const std::vector<std::string>& names);

/// The names of FamilyEvidence for a file or folder: its own name and those of up to five folders above it, each before
/// the one of that level that links lead to.
std::vector<std::string> hint_names(const std::filesystem::path& path);

} // namespace denoir

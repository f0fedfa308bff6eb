// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/traits.h"

namespace denoir {

/// Everything that may tell the family of a transformer.
struct FamilyEvidence {
    Json config = Json::object(), model_index = Json::object();
    TransformerTraits traits;
    bool two_experts = false;
    bool second_vae = false;        ///< its latents are those of Wan 2.2's VAE, which is beside it
    std::vector<std::string> names; ///< file name, then its folders, nearest first
};

/// In this order (contract, `family`): config.json's `family`; what only one family's tensors have;
/// `inject_sample_info`, `model_type`; model_index.json; hints in names. Empty where it stays open: never guessed.
/// Throws Error (field `family`) where config.json names an unknown one.
std::optional<Family> detect_family(const FamilyEvidence&);

/// The names of FamilyEvidence for a file or folder: its own name and those of up to five folders above it.
std::vector<std::string> hint_names(const std::filesystem::path& path);

/// "low_noise" / "high_noise" in any of the usual spellings: which Wan 2.2 expert a name speaks of.
Expert expert_of(std::string_view name);

/// The same of a transformer's file, which often has the one word alone: "…-A14B_HIGH_fp8…", "…-LN", "…i2vLow". Such a
/// word says something only where there is a file of the other expert, too.
Expert file_expert_of(std::string_view file_name);
/// What the files of two experts have in common: letters and digits in lower case, without those words.
std::string without_expert(std::string_view file_name);

} // namespace denoir

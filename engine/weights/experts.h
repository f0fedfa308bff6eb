// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace denoir {

/// Wan 2.2 A14B's two transformers; none: the only one of another model.
enum class Expert { none, high, low };

// Only names are read here, never a file's content. There are three signs, each weaker than the one before:
//   "low_noise"  is certain by itself                                    expert_of, said_expert_of
//   "LOW", "LN"  may mean anything unless there is a file for "high"     file_expert_of, placed_expert_of
//   "…FP8L.gguf" means something only beside "…FP8H.gguf"                letter_expert_of

/// Which Wan 2.2 expert a name mentions as "low_noise" or "high_noise", in any of the usual spellings; none where it
/// mentions both.
Expert expert_of(std::string_view name);

/// Which expert a transformer's file or folder is named after, if only by a word: "…-A14B_HIGH_fp8…", "…-LN",
/// "…i2vLow". Such a word counts only if there is a file for the other expert, too.
Expert file_expert_of(std::string_view file_name);
/// Whether a folder's name is such a word and nothing else ("high", "LN"): two such folders may as well hold one model
/// in two qualities.
bool is_bare_word(std::string_view folder_name);
/// Which expert a file holds by its own name (file_expert_of), else by its folder's ("low_noise_model", "wan_i2v_low").
Expert placed_expert_of(const std::filesystem::path& file);
/// Which expert a file holds by its own name, else by its folder's, if it mentions noise (expert_of).
Expert said_expert_of(const std::filesystem::path& file);
/// What the names of two experts' files have in common: letters and digits in lower case, without those words.
std::string without_expert(std::string_view file_name);

/// Whether two files may be the experts of one model: both mention noise by their names or folders, or their names
/// differ only in the words for the expert.
bool are_experts(const std::filesystem::path& one, const std::filesystem::path& other);

/// Whether two files are the experts of one model in the same quality: their names, and those of their folders, differ
/// only in the words for the expert.
bool are_twins(const std::filesystem::path& one, const std::filesystem::path& other);

/// Which expert `file` holds if its name differs from `other`'s only in the capital before the extension, H for high
/// and L for low: "…FP8H.safetensors" and "…FP8L.safetensors".
Expert letter_expert_of(const std::filesystem::path& file, const std::filesystem::path& other);

/// The two folders in `root` (high noise, low noise) whose names differ only in the words for the expert, such as
/// HighNoise/ and LowNoise/ or …-A14B-high/ and …-A14B-low/. Empty if there are none, or if several may be meant.
std::optional<std::pair<std::filesystem::path, std::filesystem::path>>
expert_folders(const std::filesystem::path& root);

} // namespace denoir

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

// Names alone are read here, never a file's content.

/// "low_noise" / "high_noise" in any of the usual spellings: which Wan 2.2 expert a name speaks of; none where it
/// speaks of both.
Expert expert_of(std::string_view name);

/// Which expert a transformer's file or folder is named after. It often has the one word alone: "…-A14B_HIGH_fp8…",
/// "…-LN", "…i2vLow". Such a word says something only where there is one of the other expert, too.
Expert file_expert_of(std::string_view file_name);
/// The name of a folder is such a word and nothing else ("high", "LN"): two of them may as well hold one model in two
/// qualities.
bool is_bare_word(std::string_view folder_name);
/// Which expert a file holds by its own name (file_expert_of), else by its folder's ("low_noise_model", "wan_i2v_low").
Expert placed_expert_of(const std::filesystem::path& file);
/// Which expert a file holds where its name or folder speaks of noise (expert_of): no other file is needed to be sure.
Expert said_expert_of(const std::filesystem::path& file);
/// What the files of two experts have in common: letters and digits in lower case, without those words.
std::string without_expert(std::string_view file_name);

/// Two files that may be the experts of one model: their names or folders speak of noise ("low_noise"), or the names
/// differ in "high" and "low" alone. A word like "high" by itself may mean anything.
bool are_experts(const std::filesystem::path& one, const std::filesystem::path& other);

/// The same model's two experts in the same numbers: names and folders differ in the words for the expert alone.
bool are_twins(const std::filesystem::path& one, const std::filesystem::path& other);

/// Which expert `file` holds where its name and `other`'s differ in the capital before the ending alone, H for high and
/// L for low: "…FP8H.safetensors" and "…FP8L.safetensors". Without the other such a letter says nothing.
Expert letter_expert_of(const std::filesystem::path& file, const std::filesystem::path& other);

/// The two folders of `root` (high noise, low noise) whose names differ in the words for the expert alone, as
/// HighNoise/ and LowNoise/ or …-A14B-high/ and …-A14B-low/; nothing where there are none or several could be meant.
std::optional<std::pair<std::filesystem::path, std::filesystem::path>>
expert_folders(const std::filesystem::path& root);

} // namespace denoir

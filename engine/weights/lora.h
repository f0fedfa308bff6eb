// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/named.h"
#include "engine/weights/experts.h"

namespace denoir {

class Weights;

/// A file of low-rank changes to a transformer (spec/checkpoints.md 9), in any of the usual spellings.
struct Lora {
    std::filesystem::path file;
    double strength = 1; ///< 0 leaves it without effect
    /// Which of Wan 2.2's two experts it changes; Expert::none: both. Unset: the one that the file's name mentions, or
    /// both if it mentions none.
    std::optional<Expert> expert = std::nullopt;
    friend bool operator==(const Lora&, const Lora&) = default;
};

/// How requests name the expert that a LoRA changes.
inline constexpr std::array<Named<Expert>, 3> lora_experts{
    {{"high", Expert::high}, {"low", Expert::low}, {"both", Expert::none}}};

/// The expert that the file's name mentions, or otherwise the folder's: "high_noise/pytorch_lora_weights.safetensors".
Expert named_expert(const std::filesystem::path& lora);

/// Whether a LoRA changes this expert; Expert::none stands for a model with one transformer. A file that is named after
/// one of Wan 2.2's experts ("…_high_noise", "…i2vLow", "…-H-e8") changes only that one, unless Lora::expert says
/// otherwise.
bool is_for(const Lora&, Expert);

/// Sets Lora::expert, if it is unset, of two LoRAs whose names differ only in a letter for the expert ("style_h" and
/// "style_l"), or whose folders differ in the word for it ("high/model" and "low/model").
void tell_pairs_apart(std::vector<Lora>&);

/// Checks a file against these weights, by headers alone, and returns warnings. Throws Error naming the file if it is
/// damaged, not a LoRA, of an unknown kind, or made for another model or a model of another size.
std::vector<std::string> check_lora(const Weights& transformer, const Lora&, Expert);

/// The metadata key under which diffusers stores what peft writes into adapter_config.json.
inline constexpr const char* peft_config_key = "lora_adapter_metadata";

/// The adapter_config.json beside peft's adapter_model.safetensors, which holds the alpha; empty if there is none.
std::filesystem::path peft_config_of(const std::filesystem::path& lora);

/// Attaches the LoRA's changes to the weights. They are added whenever the weights are read; the files do not change.
/// Returns warnings. Throws as check_lora() does, and for numbers that are not finite.
std::vector<std::string> add_lora(Weights& transformer, const Lora&, Expert);

} // namespace denoir

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
    double strength = 1; ///< 0 is as if it were not there
    /// Which of Wan 2.2's two experts it changes; Expert::none: both. Not set: the one that its name mentions, else
    /// both.
    std::optional<Expert> expert = std::nullopt;
    friend bool operator==(const Lora&, const Lora&) = default;
};

/// How requests name the expert that a LoRA changes.
inline constexpr std::array<Named<Expert>, 3> lora_experts{
    {{"high", Expert::high}, {"low", Expert::low}, {"both", Expert::none}}};

/// The expert that the file's name mentions, or else its folder's: "high_noise/pytorch_lora_weights.safetensors".
Expert named_expert(const std::filesystem::path& lora);

/// Whether it changes this expert: a file that is named after one of Wan 2.2's two ("…_high_noise", "…i2vLow",
/// "…-H-e8") is for that one alone, unless Lora::expert says otherwise. Expert::none: a model of one transformer.
bool is_for(const Lora&, Expert);

/// Sets Lora::expert, where nobody did, of two that are given together and whose names differ only in a letter for the
/// expert ("style_h" and "style_l"), or whose folders differ in the word for it ("high/model" and "low/model").
void tell_pairs_apart(std::vector<Lora>&);

/// Checks a file against these weights, from headers alone, and returns warnings. Throws Error naming the file where it
/// is damaged, no LoRA, of a kind that is not known here, for another model or for a model of another size.
std::vector<std::string> check_lora(const Weights& transformer, const Lora&, Expert);

/// The metadata key under which diffusers stores what peft writes into adapter_config.json.
inline constexpr const char* peft_config_key = "lora_adapter_metadata";

/// peft's adapter_config.json, which holds the alpha, beside its adapter_model.safetensors; empty where there is none.
std::filesystem::path peft_config_of(const std::filesystem::path& lora);

/// Attaches the LoRA's changes to the weights, to which they are added whenever these are read; the files stay as they
/// are. Returns warnings. Throws as check_lora() does, and for numbers that are not finite.
std::vector<std::string> add_lora(Weights& transformer, const Lora&, Expert);

} // namespace denoir

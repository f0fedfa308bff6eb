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
    /// Which of Wan 2.2's two it changes, none: both; nothing: the one that its name speaks of, else both.
    std::optional<Expert> expert = std::nullopt;
    friend bool operator==(const Lora&, const Lora&) = default;
};

/// As requests name whom it changes.
inline constexpr std::array<Named<Expert>, 3> lora_experts{
    {{"high", Expert::high}, {"low", Expert::low}, {"both", Expert::none}}};

/// The one that the file's name speaks of, or else its folder's: "high_noise/pytorch_lora_weights.safetensors".
Expert named_expert(const std::filesystem::path& lora);

/// Whether it changes this expert: a file that is named after one of Wan 2.2's two ("…_high_noise", "…i2vLow",
/// "…-H-e8") is for that one alone, unless Lora::expert says otherwise. Expert::none: a model of one transformer.
bool is_for(const Lora&, Expert);

/// Two that are given together and whose names differ in a letter for the expert alone ("style_h" and "style_l"), or
/// whose folders do ("high/model" and "low/model"), are one for each: Lora::expert then says so where nobody did.
void tell_pairs_apart(std::vector<Lora>&);

/// What the file says of these weights, from headers alone: warnings. Throws Error naming the file where it is damaged,
/// no LoRA, of a kind that is not known here, for another model or for a model of another size.
std::vector<std::string> check_lora(const Weights& transformer, const Lora&, Expert);

/// Under this key of its metadata a file of diffusers keeps what peft writes beside its own.
inline constexpr const char* peft_config_key = "lora_adapter_metadata";

/// peft's adapter_config.json beside its adapter_model.safetensors, whose alpha counts; empty where there is none.
std::filesystem::path peft_config_of(const std::filesystem::path& lora);

/// Hangs its changes on the weights, which are added whenever these are read; the files stay as they are. Returns
/// warnings, throws as check_lora() does, and for numbers that are not finite.
std::vector<std::string> add_lora(Weights& transformer, const Lora&, Expert);

} // namespace denoir

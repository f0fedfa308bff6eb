// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to lora.cpp: how LoRA files name what they hold (spec/checkpoints.md 9.1, 9.2).
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/weights/experts.h"
#include "engine/weights/weights.h"

namespace denoir::lora {

/// What a tensor is to its module.
enum class Kind { down, up, alpha, difference, bias, bias_of_up, modulation, replacement };
constexpr std::size_t kinds = 8;

struct Ending {
    std::string_view text;
    Kind kind;
};
/// The ending of a tensor's name that says what it is; nothing if it has none.
std::optional<Ending> ending_of(std::string_view name);

/// The method, such as "DoRA", that a tensor's name belongs to; empty for those of a plain LoRA.
std::string_view relative_of(std::string_view name);

/// The module that a tensor changes.
struct Target {
    std::string module;           ///< as the file has it, without prefixes
    Expert expert = Expert::none; ///< that the prefixes mention
};
/// `text`: a tensor's name without its ending and its wrappers (without_wrappers).
Target target_of(std::string_view text);

/// `name` with `_` for each dot, as kohya writes it.
std::string flattened(std::string_view name);

/// From what a file may call the modules of the model (their original and diffusers' names, flattened) to their
/// canonical names. Built from the model's own tensors, since a flattened name cannot be taken apart
/// (spec/checkpoints.md 9.2).
std::map<std::string, std::string, std::less<>> module_names(const Weights& weights);

} // namespace denoir::lora

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
enum class Kind { down, up, alpha, difference, bias, bias_of_up, modulation };
constexpr std::size_t kinds = 7;

struct Ending {
    std::string_view text;
    Kind kind;
};
/// The end of a tensor's name that says what it is; nothing where none does.
std::optional<Ending> ending_of(std::string_view name);

/// The method of a tensor that belongs to no plain LoRA, such as "DoRA"; empty where its name speaks of none.
std::string_view relative_of(std::string_view name);

/// The module that a tensor is for, whatever stands in front of its name.
struct Named {
    std::string module;
    Expert expert = Expert::none; ///< as the prefixes say
};
/// `text`: a tensor's name without its ending and its wrappers (without_wrappers).
Named named(std::string_view text);

std::string flat(std::string_view name); ///< with `_` for each dot, as kohya writes them

/// What the file may call the modules of the model, original or diffusers' names, flat -> their canonical names. Built
/// from the model's own tensors: flat names cannot be taken apart (spec/checkpoints.md 9.2).
std::map<std::string, std::string, std::less<>> module_names(const Weights& weights);

} // namespace denoir::lora

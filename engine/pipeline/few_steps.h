// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "engine/pipeline/request.h"
#include "engine/weights/model_folder.h"

namespace denoir {

/// The steps that a model or LoRA of this name is made for (spec/checkpoints.md 9.4): 8 of "…_8steps_lora", 4 where
/// another word of distillation stands there alone, as "lightx2v"; 0 where none does.
int few_steps_of(std::string_view name);

/// What to warn of where the model's files or its LoRAs are made for few steps, by their names, and the run takes many,
/// or guidance that `asked` does not ask for; else empty. `resolved`: the same request (Pipeline::resolve).
std::string few_steps_warning(const Request& asked, const Request& resolved, const ModelFolder&);

} // namespace denoir

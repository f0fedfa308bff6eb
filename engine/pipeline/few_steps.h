// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "engine/pipeline/request.h"
#include "engine/weights/model_folder.h"

namespace denoir {

/// The number of steps that a distilled model or LoRA is made for, judging by its name (spec/checkpoints.md 9.4): 8 for
/// "…_8steps_lora"; the usual number for the name of a distillation method such as "lightx2v"; 0 if it is no such name.
int few_steps_of(std::string_view name);

/// A warning if the names of the model's files or LoRAs say that they are made for few steps, but the run takes many
/// steps, or guidance that `asked` did not ask for; else empty. `resolved`: `asked` after Pipeline::resolve.
std::string few_steps_warning(const Request& asked, const Request& resolved, const ModelFolder&);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/backend/cuda/module.h"

namespace denoir::cuda {

/// `inner` for the other side of the border: every exception becomes an Outcome. `libraries`: for ModuleBackend.
std::unique_ptr<ModuleBackend> guarded(std::shared_ptr<Backend> inner, std::string libraries);

/// Does `work` and tells how it ended.
Outcome outcome_of(const std::function<void()>& work) noexcept;

} // namespace denoir::cuda

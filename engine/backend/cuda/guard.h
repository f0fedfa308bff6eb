// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/backend/cuda/module.h"

namespace denoir::cuda {

/// The backend behind the border: every exception becomes an Outcome.
std::unique_ptr<ModuleBackend> guarded(std::shared_ptr<Backend> inner, std::string libraries);

/// `work`, and how it ended.
Outcome outcome_of(const std::function<void()>& work) noexcept;

} // namespace denoir::cuda

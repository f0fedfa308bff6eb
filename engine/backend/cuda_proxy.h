// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/backend/backend.h"

namespace denoir {

/// A backend whose kernels lie in the CUDA module. Throws Error that says in one line why there is none: no module in
/// this build or beside the program, no driver, no card.
std::shared_ptr<Backend> open_cuda(const Device&, int threads);

/// Whether there is such a module, here or where the environment names one.
bool has_cuda_module();

} // namespace denoir

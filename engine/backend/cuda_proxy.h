// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "engine/backend/backend.h"

namespace denoir {

/// A backend whose kernels are in the CUDA module. Throws Error if there is no module in this build or beside the
/// program, no driver, or no card.
std::shared_ptr<Backend> open_cuda(const Device&, int threads);

/// Whether there is such a module, beside the program or as named by the environment.
bool has_cuda_module();

} // namespace denoir

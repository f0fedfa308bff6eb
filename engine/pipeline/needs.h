// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/backend.h"
#include "engine/pipeline/request.h"
#include "engine/weights/weights.h"

namespace denoir {

/// What a stage asks of a device's memory: matrices as kernels of `compute` hold them, and what lives beside them.
MemoryNeeds transformer_needs(const Weights&, const Request&);
/// UMT5 on a prompt of `rows` tokens; its vocabulary stays on the host.
MemoryNeeds text_needs(const Weights&, DType compute, std::int64_t rows);

} // namespace denoir

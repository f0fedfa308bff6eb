// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/backend/device.h"

namespace denoir {

/// Host memory in bytes that `threads` (0: one per core) need together, besides all tensors, for convolutions of so
/// many channels on `device`.
std::size_t conv_scratch_bytes(const Device&, std::int64_t channels, int threads);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/backend/device.h"

namespace denoir {

/// Host memory that `threads` (0: every core) take together, beside every tensor, while `device` convolves over so many
/// channels: pieces of a picture on their way through.
std::size_t conv_scratch_bytes(const Device&, std::int64_t channels, int threads);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace denoir {

/// A random seed below 2^32 - 2, SkyReels' range. Wan draws below 2^63, but shorter numbers are easier to retype.
std::uint64_t draw_seed();

} // namespace denoir

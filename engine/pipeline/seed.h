// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace denoir {

/// A seed for who did not give one. SkyReels draws below 2^32 - 2, Wan below 2^63; the smaller range is easier to type
/// again.
std::uint64_t draw_seed();

} // namespace denoir

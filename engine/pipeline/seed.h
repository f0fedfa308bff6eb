// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace denoir {

/// Six digits: SkyReels draws below 2^32 - 2 and Wan below 2^63, but people read these, retype them, and see them in
/// narrow fields. A seed that is asked for may be any of 64 bits.
inline constexpr std::uint64_t largest_drawn_seed = 999'999;

/// A random seed, 0 … largest_drawn_seed, for everything that needs one and is given none. Any thread.
std::uint64_t draw_seed();

} // namespace denoir

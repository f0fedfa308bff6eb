// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace denoir {

/// SkyReels' range (spec/pipelines.md §1.6). Wan draws up to 2^63 - 1, but shorter numbers are easier to retype; six
/// digits would come twice among a few thousand runs. A seed that is asked for may be any of 64 bits.
inline constexpr std::uint64_t largest_drawn_seed = 4294967293u;

/// A random seed, 0 … largest_drawn_seed, for everything that needs one and is given none. Any thread.
std::uint64_t draw_seed();

} // namespace denoir

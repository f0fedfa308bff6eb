// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

namespace denoir::test {

/// A factor of TF32, whose other bits are cut off. That is the worst rounding that a card may do.
inline float cut_to_tf32(float value) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1FFFu); }

} // namespace denoir::test

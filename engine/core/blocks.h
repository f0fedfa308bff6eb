// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "engine/core/dtype.h"

namespace denoir {

/// Converts `blocks` consecutive blocks of a block type to f32 (spec/checkpoints.md 5.4). Used by to_f32.
void dequantize_blocks(DType from, const std::uint8_t* in, float* out, std::int64_t blocks);

/// Converts f32 to q8_0. 32 values per block: the scale max|x| / 127 as an f16, then the nearest multiples of it (ties
/// away from zero). A block with a value that is not finite, or too large for the scale, becomes NaN as a whole.
void quantize_q8_0(const float* in, std::uint8_t* out, std::int64_t blocks);

} // namespace denoir

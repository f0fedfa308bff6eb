// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "engine/core/dtype.h"

namespace denoir {

/// `blocks` consecutive blocks of a block type widened to f32 (spec/checkpoints.md 5.4). Used by to_f32.
void dequantize_blocks(DType from, const std::uint8_t* in, float* out, std::int64_t blocks);

/// 32 values per block: scale max|x| / 127 as a half, then the nearest multiples (halves away from zero).
/// A block that holds a value which is not finite, or too large for the scale, becomes NaN as a whole.
void quantize_q8_0(const float* in, std::uint8_t* out, std::int64_t blocks);

} // namespace denoir

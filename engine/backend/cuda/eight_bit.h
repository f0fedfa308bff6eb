// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace denoir::cuda {

/// Linear layers computed from 8-bit values, for cards that are faster in these: e4m3 floats (compute capability 8.9
/// and later) or integers. Each row of x and of the weight has a scale.
enum class EightBit { off, fp8, int8 };

} // namespace denoir::cuda

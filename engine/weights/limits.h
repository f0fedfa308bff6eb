// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace denoir {

// What every container's reader takes of a stranger's file.

/// The largest checkpoints that anybody published have some ten thousand.
inline constexpr std::size_t max_tensors = 250'000;
inline constexpr std::size_t max_tensor_name = 4096; ///< bytes

} // namespace denoir

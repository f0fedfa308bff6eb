// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace denoir {

// What the readers of all formats accept from a file that may be hostile.

/// The largest checkpoints that anybody published have some ten thousand.
inline constexpr std::size_t max_tensors = 250'000;
/// Tensors of one network; none that we know has a fifth as many.
inline constexpr std::size_t max_network_tensors = 10'000;
inline constexpr std::size_t max_safetensors_header = 100'000'000; ///< bytes, as the format has it
inline constexpr std::size_t max_tensor_name = 4096;               ///< bytes

} // namespace denoir

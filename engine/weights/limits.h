// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace denoir {

// What every container's reader takes of a stranger's file.

/// The largest checkpoints that anybody published have some ten thousand.
inline constexpr std::size_t max_tensors = 250'000;
/// Of one network: none that we know has a fifth of this.
inline constexpr std::size_t max_network_tensors = 10'000;
inline constexpr std::size_t max_safetensors_header = 100'000'000; ///< bytes, as the format has it
inline constexpr std::size_t max_tensor_name = 4096;               ///< bytes

} // namespace denoir

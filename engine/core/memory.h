// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace denoir {

/// Bytes that this machine could give to a process now without swapping; 0 where the system does not tell.
std::size_t available_memory();

} // namespace denoir

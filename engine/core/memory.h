// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>

#include "engine/core/error.h"

namespace denoir {

/// Bytes that this machine, or the container the process is in, could give now without swapping; 0 where the system
/// does not tell. `root`: where proc and sys/fs/cgroup lie.
std::size_t available_memory(const std::filesystem::path& root = "/");

/// What other programs and the rest of a run should find when weights are kept that could be made again.
inline constexpr std::size_t host_reserve = std::size_t{2} << 30;

/// Whether the host may give so many of its `available` bytes (0: it does not tell).
constexpr bool host_has(std::size_t bytes, std::size_t available) {
    return available == 0 || (available > host_reserve && bytes <= available - host_reserve);
}

/// The resident set of this process at its largest so far.
std::size_t peak_memory_bytes();

/// What std::bad_alloc says to people.
Error not_enough_memory();
/// Whether there was too little of it, on the host or on a card: with less at once, or what is kept given back, it may
/// go.
bool is_of_memory(const Error&);

} // namespace denoir

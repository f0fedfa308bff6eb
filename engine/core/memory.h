// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>

#include "engine/core/error.h"

namespace denoir {

/// Bytes that this machine, or the container that the process is in, could give now without swapping; 0: unknown.
/// `root`: the folder that holds proc and sys/fs/cgroup.
std::size_t available_memory(const std::filesystem::path& root = "/");

/// Bytes to leave free for other programs and the rest of a run when weights are kept in memory that could be loaded
/// again.
inline constexpr std::size_t host_reserve = std::size_t{2} << 30;

/// Whether `bytes` of `available` can be used so that the reserve is left. True if `available` is unknown (0).
constexpr bool host_has(std::size_t bytes, std::size_t available) {
    return available == 0 || (available > host_reserve && bytes <= available - host_reserve);
}

/// The largest resident set of this process so far, in bytes.
std::size_t peak_memory_bytes();

/// The Error for a std::bad_alloc.
Error not_enough_memory();
/// Whether memory ran out, on the host or on a card: another try may succeed with less work at once or after caches are
/// released.
bool is_out_of_memory(const Error&);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>

namespace denoir {

/// Bytes that this machine, or the container the process is in, could give now without swapping; 0 where the system
/// does not tell. `root`: where proc and sys/fs/cgroup lie.
std::size_t available_memory(const std::filesystem::path& root = "/");

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace denoir {

/// Bytes that this user may still write below `folder`, which exists. Nothing where that is not known: some file
/// systems (a mounted archive or network share, /proc) say that they have no blocks at all, which does not mean that
/// they are full.
std::optional<std::uint64_t> free_space(const std::filesystem::path& folder);

/// Whether both are there and lie on one disk.
bool same_disk(const std::filesystem::path& a, const std::filesystem::path& b);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/core/error.h"

namespace denoir {

/// The Error for a disk that is full, or a quota or a limit on the size of files that is reached. `file` is the file
/// that could not be written.
class NoSpace : public Error {
public:
    using Error::Error;
    explicit NoSpace(const Error& why) : Error(why) {}
};

/// Bytes that this user may still write below `folder`, which must exist. Empty if that is not known: some file systems
/// (a mounted archive or network share, /proc) report that they have no blocks at all, which does not mean that they
/// are full.
std::optional<std::uint64_t> free_space(const std::filesystem::path& folder);

/// Whether both exist and lie on the same disk.
bool same_disk(const std::filesystem::path& a, const std::filesystem::path& b);

} // namespace denoir

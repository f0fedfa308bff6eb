// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/core/error.h"

namespace denoir {

/// There is no room for what is to be written: the disk is full, or a quota or a limit on the size of files is reached.
/// `file` lies there, or would.
class NoSpace : public Error {
public:
    using Error::Error;
    explicit NoSpace(const Error& why) : Error(why) {}
};

/// Bytes that this user may still write below `folder`, which exists. Nothing where that is not known: some file
/// systems (a mounted archive or network share, /proc) say that they have no blocks at all, which does not mean that
/// they are full.
std::optional<std::uint64_t> free_space(const std::filesystem::path& folder);

/// Whether both are there and lie on one disk.
bool same_disk(const std::filesystem::path& a, const std::filesystem::path& b);

} // namespace denoir

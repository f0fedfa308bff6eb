// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace denoir {

/// One stored file of a zip archive; [offset, offset + bytes) lies inside the archive.
struct ZipEntry {
    std::string name;
    std::uint64_t offset = 0, bytes = 0;
};

/// Reads the central directory of a zip archive as torch.save writes it (spec/checkpoints.md 4.1): stored entries only,
/// ZIP64 included. Refused: compression, encryption, several disks, repeated names, entries that leave the file or
/// overlap one another.
std::vector<ZipEntry> read_zip_directory(std::span<const std::byte> archive, const std::string& file);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace denoir::fuzz {

/// A file that lies in memory alone.
class MemoryFile {
public:
    MemoryFile(const std::uint8_t* data, std::size_t size) : file_(::memfd_create("case", MFD_CLOEXEC)) {
        if (file_ < 0 || ::write(file_, data, size) != static_cast<ssize_t>(size)) std::abort();
    }
    ~MemoryFile() { ::close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
    int file_;
};

} // namespace denoir::fuzz

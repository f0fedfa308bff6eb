// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the files of this folder: what opening a file has in common, and what is said where it fails.
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>

#include "engine/core/error.h"

namespace denoir {

/// `code` (errno) about `path`, in words that say what to do.
Error system_error(const std::filesystem::path& path, int code);

/// Throws Error: a name that is empty or holds NUL; what is no regular file.
void refuse_bad_name(const std::filesystem::path& path);
[[noreturn]] void refuse_kind(const std::filesystem::path& path, mode_t mode);

/// Closes on every way out.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

/// A regular file, open for reading.
struct OpenFile {
    int fd;
    std::size_t bytes;
};
/// Directories, FIFOs and devices are refused before they are opened. Throws Error naming the file as given.
OpenFile open_regular(const std::filesystem::path& path);

} // namespace denoir

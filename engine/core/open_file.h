// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to this folder: opening files, and the errors for failing to.
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>

#include "engine/core/error.h"

namespace denoir {

/// An error for `code` (an errno) about `path` that says what to do.
Error system_error(const std::filesystem::path& path, int code);
/// Throws it: as NoSpace where that is what is wrong.
[[noreturn]] void throw_system_error(const std::filesystem::path& path, int code);

/// Throws Error for a name that is empty or holds NUL.
void refuse_bad_name(const std::filesystem::path& path);
/// Throws Error for something that is not a regular file; `mode`: of stat().
[[noreturn]] void refuse_kind(const std::filesystem::path& path, mode_t mode);

/// Owns a file descriptor; a negative one is none.
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

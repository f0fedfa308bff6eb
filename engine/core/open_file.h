// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to this folder: opens files, and makes the errors if that fails.
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>

#include "engine/core/error.h"

namespace denoir {

/// An error for `code` (an errno) about `path` that says what to do.
Error system_error(const std::filesystem::path& path, int code);
/// Throws system_error(), as NoSpace if there is no space.
[[noreturn]] void throw_system_error(const std::filesystem::path& path, int code);

/// Throws Error for a name that is empty or holds NUL.
void refuse_bad_name(const std::filesystem::path& path);
/// Throws the Error for something that is not a regular file. `mode` is that of stat().
[[noreturn]] void refuse_kind(const std::filesystem::path& path, mode_t mode);

/// Owns a file descriptor, or none if it is negative.
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
/// Opens a regular file. Refuses directories, FIFOs and devices before they are opened. Throws Error naming the file as
/// given.
OpenFile open_regular(const std::filesystem::path& path);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "engine/core/error.h"

namespace denoir {
namespace {

std::filesystem::path folder() {
    std::error_code ignored;
    const std::filesystem::path found = std::filesystem::temp_directory_path(ignored);
    return found.empty() ? "/tmp" : found;
}

[[noreturn]] void fail(const char* what) {
    throw Error(folder().string(), "", std::string(what) + ": " + std::strerror(errno),
                "free some space there, or set TMPDIR to another folder");
}

} // namespace

Spool::Spool() {
    const std::filesystem::path where = folder();
    fd_ = ::open(where.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd_ >= 0) return;
    // Not every file system has files without a name.
    std::string name = (where / "denoir-spool-XXXXXX").string();
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0) fail("no temporary file can be created");
    ::unlink(name.c_str());
}

Spool::~Spool() {
    if (fd_ >= 0) ::close(fd_);
}

void Spool::append(const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t n = ::pwrite(fd_, from, bytes, static_cast<off_t>(size_));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) fail("decoded frames cannot be kept");
        from += n;
        bytes -= static_cast<std::size_t>(n);
        size_ += static_cast<std::uint64_t>(n);
    }
}

void Spool::read(std::uint64_t offset, void* data, std::size_t bytes) const {
    char* to = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t n = ::pread(fd_, to, bytes, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) fail("decoded frames cannot be read back");
        to += n;
        bytes -= static_cast<std::size_t>(n);
        offset += static_cast<std::uint64_t>(n);
    }
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace denoir {

/// Keeps frames on disk between two passes, so that memory does not grow with their number. They lie in a file without
/// a name in the temporary folder (TMPDIR), which the system removes when the process ends.
class Spool {
public:
    Spool();
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    /// Throws Error if the disk is full.
    void append(const void* data, std::size_t bytes);
    /// Bytes that were appended, from `offset` on. Throws Error.
    void read(std::uint64_t offset, void* data, std::size_t bytes) const;

private:
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

} // namespace denoir

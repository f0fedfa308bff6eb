// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <filesystem>

namespace denoir {

/// Lets one process at a time write to a run's or a sweep's folder. The lock is held on a descriptor of the folder
/// itself, so it leaves no file behind and ends with the process.
class FolderLock {
public:
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    /// Takes the lock. False if another process holds it for longer than `patience`, or the folder cannot be opened. A
    /// process that merely tests the lock holds it for a moment, which is worth waiting for.
    bool take(std::chrono::milliseconds patience = {}) const;
    bool opened() const { return fd_ >= 0; }

private:
    int fd_;
};

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <filesystem>

namespace denoir {

/// One process at a time writes to a run's or a sweep's folder. Held through a descriptor of the folder itself: no file
/// of its own, gone with the process.
class FolderLock {
public:
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    /// False where another process holds it, or the folder cannot be opened. Whoever only looks whether it is free
    /// holds it for a moment: `patience` waits for that.
    bool take(std::chrono::milliseconds patience = {}) const;
    bool opened() const { return fd_ >= 0; }

private:
    int fd_;
};

} // namespace denoir

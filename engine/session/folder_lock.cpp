// SPDX-License-Identifier: Apache-2.0
#include "engine/session/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>

namespace denoir {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

FolderLock::~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
}

bool FolderLock::take(std::chrono::milliseconds patience) const {
    constexpr std::chrono::milliseconds pause{10};
    while (fd_ >= 0) {
        if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return true;
        if (patience < pause) return false;
        std::this_thread::sleep_for(pause);
        patience -= pause;
    }
    return false;
}

} // namespace denoir

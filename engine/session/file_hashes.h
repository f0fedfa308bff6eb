// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "engine/session/run_record.h"

namespace denoir {

/// SHA-256 of a model's files, computed by a thread while a run goes on, and remembered in the cache folder by path,
/// size, time and inode.
class FileHashes {
public:
    /// idle: at the lowest priority, never in the way; what is not known in time stays unknown. waited_for: nothing
    /// else goes on meanwhile.
    enum class Pace { idle, waited_for };
    /// Files that cannot be looked at are left out. Starts the thread where something is not in the cache.
    explicit FileHashes(std::span<const std::filesystem::path> files, Pace pace = Pace::idle);
    ~FileHashes();
    FileHashes(const FileHashes&) = delete;
    FileHashes& operator=(const FileHashes&) = delete;

    /// As far as known now.
    std::vector<ModelFile> files() const;
    /// Waits until all are known, at most this long. False where some are not yet.
    bool wait(std::chrono::milliseconds);

private:
    struct Entry {
        ModelFile file;
        std::uint64_t inode = 0;
    };
    void work(const std::stop_token&);
    void hash_all(const std::stop_token&);
    void read_cache();
    void write_cache() const;

    const Pace pace_;
    mutable std::mutex mutex_;
    std::condition_variable all_known_;
    std::vector<Entry> entries_;
    bool finished_ = false;
    std::jthread thread_;
};

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "engine/session/run_record.h"

namespace denoir {

/// SHA-256 of a model's files, computed on a thread of its own during a run, and cached in the cache folder by path,
/// size, modification time and inode.
class FileHashes {
public:
    enum class Pace {
        idle,      ///< at the lowest priority, beside a run; what is not finished in time stays unknown
        waited_for ///< at normal priority: the caller waits for it
    };
    /// Files that are missing or not regular are left out; one that cannot be read stays without a hash. Starts the
    /// thread unless everything is in the cache.
    explicit FileHashes(std::span<const std::filesystem::path> files, Pace pace = Pace::idle);
    ~FileHashes();
    FileHashes(const FileHashes&) = delete;
    FileHashes& operator=(const FileHashes&) = delete;

    /// All files, with the hashes known so far.
    std::vector<ModelFile> files() const;
    /// Waits at most this long for the thread to finish. False if it is still at work; some hashes may be unknown
    /// afterwards, too. Throws Cancelled.
    bool wait(std::chrono::milliseconds, const std::stop_token& = {});

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
    std::condition_variable_any all_known_;
    std::vector<Entry> entries_;
    bool finished_ = false;
    std::jthread thread_;
};

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/file_hashes.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/core/own_folders.h"
#include "engine/session/sha256.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t piece = 1 << 20, max_cached = 1000, max_cache_bytes = 4 << 20;

fs::path cache_file() { return cache_folder() / "checksums.json"; }

/// The SHA-256 of a file. Empty if `stop` was set, if the file cannot be read, or if its size changed meanwhile.
std::string hash(const ModelFile& file, const std::stop_token& stop) {
    const int fd = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return {};
    Sha256 sum;
    std::vector<char> buffer(piece);
    std::uint64_t total = 0;
    ssize_t got = 1;
    while (got > 0 && !stop.stop_requested()) {
        got = ::read(fd, buffer.data(), buffer.size());
        if (got > 0) sum.update(buffer.data(), std::size_t(got)), total += std::uint64_t(got);
    }
    ::close(fd);
    return got == 0 && total == file.bytes ? sum.hex() : std::string();
}

/// Leaves the processor and the disk to others. (SCHED_IDLE would yield more, but then the thread might not get the
/// time to notice that it is to stop, and only root can raise it again.)
void step_back() { ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 19); }

Json cached_files() {
    try {
        Json cache = parse_json(read_text(cache_file(), max_cache_bytes), "checksums.json");
        if (cache.is_object() && cache.contains("files") && cache["files"].is_array()) return cache["files"];
    } catch (const std::exception&) { // missing or damaged: it is only a cache
    }
    return Json::array();
}

} // namespace

FileHashes::FileHashes(std::span<const fs::path> files, Pace pace) : pace_(pace) {
    for (const fs::path& given : files) {
        const fs::path path = fs::absolute(given).lexically_normal(); // a run may be resumed from another folder
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        const std::int64_t modified = std::int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
        entries_.push_back({{path.string(), std::uint64_t(status.st_size), modified, ""}, status.st_ino});
    }
    read_cache();
    finished_ = std::all_of(entries_.begin(), entries_.end(), [](const Entry& e) { return !e.file.sha256.empty(); });
    if (!finished_) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

FileHashes::~FileHashes() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
}

std::vector<ModelFile> FileHashes::files() const {
    const std::lock_guard lock(mutex_);
    std::vector<ModelFile> out;
    for (const Entry& e : entries_) out.push_back(e.file);
    return out;
}

bool FileHashes::wait(std::chrono::milliseconds most, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool finished = all_known_.wait_for(lock, stop, most, [this] { return finished_; });
    if (!finished && stop.stop_requested()) throw Cancelled();
    return finished;
}

void FileHashes::work(const std::stop_token& stop) {
    if (pace_ == Pace::idle) step_back();
    try {
        hash_all(stop);
    } catch (const std::exception&) { // no memory: what is not known by now stays unknown
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    all_known_.notify_all();
}

void FileHashes::hash_all(const std::stop_token& stop) {
    for (std::size_t i = 0; i < entries_.size() && !stop.stop_requested(); ++i) {
        ModelFile file;
        {
            const std::lock_guard lock(mutex_);
            file = entries_[i].file;
        }
        if (!file.sha256.empty()) continue;
        const std::string sum = hash(file, stop);
        const std::lock_guard lock(mutex_);
        entries_[i].file.sha256 = sum;
    }
    write_cache();
}

void FileHashes::read_cache() {
    for (const Json& c : cached_files())
        for (Entry& e : entries_)
            if (c.is_object() && c.value("path", Json()) == e.file.path && c.value("bytes", Json()) == e.file.bytes &&
                c.value("modified_ns", Json()) == e.file.modified_ns && c.value("inode", Json()) == e.inode &&
                c.contains("sha256") && c["sha256"].is_string())
                e.file.sha256 = c["sha256"].get<std::string>();
}

void FileHashes::write_cache() const {
    // A copy, so that nobody waits for the lock while this thread, which may be idle, waits for the disk.
    const std::vector<Entry> entries = [this] {
        const std::lock_guard lock(mutex_);
        return entries_;
    }();
    Json files = Json::array();
    for (const Entry& e : entries)
        if (!e.file.sha256.empty())
            files.push_back({{"path", e.file.path},
                             {"bytes", e.file.bytes},
                             {"modified_ns", e.file.modified_ns},
                             {"inode", e.inode},
                             {"sha256", e.file.sha256}});
    for (const Json& old : cached_files()) {
        const bool ours = std::any_of(entries.begin(), entries.end(), [&](const Entry& e) {
            return old.is_object() && old.value("path", Json()) == e.file.path;
        });
        if (!ours && files.size() < max_cached) files.push_back(old);
    }
    try {
        write_file(cache_file(), Json{{"schema", 1}, {"files", files}}.dump(1));
    } catch (const std::exception&) { // no place for a cache: this run knows its sums all the same
    }
}

} // namespace denoir

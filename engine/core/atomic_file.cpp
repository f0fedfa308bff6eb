// SPDX-License-Identifier: Apache-2.0
#include "engine/core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "engine/core/file.h"
#include "engine/core/mapped_file.h"
#include "engine/core/open_file.h"
#include "engine/core/text.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Calls write_some(data, bytes, done), which is ::write or ::pwrite, until all is written. `path` is for errors.
template <class WriteSome>
void write_all(const fs::path& path, const void* data, std::size_t bytes, WriteSome write_some) {
    const auto* from = static_cast<const char*>(data);
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t written = write_some(from + done, bytes - done, done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw_system_error(path, errno);
        done += static_cast<std::size_t>(written);
    }
}

constexpr std::string_view partial_mark = ".partial-";

/// The paths of all temporaries that exist now. Never destroyed, since other threads may still write while the process
/// ends.
struct Temporaries {
    std::mutex mutex;
    std::set<std::string> names;
};
Temporaries& temporaries() {
    static auto* all = new Temporaries;
    return *all;
}

/// Gives a new file the mode, group and, if permitted, owner of the one that it replaces. If the group cannot be set,
/// our group gets the rights that everybody has. Failures are ignored, as some file systems have no such rights.
void keep_rights(int fd, const struct stat& before) {
    constexpr auto as_it_is = static_cast<uid_t>(-1);
    mode_t mode = before.st_mode & 0777;
    if (::fchown(fd, before.st_uid, before.st_gid) != 0 && ::fchown(fd, as_it_is, before.st_gid) != 0)
        mode = (mode & 0707) | (mode & 07) << 3;
    ::fchmod(fd, mode);
}

/// Whether any process has `path` locked, even one in another container or on another host, whose id is unknown here.
bool is_held(const fs::path& path) {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    return fd.get() >= 0 && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// Removes our folders that mkdtemp() made in `place` and that no process has locked. A young one is kept, as its
/// process may be about to lock it.
void remove_abandoned(const fs::path& place, std::string_view prefix) {
    constexpr int random_letters = 6;
    constexpr std::time_t young = 60; // seconds
    std::error_code code;
    for (const auto& entry : entries_of(place, code)) {
        const std::string name = entry.path().filename().native();
        if (!name.starts_with(prefix) || name.size() != prefix.size() + random_letters) continue;
        const Descriptor fd(::open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        struct stat status {};
        if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0 || status.st_uid != ::geteuid() ||
            status.st_mtime > std::time(nullptr) - young)
            continue;
        if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), code);
    }
}

} // namespace

std::string partial_prefix(const std::string& name) {
    constexpr std::size_t most = 200;
    return fmt::format(".{}{}", name.substr(0, most), partial_mark);
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
    static std::atomic<unsigned> counter{0};
    refuse_bad_name(path_);
    const std::string name = path_.filename().native();
    if (name.empty() || name == "." || name == "..") throw_system_error(path_, EISDIR);
    struct stat status {};
    const bool replaces = ::stat(path_.c_str(), &status) == 0;
    if (replaces && !S_ISREG(status.st_mode)) refuse_kind(path_, status.st_mode);
    for (;;) {
        temporary_ = path_.parent_path() / fmt::format("{}{}-{}", partial_prefix(name), ::getpid(), counter++);
        const std::lock_guard lock(temporaries().mutex); // remove_temporaries() must not come between the two
        fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd_ >= 0) {
            ::flock(fd_, LOCK_EX | LOCK_NB); // tells is_held() of other processes that it is in use
            temporaries().names.insert(temporary_.native());
            if (replaces) keep_rights(fd_, status);
            return;
        }
        if (errno != EEXIST) throw_system_error(path_, errno);
    }
}

AtomicFile::~AtomicFile() {
    if (fd_ >= 0) ::close(fd_);
    if (temporary_.empty()) return;
    ::unlink(temporary_.c_str());
    const std::lock_guard lock(temporaries().mutex);
    temporaries().names.erase(temporary_.native());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    write_all(path_, data, bytes,
              [this](const char* from, std::size_t n, std::size_t) { return ::write(fd_, from, n); });
}

void AtomicFile::write_at(std::size_t offset, const void* data, std::size_t bytes) {
    write_all(path_, data, bytes, [&](const char* from, std::size_t n, std::size_t done) {
        return ::pwrite(fd_, from, n, static_cast<off_t>(offset + done));
    });
}

void AtomicFile::commit() {
    if (::fsync(fd_) != 0 && errno != EINVAL) throw_system_error(path_, errno);
    const Descriptor held(::fcntl(fd_, F_DUPFD_CLOEXEC, 0)); // keeps it locked until it has its name
    const int fd = std::exchange(fd_, -1);
    if (::close(fd) != 0 && errno != EINTR) throw_system_error(path_, errno);
    struct stat before {};
    const bool replaces = ::lstat(path_.c_str(), &before) == 0;
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw_system_error(path_, errno);
    {
        const std::lock_guard lock(temporaries().mutex);
        temporaries().names.erase(temporary_.native());
    }
    temporary_.clear();
    try {
        sync_folder(path_.parent_path(), path_);
    } catch (const Error&) {
        if (!replaces) ::unlink(path_.c_str()); // an older file cannot be restored, so the new one stays
        throw;
    }
}

void sync_folder(const fs::path& folder, const fs::path& named) {
    const Descriptor fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0 || ::fsync(fd.get()) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return;
    throw_system_error(named, errno);
}

OutputGroup::~OutputGroup() {
    std::error_code ignored;
    for (const fs::path& path : finished_) fs::remove(path, ignored);
}

void OutputGroup::finish(const fs::path& path, const std::function<void()>& last_step) {
    std::error_code code;
    const bool is_new = !fs::exists(fs::symlink_status(path, code));
    last_step();
    if (is_new) finished_.push_back(path);
}

void write_file(const fs::path& path, std::string_view content) {
    AtomicFile file(path);
    file.write(content);
    file.commit();
}

void copy_file_atomically(const fs::path& from, const fs::path& to) {
    const auto mapped = MappedFile::open(from);
    AtomicFile file(to);
    file.write(mapped->span().data(), mapped->span().size());
    file.commit();
}

void remove_temporaries(bool for_good) noexcept {
    std::unique_lock lock(temporaries().mutex);
    for (const std::string& name : temporaries().names) {
        std::error_code ignored;
        if (::unlink(name.c_str()) != 0) fs::remove_all(name, ignored);
    }
    if (for_good) lock.release(); // stays locked
}

int partial_of(std::string_view name) {
    const std::size_t mark = name.rfind(partial_mark);
    if (!name.starts_with('.') || mark == std::string_view::npos) return 0;
    name.remove_prefix(mark + partial_mark.size());
    return read_whole<int>(name.substr(0, name.find('-'))).value_or(0);
}

void remove_partials(const fs::path& folder, const std::string& name, int pid) {
    const auto is_abandoned = [](const fs::path& path, int process) {
        return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH && !is_held(path);
    };
    std::error_code code;
    for (const auto& entry : entries_of(folder, code)) {
        const std::string found = entry.path().filename().string();
        if (!name.empty() && !found.starts_with(partial_prefix(name))) continue;
        const int process = partial_of(found);
        if (pid != 0 ? process == pid : is_abandoned(entry.path(), process)) fs::remove_all(entry.path(), code);
    }
}

ScratchFolder::ScratchFolder(std::string_view prefix, const fs::path& parent) {
    std::error_code code;
    const char* set = std::getenv("TMPDIR");
    const fs::path place = !parent.empty() ? parent : fs::temp_directory_path(code);
    const fs::path named = !place.empty() ? place : set ? set : "TMPDIR";
    remove_abandoned(named, prefix);
    std::string name = (named / fmt::format("{}XXXXXX", prefix)).native();
    const std::lock_guard lock(temporaries().mutex);
    if (code || !::mkdtemp(name.data()))
        throw Error(named.native(), "", "no folder can be created there",
                    parent.empty() ? "set TMPDIR to a folder that can be written" : "choose another place");
    path_ = name;
    lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
    temporaries().names.insert(path_.native());
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
    const std::lock_guard lock(temporaries().mutex);
    temporaries().names.erase(path_.native());
}

} // namespace denoir

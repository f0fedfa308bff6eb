// SPDX-License-Identifier: Apache-2.0
#include "engine/media/frame_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <system_error>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& folder, const std::error_code& error) {
    throw Error(folder.string(), "", "the folder cannot be written: " + error.message(), "choose another place");
}

void sync_folder(const fs::path& folder) {
    const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

std::string frame_name(int number) { return fmt::format("frame_{:05}.png", number); }

/// Without a slash at the end and, where it exists, without links: the name that is renamed over.
fs::path plain_name(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (!error) return real;
    return folder.has_filename() ? folder : folder.parent_path();
}

} // namespace

FrameFolderWriter::FrameFolderWriter(fs::path folder, std::string metadata_json)
    : folder_(plain_name(folder)), metadata_(std::move(metadata_json)) {
    static std::atomic<unsigned> counter{0};
    std::error_code error;
    const fs::file_status status = fs::status(folder_, error);
    if (folder_.empty()) throw Error("", "out", "is empty", "name a folder");
    if (fs::exists(status) && !fs::is_directory(status))
        throw Error(folder_.string(), "out", "exists and is no folder", "choose another name");
    exists_ = fs::is_directory(status);
    if (exists_) check_empty();
    for (;;) {
        const fs::path name =
            fmt::format(".{}.partial-{}-{}", folder_.filename().string().substr(0, 200), ::getpid(), counter++);
        const fs::path candidate = (exists_ ? folder_ : folder_.parent_path()) / name;
        if (fs::create_directory(candidate, error)) {
            temporary_ = candidate;
            return;
        }
        if (error) refuse(folder_, error);
    }
}

FrameFolderWriter::~FrameFolderWriter() {
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void FrameFolderWriter::write(const Image& frame) {
    const std::string name = frame_name(++frames_);
    try {
        write_png(temporary_ / name, frame, frames_ == 1 ? metadata_ : std::string());
    } catch (const Error& error) { // the temporary name says nothing to the user
        throw Error((folder_ / name).string(), error.field(), error.message(), error.hint());
    }
}

void FrameFolderWriter::check_empty() const {
    std::error_code error;
    if (holds_only_partials(folder_, error)) return;
    if (error) refuse(folder_, error);
    throw Error(folder_.string(), "out", "the folder is not empty", "choose a new or empty folder");
}

void FrameFolderWriter::finish() {
    sync_folder(temporary_);
    std::error_code error;
    if (!exists_) {
        fs::rename(temporary_, folder_, error);
        if (error) refuse(folder_, error);
        temporary_.clear();
        sync_folder(folder_.parent_path());
        return;
    }
    // Somebody's folder stays that folder: its rights, its place, those who stand in it. One writer at a time.
    const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) ::flock(fd, LOCK_EX);
    try {
        check_empty();
        for (int i = 1; i <= frames_ && !error; ++i) {
            const std::string name = frame_name(i);
            fs::rename(temporary_ / name, folder_ / name, error);
        }
        if (error) {
            std::error_code ignored;
            for (int i = 1; i <= frames_; ++i) fs::remove(folder_ / frame_name(i), ignored);
            refuse(folder_, error);
        }
    } catch (...) {
        if (fd >= 0) ::close(fd);
        throw;
    }
    if (fd >= 0) ::close(fd);
    fs::remove_all(temporary_, error);
    temporary_.clear();
    sync_folder(folder_);
}

} // namespace denoir

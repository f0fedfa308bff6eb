// SPDX-License-Identifier: Apache-2.0
#include "engine/media/frame_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "engine/core/atomic_file.h"
#include "engine/core/disk.h"
#include "engine/core/error.h"
#include "engine/core/mapped_file.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& folder, const std::error_code& error) {
    throw Error(folder.string(), "", "the folder cannot be written: " + error.message(), "choose another place");
}

std::string frame_name(int number) { return fmt::format("frame_{:05}.png", number); }

bool same_bytes(const fs::path& a, const fs::path& b) {
    std::error_code code;
    if (!fs::is_regular_file(fs::symlink_status(b, code)) || fs::file_size(a, code) != fs::file_size(b, code) || code)
        return false;
    const auto x = MappedFile::open(a), y = MappedFile::open(b);
    return std::ranges::equal(x->span(), y->span());
}

/// The path of the folder itself, as rename() needs it: without a slash at the end and, if it exists, without links.
fs::path plain_name(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (!error) return real;
    return folder.has_filename() ? folder : folder.parent_path();
}

} // namespace

FrameFolderWriter::Lock::Lock(const fs::path& folder, bool waits)
    : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd_ >= 0) ::flock(fd_, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
}

FrameFolderWriter::Lock::~Lock() {
    if (fd_ >= 0) ::close(fd_);
}

FrameFolderWriter::FrameFolderWriter(fs::path folder, std::string metadata_json, Folder allowed)
    : folder_(plain_name(folder)), metadata_(std::move(metadata_json)), allowed_(allowed) {
    static std::atomic<unsigned> counter{0};
    std::error_code error;
    const fs::file_status status = fs::status(folder_, error);
    if (folder_.empty()) throw Error("", "out", "is empty", "name a folder");
    if (fs::exists(status) && !fs::is_directory(status))
        throw Error(folder_.string(), "out", "exists and is not a folder", "choose another name");
    exists_ = fs::is_directory(status);
    if (exists_ && allowed_ == Folder::empty) check_content();
    for (;;) {
        const fs::path name =
            fmt::format("{}{}-{}", partial_prefix(folder_.filename().string()), ::getpid(), counter++);
        const fs::path candidate = (exists_ ? folder_ : folder_.parent_path()) / name;
        if (fs::create_directory(candidate, error)) {
            temporary_ = candidate;
            lock_.emplace(temporary_, false);
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
    } catch (const NoSpace& error) { // the user does not know the temporary name
        throw NoSpace((folder_ / name).string(), error.field(), error.message(), error.hint());
    } catch (const Error& error) {
        throw Error((folder_ / name).string(), error.field(), error.message(), error.hint());
    }
}

/// Throws Error if the folder holds anything that this writer may not replace.
void FrameFolderWriter::check_content() const {
    std::error_code error;
    bool good = holds_only_frames(folder_, allowed_ == Folder::empty ? 0 : frames_, error);
    if (error) refuse(folder_, error);
    for (int i = 1; i <= frames_ && good && allowed_ == Folder::same_frames; ++i)
        if (const fs::path there = folder_ / frame_name(i); fs::exists(fs::symlink_status(there, error)))
            good = same_bytes(temporary_ / frame_name(i), there);
    if (!good) throw Error(folder_.string(), "out", "the folder is not empty", "choose a new or empty folder");
}

void FrameFolderWriter::finish() {
    sync_folder(temporary_, folder_);
    if (exists_) return fill();
    std::error_code error;
    fs::rename(temporary_, folder_, error);
    if (error) refuse(folder_, error);
    try {
        sync_folder(folder_.parent_path(), folder_);
    } catch (const Error&) {
        fs::remove_all(folder_, error);
        throw;
    }
    temporary_.clear();
}

/// Moves the frames into the existing folder, which is not replaced, so that its rights and the processes working in it
/// are not affected. One writer at a time.
void FrameFolderWriter::fill() {
    const Lock one_writer(folder_, true);
    check_content();
    try {
        for (int i = 1; i <= frames_; ++i) {
            std::error_code error;
            fs::rename(temporary_ / frame_name(i), folder_ / frame_name(i), error);
            if (error) refuse(folder_, error);
        }
        sync_folder(folder_, folder_);
    } catch (const Error&) {
        std::error_code ignored;
        for (int i = 1; i <= frames_; ++i) fs::remove(folder_ / frame_name(i), ignored);
        throw;
    }
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
    temporary_.clear();
}

bool holds_only_frames(const fs::path& folder, int most, std::error_code& code) {
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
        const std::string name = entry->path().filename().native();
        if (partial_of(name) != 0) continue;
        int number = 0;
        const bool frame = std::sscanf(name.c_str(), "frame_%d.png", &number) == 1 && frame_name(number) == name;
        if (!frame || number < 1 || number > most) return false;
    }
    return !code;
}

} // namespace denoir

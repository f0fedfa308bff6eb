// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/core/tensor.h"

namespace denoir {

/// A regular file mapped read-only. Directories, FIFOs and devices are refused before they are opened for reading.
/// Paths are literal. Throws Error naming the file as given.
class MappedFile : public Buffer {
public:
    static std::shared_ptr<MappedFile> open(const std::filesystem::path& path);
    ~MappedFile() override;
    std::span<const std::byte> span() const { return {data_, bytes_}; }
    const std::string& name() const { return name_; }
    /// Tells the system that the pages of this range are not needed any more (they can be read again from disk).
    void drop_pages(std::size_t offset, std::size_t bytes) const;

private:
    MappedFile(std::byte* data, std::size_t bytes, std::string name)
        : Buffer(data, bytes, nullptr), name_(std::move(name)) {}
    std::string name_;
};

/// A mapped file that another program cuts short while it is used reads as zeros where it ends now, instead of ending
/// the process. Whoever computed with mapped files meanwhile asks afterwards.
class MappedFileWatch {
public:
    MappedFileWatch();
    /// Throws Error naming the file where one was cut short and the missing part was read since this was made.
    void check() const;

private:
    unsigned seen_;
};

/// The whole of a regular file, at most `limit` bytes, else an Error that says so.
std::string read_text(const std::filesystem::path& path, std::size_t limit);

/// Writes beside the final name, then syncs and renames (and syncs the folder); a replaced file's mode stays. Without
/// commit(), or when anything fails, nothing new stays behind. Temporary name: `.NAME.partial-PID-N`, made with O_EXCL.
class AtomicFile {
public:
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Bytes from `offset` on, in the midst of what was written (a header that is known last) or beyond it.
    void write_at(std::size_t offset, const void* data, std::size_t bytes);
    /// For libraries that write by name or need to seek; the descriptor stays ours.
    const std::filesystem::path& temporary() const { return temporary_; }
    int descriptor() const { return fd_; }
    void commit();

private:
    std::filesystem::path path_, temporary_;
    int fd_ = -1;
};

void write_file(const std::filesystem::path& path, std::string_view content);

/// The names in `folder` (empty: where we are) survive a power failure too. Folders that cannot be synced (no
/// permission to read, network) are left; else throws Error about `named`.
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& named);

/// The process number in a temporary's name, `.NAME.partial-PID-N`; 0 where it is no such name.
int partial_of(std::string_view name);

/// A folder of our own for files that are soon gone, below `parent` (empty: the system's place, TMPDIR). Removed with
/// everything in it, by remove_temporaries() too. Throws Error naming the place.
class ScratchFolder {
public:
    explicit ScratchFolder(std::string_view prefix, const std::filesystem::path& parent = {});
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Removes the temporary of every AtomicFile of this process that is not committed, and every ScratchFolder: for a
/// program that has to end in a hurry. `for_good`: none is made any more, whoever tries waits for the end.
void remove_temporaries(bool for_good = false) noexcept;

/// True where a regular file is there, through links too. Throws Error where that cannot be found out (no permission, a
/// disk that reports an error): it may be there all the same.
bool has_regular_file(const std::filesystem::path& path);

/// True where both names lead to one existing file, through links and other spellings too.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// `DENOIR_HOME`/name, else the XDG folder of that kind + "/denoir"; created when missing.
std::filesystem::path data_folder(); ///< runs
std::filesystem::path config_folder();
std::filesystem::path cache_folder();

/// Tells a file's content from what lay there before, for as long as a program runs: path, inode, size and time.
std::string file_stamp(const std::filesystem::path& file);

/// ".mp4", in small letters.
std::string lower_extension(const std::filesystem::path& path);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace denoir {

/// Writes beside the final name, then syncs and renames (and syncs the folder); a replaced file's mode, group and owner
/// stay as far as we may say so. Without commit(), or when anything fails, nothing new stays behind. Temporary name:
/// `.NAME.partial-PID-N`, made with O_EXCL and locked.
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

/// Outputs that belong together: without keep(), those that were finished and are new are removed again.
class Together {
public:
    Together() = default;
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;
    /// `last_step` gives the file its name.
    void finish(const std::filesystem::path& path, const std::function<void()>& last_step);
    void keep() { finished_.clear(); }

private:
    std::vector<std::filesystem::path> finished_;
};

void write_file(const std::filesystem::path& path, std::string_view content);

/// The bytes of `from` under another name, whole or not at all.
void copy_file_atomically(const std::filesystem::path& from, const std::filesystem::path& to);

/// The names in `folder` (empty: where we are) survive a power failure too. Folders that cannot be synced (no
/// permission to read, network) are left; else throws Error about `named`.
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& named);

/// The process number in a temporary's name, `.NAME.partial-PID-N`; 0 where it is no such name.
int partial_of(std::string_view name);

/// Removes temporaries (files or folders named `.NAME.partial-PID-N`) from `folder`: those of the final name `name`, or
/// of any where it is empty; those of process `pid`, or where it is 0 of processes that are gone here and hold no lock
/// from elsewhere.
void remove_partials(const std::filesystem::path& folder, const std::string& name, int pid = 0);

/// A folder of our own for files that are soon gone, below `parent` (empty: the system's place, TMPDIR). Removed with
/// everything in it, by remove_temporaries() too; what a process that was killed left there of this prefix is removed
/// first. Throws Error naming the place.
class ScratchFolder {
public:
    explicit ScratchFolder(std::string_view prefix, const std::filesystem::path& parent = {});
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int lock_ = -1; ///< held on the folder; the system drops it with the process
};

/// Removes the temporary of every AtomicFile of this process that is not committed, and every ScratchFolder: for a
/// program that has to end in a hurry. `for_good`: none is made any more, whoever tries waits for the end.
void remove_temporaries(bool for_good = false) noexcept;

} // namespace denoir

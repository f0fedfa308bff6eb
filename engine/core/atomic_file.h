// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace denoir {

/// A file that appears complete or not at all. It is written under a temporary name in its folder; commit() syncs and
/// renames it, and syncs the folder. It gets the mode, group and owner of a file that it replaces, as far as
/// permissions allow. Without commit(), or after an error, nothing new is left behind. The temporary file is
/// `.NAME.partial-PID-N`, created with O_EXCL and locked. All members throw Error naming `path`.
class AtomicFile {
public:
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Writes at byte `offset`, over earlier data (such as a header that is known only at the end) or beyond it.
    void write_at(std::size_t offset, const void* data, std::size_t bytes);
    /// Name and descriptor for libraries that write by name or need to seek. The descriptor belongs to this object.
    const std::filesystem::path& temporary() const { return temporary_; }
    int descriptor() const { return fd_; }
    void commit();

private:
    std::filesystem::path path_, temporary_;
    int fd_ = -1;
};

/// Output files that belong together: without keep(), the destructor removes those that were finished, except for any
/// that replaced an older file.
class OutputGroup {
public:
    OutputGroup() = default;
    ~OutputGroup();
    OutputGroup(const OutputGroup&) = delete;
    OutputGroup& operator=(const OutputGroup&) = delete;
    /// Calls `last_step`, which must give a file its final name `path` (AtomicFile::commit).
    void finish(const std::filesystem::path& path, const std::function<void()>& last_step);
    void keep() { finished_.clear(); }

private:
    std::vector<std::filesystem::path> finished_;
};

/// Writes `content` as an AtomicFile.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Copies the bytes of `from` to `to`, an AtomicFile.
void copy_file_atomically(const std::filesystem::path& from, const std::filesystem::path& to);

/// Syncs `folder` (empty: the working directory), so that the names in it survive a power failure. Does nothing for
/// folders that cannot be synced (no permission to read, some network file systems). Throws Error naming `named` for
/// other failures.
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& named);

/// The beginning of the names of temporaries of `name`: `.NAME.partial-`. Only the first 200 bytes of the name are
/// used, since it may fill the 255 bytes that a file system allows.
std::string partial_prefix(const std::string& name);

/// The process id in a temporary's name, `.NAME.partial-PID-N`; 0 for any other name.
int partial_of(std::string_view name);

/// Removes temporaries (files or folders named `.NAME.partial-PID-N`) from `folder`. `name`: only those of this final
/// name; empty: those of any. `pid`: only those of this process; 0: those whose process no longer runs here and which
/// no process elsewhere (in another container or on another host) has locked.
void remove_partials(const std::filesystem::path& folder, const std::string& name, int pid = 0);

/// A temporary folder in `parent` (empty: the system's folder, TMPDIR), removed with everything in it by the destructor
/// or remove_temporaries(). The constructor first removes folders of this prefix that killed processes left there, and
/// throws Error naming `parent` if no folder can be created.
class ScratchFolder {
public:
    explicit ScratchFolder(std::string_view prefix, const std::filesystem::path& parent = {});
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int lock_ = -1; ///< a lock on the folder, which the system releases if the process ends
};

/// Removes the temporary of every uncommitted AtomicFile of this process, and every ScratchFolder, for a program that
/// has to end at once. `for_good`: no new one can be made; a thread that tries blocks until the process ends.
void remove_temporaries(bool for_good = false) noexcept;

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "engine/media/image.h"

namespace denoir {

/// Writes frame_00001.png … into a folder that must be new or empty. A new one is built as a temporary folder beside it
/// and renamed by finish(); one that exists is kept, and finish() fills it from a temporary folder inside. Without
/// finish(), or if anything fails, nothing is left behind.
class FrameFolderWriter {
public:
    enum class Folder {
        empty,      ///< new or empty
        same_frames ///< may hold some of the same frames already, if a process was killed while it moved them there
    };
    /// `metadata_json` becomes the comment of the first frame, unless it is empty. Throws Error.
    explicit FrameFolderWriter(std::filesystem::path folder, std::string metadata_json = {},
                               Folder allowed = Folder::empty);
    ~FrameFolderWriter();
    FrameFolderWriter(const FrameFolderWriter&) = delete;
    FrameFolderWriter& operator=(const FrameFolderWriter&) = delete;

    /// Writes the next frame. Throws Error (NoSpace if the disk is full) naming the file it would become.
    void write(const Image& frame);
    /// Moves the frames to their place. Throws Error if that is not possible, or if the folder is not empty any more.
    void finish();

private:
    /// A file lock on a folder. There is none if the system cannot give one.
    class Lock {
    public:
        /// `waits` false: there is no lock either if another process holds it.
        Lock(const std::filesystem::path& folder, bool waits);
        ~Lock();
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;

    private:
        int fd_;
    };

    void check_content() const;
    void fill();
    std::filesystem::path folder_, temporary_;
    std::string metadata_;
    std::optional<Lock> lock_; ///< on the temporary folder, so that remove_partials() leaves it alone
    int frames_ = 0;
    Folder allowed_;
    bool exists_ = false;
};

/// Whether a folder holds nothing but temporary files and frames from frame_00001.png up to number `most`. False with
/// an error code if it cannot be read.
bool holds_only_frames(const std::filesystem::path& folder, int most, std::error_code&);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "engine/media/image.h"

namespace denoir {

/// frame_00001.png … in a folder that must be new or empty. A new one is built as a temporary folder beside it and
/// renamed by finish(); one that exists is kept and filled by finish() from a temporary folder in it. Without finish(),
/// or when anything fails, nothing stays behind.
class FrameFolderWriter {
public:
    enum class Folder {
        empty,      ///< new or empty
        same_frames ///< may hold some of these very frames: a process was killed while it put them there
    };
    /// `metadata_json` becomes the comment of the first frame; empty: none.
    explicit FrameFolderWriter(std::filesystem::path folder, std::string metadata_json = {},
                               Folder allowed = Folder::empty);
    ~FrameFolderWriter();
    FrameFolderWriter(const FrameFolderWriter&) = delete;
    FrameFolderWriter& operator=(const FrameFolderWriter&) = delete;

    /// The next frame, as a PNG. Throws Error (NoSpace where the disk is full) naming the file it would become.
    void write(const Image& frame);
    /// Gives the frames their place. Throws Error where that is not possible, or not empty any more.
    void finish();

private:
    /// Held on a folder while it lives, where one can be had.
    class Lock {
    public:
        /// Without `waits`, there is none where somebody else has it.
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
    std::optional<Lock> lock_; ///< on the temporary, so that remove_partials() leaves it
    int frames_ = 0;
    Folder allowed_;
    bool exists_ = false;
};

/// Whether a folder holds nothing but temporaries and frame_00001.png … up to number `most`.
bool holds_only_frames(const std::filesystem::path& folder, int most, std::error_code&);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

#include "engine/core/json.h"
#include "engine/session/folder_lock.h"

namespace denoir {

/// A kind of folder that one process at a time writes, with a JSON file that says what it holds: a run's or a sweep's.
/// The texts are parts of error messages.
struct RecordFolder {
    const char* word;          ///< "run"
    const char* record;        ///< name of the JSON file
    std::size_t most_bytes;    ///< its largest size
    const char* name_one;      ///< "name a run folder"
    const char* is_none;       ///< "is missing: this is not a run folder"
    const char* name_made_one; ///< "name a folder that render made"
    const char* holds_one;     ///< "already holds a run"
};

/// Reads the folder's JSON file. Throws Error if it is missing or cannot be read, UsageError if `folder` is empty.
Json read_record(const std::filesystem::path& folder, const RecordFolder&);

/// Makes a folder, whose parent must exist. False if it was there already. Throws Error naming `named`, the path as the
/// user gave it.
bool make_folder(const std::filesystem::path& path, const std::filesystem::path& named);

/// Makes the folder `path` (its parent must exist; it may be there if it is empty), locks it, and has `save` write its
/// JSON file. If that fails, a new folder is removed again. Throws Error naming `named`.
std::shared_ptr<const FolderLock> begin_record(const std::filesystem::path& path, const std::filesystem::path& named,
                                               const RecordFolder&, const std::function<void()>& save);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

#include "engine/core/json.h"
#include "engine/session/folder_lock.h"

namespace denoir {

/// A folder that one process at a time writes, with a JSON file that says what it holds: of a run or a sweep, in the
/// words of messages.
struct RecordFolder {
    const char* word;          ///< "run"
    const char* record;        ///< name of the file
    std::size_t most_bytes;    ///< of it
    const char* name_one;      ///< "name a run folder"
    const char* is_none;       ///< "is missing: this is not a run folder"
    const char* name_made_one; ///< "name a folder that render made"
    const char* holds_one;     ///< "already holds a run"
};

/// What the file there says. Throws Error where there is none, or it cannot be read.
Json read_record(const std::filesystem::path& folder, const RecordFolder&);

/// True where it was not there before; its parent must be. Throws Error naming `named`.
bool make_folder(const std::filesystem::path& path, const std::filesystem::path& named);

/// Makes `path` (its parent must exist, an empty folder may be there) and locks it; `save` writes the file, without
/// which a folder is none of the kind, and a new one goes again. Throws Error naming `named`.
std::shared_ptr<const FolderLock> begin_record(const std::filesystem::path& path, const std::filesystem::path& named,
                                               const RecordFolder&, const std::function<void()>& save);

} // namespace denoir

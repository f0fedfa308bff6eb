// SPDX-License-Identifier: Apache-2.0
#include "engine/session/record_folder.h"

#include "engine/core/file.h"

namespace denoir {
namespace fs = std::filesystem;

Json read_record(const fs::path& folder, const RecordFolder& kind) {
    std::error_code code;
    if (folder.empty()) throw UsageError("", kind.word, "is empty", kind.name_one);
    if (!fs::is_directory(folder, code))
        throw Error(folder.string(), "", has_entry(folder) ? "is not a folder" : "no such folder", kind.name_one);
    const fs::path file = folder / kind.record;
    if (!has_regular_file(file)) throw Error(folder.string(), kind.record, kind.is_none, kind.name_made_one);
    return parse_json(read_text(file, kind.most_bytes), file.string());
}

bool make_folder(const fs::path& path, const fs::path& named) {
    std::error_code code;
    if (fs::create_directory(path, code)) return true;
    if (!code && fs::is_directory(path)) return false;
    throw Error(named.string(), "", "this folder cannot be created: " + code.message(), "choose another place");
}

std::shared_ptr<const FolderLock> begin_record(const fs::path& path, const fs::path& named, const RecordFolder& kind,
                                               const std::function<void()>& save) {
    const bool made = make_folder(path, named);
    auto lock = std::make_shared<const FolderLock>(path);
    if (!lock->take()) throw Error(named.string(), "", "another process is writing there", "choose another folder");
    if (has_regular_file(path / kind.record)) // made after the caller had checked the folder
        throw Error(named.string(), "", kind.holds_one, "choose another folder");
    try {
        save();
    } catch (const Error&) {
        std::error_code ignored;
        if (made) fs::remove(path, ignored);
        throw;
    }
    return lock;
}

} // namespace denoir

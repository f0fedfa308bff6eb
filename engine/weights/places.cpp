// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/places.h"

#include <algorithm>
#include <string>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace denoir {
namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}
bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

fs::path normal_path(const fs::path& path) {
    std::error_code error; // the working directory is gone, or the path empty
    fs::path full = fs::absolute(path, error);
    full = (error ? path : full).lexically_normal();
    return full.filename().empty() ? full.parent_path() : full;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
    constexpr std::size_t most = 100'000; // beyond that the file system's order would say which
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end && found.size() < most;
         it.increment(error)) {
        std::error_code ignored; // the entry knows without a question to the disk, but for links
        if (it->is_directory(ignored) && !it->path().filename().string().starts_with('.')) found.push_back(it->path());
    }
    std::ranges::sort(found);
    return found;
}

fs::path snapshot_in(const fs::path& folder) {
    if (!is_folder(folder / "snapshots") || !is_folder(folder / "blobs")) return folder;
    try {
        std::string revision = read_text(folder / "refs/main", 4096);
        revision.resize(std::min(revision.find_first_not_of("0123456789abcdefABCDEF"), revision.size()));
        if (!revision.empty() && is_folder(folder / "snapshots" / revision)) return folder / "snapshots" / revision;
    } catch (const Error&) { // not there, or not what the cache writes
    }
    const std::vector<fs::path> all = folders_in(folder / "snapshots");
    return all.size() == 1 ? all.front() : folder;
}

} // namespace denoir

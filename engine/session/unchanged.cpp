// SPDX-License-Identifier: Apache-2.0
#include "engine/session/unchanged.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/core/error.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/file_hashes.h"
#include "engine/weights/tokenizer_places.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

std::int64_t nanoseconds(const timespec& t) { return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec; }

struct Stamp {
    std::uint64_t bytes;
    std::int64_t modified, touched; ///< nanoseconds since 1970. touched: also when the file was renamed or replaced
};

std::optional<Stamp> stamp(const fs::path& file) {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0) return std::nullopt;
    return Stamp{std::uint64_t(s.st_size), nanoseconds(s.st_mtim), nanoseconds(s.st_ctim)};
}

/// Whether `file` is gone, or was written or put there later than `before` was written.
bool is_newer(const fs::path& file, const Stamp& before) {
    const auto now = stamp(file);
    return !now || std::max(now->modified, now->touched) > before.modified;
}

/// Whether `file` is a tokenizer that was not read, because `all` holds one that comes before it in the same folder.
bool is_second_tokenizer(const fs::path& file, std::span<const ModelFile> all) {
    const auto own = std::find(tokenizer_names.begin(), tokenizer_names.end(), file.filename().native());
    return own != tokenizer_names.end() && std::any_of(tokenizer_names.begin(), own, [&](const char* before) {
               return std::ranges::find(all, (file.parent_path() / before).string(), &ModelFile::path) != all.end();
           });
}

} // namespace

bool inputs_unchanged(const RunRecord& run, const fs::path& folder) {
    for (const ModelFile& file : files_still_read(run, true)) {
        const auto now = stamp(file.path);
        if (!now || now->bytes != file.bytes || now->modified != file.modified_ns) return false;
    }
    const auto written = stamp(folder / run_file::conditioning);
    if (!written) return false;
    const fs::path& noise = run.request.noise.file;
    return pictures_written_since(run, folder).empty() && (noise.empty() || !is_newer(noise, *written));
}

std::vector<fs::path> pictures_written_since(const RunRecord& run, const fs::path& folder) {
    const auto written = stamp(folder / run_file::conditioning);
    const Request& r = run.request;
    std::vector<fs::path> out;
    for (const fs::path& file : {r.image, r.last_image, r.forcing ? r.forcing->video : fs::path()})
        if (written && !file.empty() && is_newer(file, *written)) out.push_back(file);
    return out;
}

std::vector<ModelFile> files_still_read(const RunRecord& run, bool draws) {
    std::vector<ModelFile> files = run.files;
    const std::string noise = run.request.noise.file.lexically_normal().string();
    if (!draws) std::erase_if(files, [&](const ModelFile& file) { return file.path == noise; });
    std::erase_if(files, [&](const ModelFile& file) { return is_second_tokenizer(file.path, run.files); });
    return files;
}

ModelChanges model_changes(std::span<const ModelFile> then, const std::stop_token& stop) {
    ModelChanges out;
    std::vector<const ModelFile*> doubtful;
    std::vector<fs::path> to_read;
    for (const ModelFile& file : then) {
        std::error_code code;
        const auto now = fs::is_regular_file(file.path, code) ? stamp(file.path) : std::nullopt;
        if (now && now->bytes != file.bytes)
            out.changed.push_back(file.path);
        else if (now && now->modified == file.modified_ns)
            continue;
        else if (!now || file.sha256.empty())
            out.unsure.push_back(file.path);
        else
            doubtful.push_back(&file), to_read.emplace_back(file.path);
    }
    if (doubtful.empty()) return out;
    FileHashes hashes(to_read, FileHashes::Pace::waited_for);
    hashes.wait(std::chrono::hours(24), stop); // as long as it takes
    const std::vector<ModelFile> now = hashes.files();
    for (const ModelFile* file : doubtful) {
        const auto same = std::ranges::find(now, file->path, &ModelFile::path);
        if (same == now.end() || same->sha256.empty())
            out.unsure.push_back(file->path);
        else if (same->sha256 != file->sha256)
            out.changed.push_back(file->path);
    }
    return out;
}

std::vector<ModelFile> since_the_beginning(std::span<const ModelFile> then, std::vector<ModelFile> now) {
    for (const ModelFile& began : then) {
        const auto same = std::ranges::find(now, began.path, &ModelFile::path);
        if (same == now.end()) {
            now.push_back(began);
            continue;
        }
        const bool known = !began.sha256.empty() && same->sha256 == began.sha256; // the same content, if touched
        const bool untouched = same->bytes == began.bytes && same->modified_ns == began.modified_ns;
        if (known || (untouched && began.sha256.empty())) continue;
        *same = began;
    }
    return now;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/unchanged.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "engine/pipeline/run_layout.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

std::int64_t nanoseconds(const timespec& t) { return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec; }

struct Stamp {
    std::uint64_t bytes;
    std::int64_t modified, touched; ///< since 1970; touched: renamed or replaced, too, whatever time the content has
};

std::optional<Stamp> stamp(const fs::path& file) {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0) return std::nullopt;
    return Stamp{std::uint64_t(s.st_size), nanoseconds(s.st_mtim), nanoseconds(s.st_ctim)};
}

} // namespace

bool inputs_unchanged(const RunRecord& run, const fs::path& folder) {
    for (const ModelFile& file : run.files) {
        const auto now = stamp(file.path);
        if (!now || now->bytes != file.bytes || now->modified != file.modified_ns) return false;
    }
    const auto written = stamp(folder / run_file::conditioning);
    if (!written) return false;
    const Request& r = run.request;
    for (const fs::path& file : {r.image, r.last_image, r.noise.file, r.forcing ? r.forcing->video : fs::path()}) {
        if (file.empty()) continue;
        const auto now = stamp(file);
        if (!now || std::max(now->modified, now->touched) > written->modified) return false;
    }
    return true;
}

} // namespace denoir

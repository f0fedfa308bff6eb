// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/run_layout.h"

#include <system_error>

namespace denoir {
namespace fs = std::filesystem;

bool is_run_folder(const fs::path& folder) {
    std::error_code code;
    return fs::exists(folder / run_file::record, code);
}

bool is_whole_run_folder(const fs::path& folder) {
    std::error_code code;
    return fs::is_regular_file(folder / run_file::record, code) && fs::is_directory(folder / run_file::latents, code) &&
           fs::is_directory(folder / run_file::solver, code);
}

std::optional<fs::path> run_of_video(const fs::path& file) {
    if (file.filename() != run_file::video) return std::nullopt;
    fs::path folder = file.parent_path();
    if (folder.empty()) folder = ".";
    if (!is_run_folder(folder)) return std::nullopt;
    return folder;
}

} // namespace denoir

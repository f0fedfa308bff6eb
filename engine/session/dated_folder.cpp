// SPDX-License-Identifier: Apache-2.0
#include "engine/session/dated_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "engine/core/disk.h"
#include "engine/core/error.h"
#include "engine/core/own_folders.h"
#include "engine/core/text.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr int most = 1000; ///< names tried for one second

fs::path dated(const fs::path& folder, std::time_t now, const std::string& what, int number) {
    const std::string name = fmt::format("{:%Y%m%d-%H%M%S}{}{}", fmt::gmtime(now), what.empty() ? "" : "-", what);
    return folder / (number == 1 ? name : fmt::format("{}-{}", name, number));
}

/// The beginning of `text`, at most `limit` bytes, cut between characters: some programs open no name that is not
/// UTF-8.
std::string beginning(std::string_view text, std::size_t limit) {
    std::size_t end = 0;
    while (end < text.size()) {
        const std::size_t next = end + std::max<std::size_t>(1, utf8_length(text.substr(end)));
        if (next > limit) break;
        end = next;
    }
    return std::string(text.substr(0, end));
}

} // namespace

fs::path make_dated_folder(const std::string& kind, const std::string& what, const std::string& option) {
    const fs::path folder = data_folder() / kind;
    std::error_code code;
    fs::create_directories(folder, code);
    const std::time_t now = std::time(nullptr);
    for (int i = 1; i < most; ++i) {
        fs::path path = dated(folder, now, what, i);
        if (fs::create_directory(path, code)) return path;
        if (!code) continue; // the name is taken
        const Error why(path.string(), "", "this folder cannot be created: " + code.message(),
                        fmt::format("set DENOIR_HOME, or give {}", option));
        if (code == std::errc::no_space_on_device || code.value() == EDQUOT) throw NoSpace(why);
        throw why;
    }
    throw Error(folder.string(), "", fmt::format("already holds too many {} from this second", kind), "give " + option);
}

void link_dated(const fs::path& target, const fs::path& folder) {
    const std::time_t now = std::time(nullptr);
    const std::string what = beginning(target.filename().native(), 100);
    for (int i = 1; i < most; ++i) {
        std::error_code code;
        fs::create_directory_symlink(target, dated(folder, now, what, i), code);
        if (code != std::errc::file_exists) return;
    }
}

} // namespace denoir

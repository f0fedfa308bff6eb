// SPDX-License-Identifier: Apache-2.0
#include "engine/core/file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "engine/core/open_file.h"
#include "engine/core/text.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// The status of the file behind any links. Throws Error if it cannot be found out.
fs::file_status status_of(const fs::path& path) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (status.type() == fs::file_type::none) throw_system_error(path, code.value());
    return status;
}

} // namespace

std::string read_text(const fs::path& path, std::size_t limit) {
    constexpr std::size_t block = 4096; // procfs returns no more at a time
    const OpenFile file = open_regular(path);
    const Descriptor close_later(file.fd);
    const auto too_long = [&] {
        return Error(path.native(), "", fmt::format("is longer than {} bytes", limit),
                     "no file that is read here is that long");
    };
    if (file.bytes > limit) throw too_long();
    std::string text;
    for (;;) { // the size may change while we read, and some file systems report 0
        const std::size_t have = text.size();
        text.resize(std::max(file.bytes + 1, have + block));
        ssize_t got = 0;
        do got = ::read(file.fd, text.data() + have, text.size() - have);
        while (got < 0 && errno == EINTR);
        if (got < 0) throw_system_error(path, errno);
        text.resize(have + static_cast<std::size_t>(got));
        if (text.size() > limit) throw too_long();
        if (got == 0) return text;
    }
}

bool has_entry(const fs::path& path) { return fs::exists(status_of(path)); }
bool has_regular_file(const fs::path& path) { return fs::is_regular_file(status_of(path)); }

std::vector<fs::directory_entry> entries_of(const fs::path& folder, std::error_code& code) {
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) entries.push_back(*it);
    return entries;
}

bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code code;
    return fs::equivalent(a, b, code) && !code;
}

fs::path behind_link(const fs::path& path) {
    constexpr int most_links = 40; // as in Linux
    fs::path at = path;
    for (int links = 0;; ++links) {
        struct stat status {};
        if (::lstat(at.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) break;
        if (links == most_links || (status.st_uid != ::geteuid() && status.st_uid != 0)) return path;
        std::error_code code;
        const fs::path target = fs::read_symlink(at, code);
        if (code) return path;
        at = at.parent_path() / target; // just the target if it is absolute
    }
    if (!path.has_extension()) return path;
    std::error_code code;
    const fs::file_type found = fs::status(path, code).type();
    const bool can_be = found == fs::file_type::regular || found == fs::file_type::not_found;
    const bool fits = at.has_filename() && lower_extension(at) == lower_extension(path);
    return can_be && fits && !find_invalid_utf8(at.native()) ? at : path;
}

std::string file_stamp(const fs::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return file.string();
    return fmt::format("{} {} {} {}.{}", file.string(), status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
}

std::string printable_name(const std::filesystem::path& path, std::size_t limit) {
    return printable(path.filename().string(), limit);
}

std::string lower_extension(const fs::path& path) { return lower_ascii(path.extension().string()); }

} // namespace denoir

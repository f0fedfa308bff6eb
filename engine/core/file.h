// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace denoir {

/// The content of a regular file. Throws Error where it is longer than `limit` bytes or cannot be read.
std::string read_text(const std::filesystem::path& path, std::size_t limit);

/// Whether `path`, links followed, is there: a file, a folder, a device. Throws Error where that cannot be found out
/// (no permission, links in a circle, a disk that reports an error): it may be there all the same.
bool has_entry(const std::filesystem::path& path);
/// The same for a regular file alone.
bool has_regular_file(const std::filesystem::path& path);

/// The entries of a folder in no particular order, up to the first error, which `code` receives.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder, std::error_code& code);

/// True where both names lead to one existing file, through links and other spellings too.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Where to write an output that a person named `path`: if it is a link, the file behind it, so that the link
/// survives, as in editors; else `path` itself. A link is followed only if it is ours or root's (in a shared folder
/// others may have planted it), leads to a regular file or a free name, and keeps the extension (".mp4"), which
/// decides the format. For a name that a person types, never for one that was read from a file.
std::filesystem::path behind_link(const std::filesystem::path& path);

/// A key that changes with a file's content, for caches that live as long as the program: path, inode, size and time.
std::string file_stamp(const std::filesystem::path& file);

/// The last part of a path for a message, as printable() makes it, at most `limit` bytes.
std::string printable_name(const std::filesystem::path& path, std::size_t limit = 80);

/// ".mp4", in small letters.
std::string lower_extension(const std::filesystem::path& path);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace denoir {

/// The whole of a regular file, at most `limit` bytes, else an Error that says so.
std::string read_text(const std::filesystem::path& path, std::size_t limit);

/// True where something of that name is there, through links too: a file, a folder, a device. Throws Error where that
/// cannot be found out (no permission, links in a circle, a disk that reports an error): it may be there all the same.
bool has_entry(const std::filesystem::path& path);
/// The same of a regular file.
bool has_regular_file(const std::filesystem::path& path);

/// What lies in a folder, in no order; up to the first error, which `code` then tells.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder, std::error_code& code);

/// True where both names lead to one existing file, through links and other spellings too.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Where a result goes that someone named `path`: behind a link of that name, so that the link stays, as editors do;
/// else `path` itself. Followed are links that are ours or root's (in a folder for everybody others may have put one
/// there), that lead to a file or to where one can be, and whose last name ends as `path` does (".mp4"), which says
/// what is written. For a name that a person types, never for one that was found in a file.
std::filesystem::path behind_link(const std::filesystem::path& path);

/// Tells a file's content from what lay there before, for as long as a program runs: path, inode, size and time.
std::string file_stamp(const std::filesystem::path& file);

/// ".mp4", in small letters.
std::string lower_extension(const std::filesystem::path& path);

} // namespace denoir

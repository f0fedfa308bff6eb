// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace denoir {

/// The content of a regular file. Throws Error if it is longer than `limit` bytes or cannot be read.
std::string read_text(const std::filesystem::path& path, std::size_t limit);

/// Whether there is something at `path` or behind the link there: a file, a folder, a device. Throws Error if that
/// cannot be found out, as it may be there all the same (no permission, links in a circle, a disk error).
bool has_entry(const std::filesystem::path& path);
/// The same for regular files only.
bool has_regular_file(const std::filesystem::path& path);

/// The entries of a folder in no particular order. After an error, which is stored in `code`, those read before it.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder, std::error_code& code);

/// Whether both names lead to the same existing file, even through links or by different spellings.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Where to write an output that a person named `path`: if it is a link, the file behind it, so that the link stays, as
/// in editors; else `path` itself. A link is followed only if it is ours or root's (in a shared folder others may have
/// put it there), leads to a regular file or a free name, and has the same extension (".mp4"), which decides the
/// format. Only for names that a person typed, not for those read from a file.
std::filesystem::path behind_link(const std::filesystem::path& path);

/// A key that changes when a file's content does, for caches within this process: path, inode, size and time.
std::string file_stamp(const std::filesystem::path& file);

/// The last part of a path for a message, made printable(), at most `limit` bytes.
std::string printable_name(const std::filesystem::path& path, std::size_t limit = 80);

/// The extension with its dot in lower case: ".mp4". Empty if there is none.
std::string lower_extension(const std::filesystem::path& path);

} // namespace denoir

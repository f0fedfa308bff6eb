// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace denoir {

/// The whole of a regular file, at most `limit` bytes, else an Error that says so.
std::string read_text(const std::filesystem::path& path, std::size_t limit);

/// True where a regular file is there, through links too. Throws Error where that cannot be found out (no permission, a
/// disk that reports an error): it may be there all the same.
bool has_regular_file(const std::filesystem::path& path);

/// True where both names lead to one existing file, through links and other spellings too.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Tells a file's content from what lay there before, for as long as a program runs: path, inode, size and time.
std::string file_stamp(const std::filesystem::path& file);

/// ".mp4", in small letters.
std::string lower_extension(const std::filesystem::path& path);

} // namespace denoir

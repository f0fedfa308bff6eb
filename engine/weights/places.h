// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

namespace denoir {

// Files and folders where models lie. Nothing here throws: what cannot be looked at counts as missing.

bool is_folder(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);

/// Absolute (an empty path, and any relative one while the working directory is gone, stays relative), without "..",
/// and with a name of its own: no slash at the end.
std::filesystem::path normal_path(const std::filesystem::path& path);

/// The folders in a folder that are not hidden, sorted, at most 100,000; none where it cannot be read.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder);

/// The folder with a repository's files where `folder` is its entry in the Hugging Face cache, which keeps them as
/// links in snapshots/<revision>/: the revision that refs/main names, or the only one. Any other folder itself.
std::filesystem::path snapshot_in(const std::filesystem::path& folder);

} // namespace denoir

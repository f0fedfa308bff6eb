// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

namespace denoir {

// Files and folders where models lie. Nothing here throws: what cannot be looked at is not there.

bool is_folder(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);

/// Absolute, without "..", and with a name of its own: no slash at the end.
std::filesystem::path normal_path(const std::filesystem::path& path);

/// The folders in a folder that are not hidden, sorted, at most 100,000; none where it cannot be read.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder);

/// The Hugging Face cache keeps a repository's files in snapshots/<revision>/, as links: what refs/main names, or the
/// only one. Any other folder is itself.
std::filesystem::path snapshot_in(const std::filesystem::path& folder);

} // namespace denoir

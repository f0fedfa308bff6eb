// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace denoir {

// Folders for our own files, one of each kind: `DENOIR_HOME`/name if that variable is set, else "denoir" in the XDG
// folder of that kind. They are created if they are missing; throw Error.
std::filesystem::path data_folder(); ///< holds the runs
/// The path of data_folder(), for readers: it is not created and may be missing.
std::filesystem::path data_place();
std::filesystem::path config_folder();
std::filesystem::path cache_folder();

/// Creates `folder`, which lies in one of those, and its parents if they are missing, and returns it. Throws Error.
std::filesystem::path made_folder(const std::filesystem::path& folder);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace denoir {

/// `DENOIR_HOME`/name, else the XDG folder of that kind + "/denoir"; created when missing.
std::filesystem::path data_folder(); ///< runs
/// Where data_folder() is, for readers: it is not created and may be missing.
std::filesystem::path data_place();
std::filesystem::path config_folder();
std::filesystem::path cache_folder();

/// Creates `folder`, which lies in one of those, and its parents where they are missing, and returns it. Throws Error.
std::filesystem::path made_folder(const std::filesystem::path& folder);

} // namespace denoir

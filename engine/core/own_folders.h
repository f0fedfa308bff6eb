// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace denoir {

/// `DENOIR_HOME`/name, else the XDG folder of that kind + "/denoir"; created when missing.
std::filesystem::path data_folder(); ///< runs
/// The same place for who only reads there: nothing is created, and it may not be there.
std::filesystem::path data_place();
std::filesystem::path config_folder();
std::filesystem::path cache_folder();

/// A folder in one of those, made with all that it lies in where it is not there. Throws Error.
std::filesystem::path made_folder(const std::filesystem::path& folder);

} // namespace denoir

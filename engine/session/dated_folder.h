// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

/// Names from this second on, "20260701-120000-WHAT" or, of nothing, "20260701-120000", with "-2", "-3" … where one is
/// taken.
namespace denoir {

/// Makes an empty folder below the data folder's `kind` ("runs"). Throws Error; `option` is what gives another place.
std::filesystem::path make_dated_folder(const std::string& kind, const std::string& what, const std::string& option);

/// A link in `folder` to the folder `target`, if one can be made.
void link_dated(const std::filesystem::path& target, const std::filesystem::path& folder);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

/// Folders and links named by the current time (UTC): "20260701-120000-WHAT", or "20260701-120000" without a WHAT.
/// "-2", "-3" … follow where the name is taken.
namespace denoir {

/// Makes an empty folder in the data folder's subfolder `kind` ("runs"). `what` may be empty. Throws Error, whose hint
/// names `option`, the command line's option for another place.
std::filesystem::path make_dated_folder(const std::string& kind, const std::string& what, const std::string& option);

/// Makes a link in `folder` to the folder `target`, named after it. Does nothing if no link can be made.
void link_dated(const std::filesystem::path& target, const std::filesystem::path& folder);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to model_folder.cpp: what to say if no transformer is found.
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/weights/networks.h"

namespace denoir {

/// Throws an Error that says what the files at `place` hold instead (`found`: the networks in them), or Cancelled, for
/// which it looks before each file.
[[noreturn]] void refuse_no_transformer(const std::filesystem::path& place, const std::vector<Network>& found,
                                        const std::stop_token&);

/// The names of a few files with transformers in the first subfolders of `folder`, which may hold one model in two
/// qualities, for example; empty if there are none.
std::string transformers_deeper(const std::filesystem::path& folder, NetworkSearch&);

/// Why a file in `folder` that may be the transformer cannot be read; empty if the first few files hold none. Throws
/// Cancelled, for which it looks before each file.
std::string unread_transformer(const std::filesystem::path& folder, const std::stop_token&);

} // namespace denoir

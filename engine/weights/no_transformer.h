// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to model_folder.cpp: what to say where no transformer is found.
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/weights/networks.h"

namespace denoir {

/// Throws an Error that says what the files at `place` hold instead (`found`: the networks in them), or Cancelled
/// between two files.
[[noreturn]] void refuse_no_transformer(const std::filesystem::path& place, const std::vector<Network>& found,
                                        const std::stop_token&);

/// The names of a few files that hold transformers, such as one model in two qualities, in the first folders of
/// `folder`; empty where there are none.
std::string transformers_deeper(const std::filesystem::path& folder, NetworkSearch&);

/// Why a file in `folder` that may be the transformer cannot be read; empty: no such file among the first few. Throws
/// Cancelled between two files.
std::string unread_transformer(const std::filesystem::path& folder, const std::stop_token&);

} // namespace denoir

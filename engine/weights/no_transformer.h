// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to model_folder.cpp: what to say where no transformer is found.
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/weights/networks.h"

namespace denoir {

/// Throws Error saying what the files there hold, Cancelled between them; `found`: the networks among it.
[[noreturn]] void refuse_no_transformer(const std::filesystem::path& place, const std::vector<Network>& found,
                                        const std::stop_token&);

/// Files of the first folders of a folder that hold transformers, such as one model in two qualities.
std::string transformers_deeper(const std::filesystem::path& folder, NetworkSearch&);

/// Of the first few files of a folder without a transformer: why one that may be it cannot be read. Throws Cancelled
/// between them.
std::string unread_transformer(const std::filesystem::path& folder, const std::stop_token&);

} // namespace denoir

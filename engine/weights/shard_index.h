// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace denoir {

/// `*.safetensors.index.json`: tensor name -> file name (spec/checkpoints.md 1.4). Every file name is a plain name of a
/// file in the same folder that exists; anything else is an Error.
std::map<std::string, std::string> read_shard_index(const std::filesystem::path& path);

} // namespace denoir

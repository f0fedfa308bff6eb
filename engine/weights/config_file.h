// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/json.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/weights.h"

namespace denoir {

/// config.json of `folder` as far as it speaks about `component`; an empty object where there is none. In original
/// repositories the transformer's config.json lies beside all other parts: from one that is another network's only what
/// is meant for everyone is kept (text_len, latents_mean, latents_std, family, num_res_blocks). Whose it is its class
/// says, else its keys, else `otherwise`; where all of that is open it is everyone's. Throws Error naming the file
/// where it is no JSON object.
Json read_config(const std::filesystem::path& folder, Component component, Component otherwise = Component::unknown);

/// Under this key of their metadata files that convert() wrote hold the config.json that lay beside its input: such a
/// file may be moved anywhere, and still says how many heads its network has.
inline constexpr const char* carried_config_key = "denoir.config";
/// That object, of the first file that has one; empty where none has. Throws Error naming the file where it is none.
Json carried_config(const Checkpoint&);
/// What lies in the folder wins, key by key, over what a file carries.
Json with_carried(const Json& config, const Checkpoint&);

/// A JSON object from a file of at most 1 MiB; an empty object where the file does not exist.
Json read_json_object(const std::filesystem::path& path);
/// JSON that a tensor or a metadata key of `file` holds: errors name `field` first, and say `hint`, for nobody corrects
/// it by hand.
Json parse_carried_json(std::string_view text, const std::string& file, std::string_view field, const char* hint);
/// A config.json that is carried so: an object of at most 1 MiB.
Json parse_carried_config(std::string_view text, const std::string& file, const char* field, const char* hint);

} // namespace denoir

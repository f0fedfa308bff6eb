// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/json.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/weights.h"

namespace denoir {

/// What the config.json in `folder` says about `component`; an empty object if there is none. In original repositories
/// the transformer's config.json lies beside all other parts. So if it belongs to another network, only the keys that
/// are meant for all are kept (text_len, latents_mean, latents_std, family, num_res_blocks). Whose it is, is told by
/// its class, else by its keys, else by `otherwise`; if that is unknown too, it counts for every component. Throws
/// Error naming the file if it is not a JSON object.
Json read_config(const std::filesystem::path& folder, Component component, Component otherwise = Component::unknown);
/// The same for a network in `checkpoint`, from the config.json in its folder. One that does not tell whose it is, such
/// as {"num_heads": 12}, is the transformer's, provided that one is in the checkpoint or in a file beside it.
Json config_beside(const Checkpoint& checkpoint, Component component);

/// The metadata key under which convert() stores the config.json that lay beside its input, so that the new file still
/// says how many heads its network has when it is moved elsewhere.
inline constexpr const char* carried_config_key = "denoir.config";
/// That object from the first file that has it; empty if none has. Throws Error naming the file if it is not an object.
Json carried_config(const Checkpoint&);
/// `config` (the folder's); keys that it lacks are taken from what the checkpoint carries.
Json with_carried(const Json& config, const Checkpoint&);

/// A key that changes with everything that Weights::load reads for `files`: as far as file_stamp() tells, their
/// content, that of the config.json beside each, and that of the index whose shards they are.
std::string weights_stamp(std::span<const std::filesystem::path> files);

/// A JSON object from a file of at most 1 MiB; an empty object if the file does not exist. Throws Error.
Json read_json_object(const std::filesystem::path& path);
/// Parses JSON that is stored in a tensor or a metadata key of `file`. Errors name `field` and end with `hint`, since
/// nobody corrects such text by hand.
Json parse_carried_json(std::string_view text, const std::string& file, std::string_view field, const char* hint);
/// The same for a config.json: an object of at most 1 MiB.
Json parse_carried_config(std::string_view text, const std::string& file, const char* field, const char* hint);

} // namespace denoir

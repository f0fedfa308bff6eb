// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/json_reader.h"
#include "engine/pipeline/request.h"

namespace denoir {

/// The keys of a request in the order in which they are stored (CONTRACT.md, "The request"), without `schema`.
const std::vector<std::string_view>& request_keys();

/// Where a value was written; no file: in an option or a field of a window.
using RequestSource = JsonSource;

/// One field. Wrong types and values out of range are refused by name: UsageError for values and without a file, else
/// Error.
void set_request_field(Request&, std::string_view key, const Json& value, const RequestSource&);

/// "960x544" as `width` and `height`, refused as those fields are. Text of another form: UsageError, field `size`.
void set_request_size(Request&, std::string_view text, const RequestSource&);

/// The field as a fresh Request has it: the model's default. Throws Error for an unknown key.
void clear_request_field(Request&, std::string_view key);

/// The fields of a request object over those already there. Unknown keys are refused with the key that was probably
/// meant; `schema` must be 1. Nothing is filled in and no file is looked at.
void apply_request(Request&, const Json& object, const RequestSource&);
Request request_from_json(const Json& object, const RequestSource&);

/// A request file, at most 4 MiB, or what carries a request (carried_request.h). Relative paths are relative to its own
/// folder.
void apply_request_file(Request&, const std::filesystem::path& file);

/// The stored form: every key, optionals that are empty as null; `cache`, which is younger than many stored requests,
/// only where it is used.
Json to_json(const Request&);

/// Only what was asked for: keys whose value is open are left out, so that request_from_json() gives the same request
/// again.
Json asked_json(const Request&);

/// Absolute, `text` taken literally: `..` and links stay.
std::filesystem::path resolved_path(std::string_view text, const std::filesystem::path& folder);

/// Whether it holds a path, by its dotted name: "image", "forcing.video", "loras.0.file".
bool is_path_field(std::string_view field);

/// Where a request names a file or folder: its model and parts of it, LoRAs, pictures, noise, a video, a run.
std::vector<std::filesystem::path*> paths_of(Request&);

/// For storing: until then paths are as the user wrote them, and so are messages.
void make_paths_absolute(Request&);

} // namespace denoir

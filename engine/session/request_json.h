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

/// Where a value was written, for errors. No file: in an option, or in a field of a window.
using RequestSource = JsonSource;

/// Sets one field. Throws naming it: UsageError for a value out of range, and for anything without a file; Error for a
/// wrong type in a file.
void set_request_field(Request&, std::string_view key, const Json& value, const RequestSource&);

/// "960x544" as `width` and `height`, refused as those fields are. Text of another form: UsageError, field `size`.
void set_request_size(Request&, std::string_view text, const RequestSource&);

/// Resets a field to what a fresh Request has: the model's default. Throws Error for an unknown key.
void clear_request_field(Request&, std::string_view key);

/// Sets the fields of a request object; others stay. `schema` must be 1. Fills in no defaults and reads no files.
/// Throws as set_request_field() does, and for an unknown key with the key that was probably meant.
void apply_request(Request&, const Json& object, const RequestSource&);
Request request_from_json(const Json& object, const RequestSource&);

/// Applies a request file, at most 4 MiB, or anything that carries a request (carried_request.h). Relative paths are
/// relative to its folder. Throws as apply_request() does.
void apply_request_file(Request&, const std::filesystem::path& file);

/// The stored form: every key, with null for empty optionals. Keys that were added later, such as `cache`, are written
/// only if they are used.
Json to_json(const Request&);

/// Only what was asked for: keys without a value are left out. request_from_json() gives the same request again.
Json asked_json(const Request&);

/// `path` made absolute, relative to `folder` (empty: the working directory), without a slash at its end; `..` and
/// links are kept.
std::filesystem::path resolved_path(const std::filesystem::path& path, const std::filesystem::path& folder = {});

/// The key of the request that a field, by its dotted name, is or belongs to: "loras" of "loras.0.strength".
inline std::string_view top_key(std::string_view field) { return field.substr(0, field.find('.')); }

/// Whether `inner` is the field `outer` or a member of it: "cache" covers "cache" and "cache.threshold".
inline bool covers(std::string_view outer, std::string_view inner) {
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
}

/// Whether a field, by its dotted name, holds a path: "image", "forcing.video", "loras.0.file".
bool is_path_field(std::string_view field);

/// The members of a request that name a file or folder and are not empty: model, its parts, LoRAs, pictures, noise,
/// video, run.
std::vector<std::filesystem::path*> paths_of(Request&);

/// Makes every path absolute, for storing. Until then paths, and messages about them, stay as the user wrote them.
void make_paths_absolute(Request&);

} // namespace denoir

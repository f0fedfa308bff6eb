// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/core/json.h"
#include "engine/pipeline/request.h"

namespace denoir {

/// The request in the metadata text of a video or PNG, as a JSON object. Null if it is anything else, such as the
/// metadata of other programs, which lacks our `schema`. `name`: of the file, for errors.
Json request_in(const std::string& text, const std::string& name);

/// The resolved request carried by rendered output: a run's folder, a video, a PNG frame or a folder of frames. Empty
/// if `path` is anything else (usually a request file) or does not exist. Throws Error naming `path` if a video or PNG
/// carries no request of ours.
std::optional<Request> carried_request(const std::filesystem::path& path);

/// A resolved request turned back into a request file that can be varied: whatever would be derived again from the
/// model, the images and the dtype is left out. A clip that was made in one window still will be.
Json open_request_json(const Request& made);

/// `path` as a request: open_request_json() if it carries one, else the JSON of a file of at most `most` bytes. Throws
/// Error.
Json read_request_json(const std::filesystem::path& path, std::size_t most);

} // namespace denoir

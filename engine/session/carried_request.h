// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/core/json.h"
#include "engine/pipeline/request.h"

namespace denoir {

/// The JSON object in the text that a video or PNG carries. It may come from anyone: null where it is no request, as
/// other programs' JSON, which lacks our `schema`. `name`: of the file.
Json request_in(const std::string& text, const std::string& name);

/// The request that what was rendered carries, as it was resolved: a run's folder, a video, a PNG frame or a folder of
/// them. Nothing where `path` is something else, a request file above all, or is not there. Throws Error naming `path`
/// where a video or PNG carries none, or only another program's text.
std::optional<Request> carried_request(const std::filesystem::path& path);

/// A resolved request as a request file: what follows from the model, its images and the type is left open where it
/// would follow again, so that others may be given over it; a clip made in one window is made in one again.
Json open_request_json(const Request& made);

/// `path` as a request: the JSON of a file of at most `most` bytes, or open_request_json() of what it carries. Throws
/// Error.
Json read_request_json(const std::filesystem::path& path, std::size_t most);

} // namespace denoir

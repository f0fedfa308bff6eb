// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>

#include "engine/core/json.h"
#include "engine/pipeline/request.h"

namespace denoir {

/// The request that what was rendered carries, as it was resolved: a run's folder, a video, a PNG frame or a folder of
/// them. Nothing where `path` is something else, a request file above all, or is not there. Throws Error naming `path`
/// where a video or PNG carries none, or only another program's text.
std::optional<Request> carried_request(const std::filesystem::path& path);

/// `path` as a request: the JSON of a file of at most `most` bytes, or the one that it carries. Of that, what follows
/// from the model, its images and the type is left open where it would follow again, so that others may be given over
/// it; a clip made in one window is made in one again. Throws Error.
Json read_request_json(const std::filesystem::path& path, std::size_t most);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>
#include <vector>

#include "engine/pipeline/request.h"
#include "engine/weights/model_folder.h"

/// The files that a command reads, including those that it was not told by name: no output may replace any of them
/// (CONTRACT.md, Rules).
namespace denoir {

/// Files and folders that a request names.
std::vector<std::filesystem::path> inputs_of(const Request&);

/// Throws Error for a path that is not UTF-8, since a run.json or sweep.json could not hold it.
void check_storable(std::span<const std::filesystem::path>);

/// inputs_of(request) without the model, which may be a name instead of a path.
std::vector<std::filesystem::path> inputs_before_model(const Request&);

/// The parts of a model and the JSON files beside them.
std::vector<std::filesystem::path> inputs_of(const ModelFolder&);

/// Everything that a request reads, including its model's files; if the model cannot be opened, only its path. Throws
/// Error if there is no such model.
std::vector<std::filesystem::path> all_inputs_of(const Request&);

/// A file of weights, the JSON files beside it and, if it is an index of several files, those.
std::vector<std::filesystem::path> weights_inputs(const std::filesystem::path& weights);

/// A video, picture, trace or run folder itself and, for a run, everything that its request reads.
std::vector<std::filesystem::path> source_inputs(const std::filesystem::path& source);

} // namespace denoir

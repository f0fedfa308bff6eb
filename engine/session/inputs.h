// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>
#include <vector>

#include "engine/pipeline/request.h"
#include "engine/weights/model_folder.h"

/// What a command reads, beside what it was told to: no output may replace any of it (CONTRACT.md, Rules).
namespace denoir {

/// Files and folders that a request names.
std::vector<std::filesystem::path> inputs_of(const Request&);

/// Refuses paths with names that are not UTF-8: what is stored holds them, as JSON. Throws Error.
void check_storable(std::span<const std::filesystem::path>);

/// Those that it names beside its model, which may be a name.
std::vector<std::filesystem::path> inputs_before_model(const Request&);

/// The parts of a model and the JSON files beside them.
std::vector<std::filesystem::path> inputs_of(const ModelFolder&);

/// Files that a request reads, with those of its model, which may be a name; of a model that cannot be opened, its path
/// alone. Throws Error where there is no such model.
std::vector<std::filesystem::path> all_inputs_of(const Request&);

/// A file of weights with its config.json and, where it is the index of several files, these.
std::vector<std::filesystem::path> weights_inputs(const std::filesystem::path& weights);

/// A video, picture, trace or run folder: itself, and for a run everything its request reads.
std::vector<std::filesystem::path> source_inputs(const std::filesystem::path& source);

} // namespace denoir

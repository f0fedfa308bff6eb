// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/session/run_record.h"

namespace denoir {

/// Whether everything that a run read is still as it was: the files that run.json lists of it have the same size and
/// time, and the images, the noise file (which older runs do not list) and a continued video have not been modified
/// since the run's conditioning.safetensors was written.
bool inputs_unchanged(const RunRecord& run, const std::filesystem::path& folder);

/// The images and the continued video of a run that are gone or have been written since its conditioning.safetensors
/// was: no sums of them are kept. None where that file is missing.
std::vector<std::filesystem::path> pictures_written_since(const RunRecord& run, const std::filesystem::path& folder);

/// Which of the files that a run began with have changed.
struct ModelChanges {
    std::vector<std::string> changed; ///< another size, or another SHA-256 than in run.json
    std::vector<std::string> unsure;  ///< missing, or another time and no SHA-256 in run.json to compare with
};

/// Files of the same size and time count as unchanged. A file of another time is hashed if run.json has its SHA-256 and
/// the cache does not have the current one. Throws Cancelled.
ModelChanges model_changes(std::span<const ModelFile> then, const std::stop_token& stop);

/// The files that a run began with and that its remaining steps still depend on: all but the noise file, which only
/// counts if noise is still to be drawn (`draws`), and a tokenizer beside the one that was read.
std::vector<ModelFile> files_still_read(const RunRecord&, bool draws);

/// The files for run.json of a resumed run: `now`, but each file keeps the SHA-256 that the run began with even if its
/// current one differs. `now` need not have all hashes yet.
std::vector<ModelFile> since_the_beginning(std::span<const ModelFile> then, std::vector<ModelFile> now);

} // namespace denoir

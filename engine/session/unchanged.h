// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/session/run_record.h"

namespace denoir {

/// True where what a run read is as it was then: the files of run.json have their size and time; images, noise (which
/// older runs do not list) and the video that the clip goes on after were not touched since the run's
/// conditioning.safetensors was written.
bool inputs_unchanged(const RunRecord& run, const std::filesystem::path& folder);

/// What became of the files that a run began with.
struct ModelChanges {
    std::vector<std::string> changed; ///< of another size, or another SHA-256 than the one in run.json
    std::vector<std::string> unsure;  ///< gone, or of another time while run.json has no SHA-256
};

/// Files of the same size and time are taken for the same; of another time, they are read to the end where run.json
/// has a SHA-256 and the cache does not know theirs. Throws Cancelled.
ModelChanges model_changes(std::span<const ModelFile> then, const std::stop_token& stop);

/// Of the files that a run began with, those that what follows is computed from: without the noise file where no noise
/// is drawn any more.
std::vector<ModelFile> files_still_read(const RunRecord&, bool draws);

/// What run.json says of the model's files after a run went on: a file keeps the SHA-256 that it began with, also where
/// there is another now. `now`: as they are, as far as known.
std::vector<ModelFile> since_the_beginning(std::span<const ModelFile> then, std::vector<ModelFile> now);

} // namespace denoir

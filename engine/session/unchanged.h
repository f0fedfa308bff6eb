// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "engine/session/run_record.h"

namespace denoir {

/// True where what a run read is as it was then: the model's files have the size and time of run.json; images, noise
/// and the video that the clip goes on after, of which nothing is stored, were not touched since the run's
/// conditioning.safetensors was written.
bool inputs_unchanged(const RunRecord& run, const std::filesystem::path& folder);

} // namespace denoir

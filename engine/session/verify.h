// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/pipeline/observer.h"

namespace denoir {

struct Verification {
    /// Files that differ from run.json: first the run's own, by checksum, then the model's and the noise file, which
    /// may also be missing or of another size. If the steps and the conditioning differ, then also pictures that were
    /// written since.
    std::vector<std::string> changed_files;
    std::optional<int> first_difference; ///< the first step whose latents differ; 0: the noise
    int steps = 0;                       ///< how many were compared
    bool identical() const { return changed_files.empty() && !first_difference; }
};

/// Renders the stored request again and compares the checksum of every step, up to the first that differs. For a
/// branch, begins at the step where it branched off. Throws Error, UsageError, Cancelled.
Verification verify_run(const std::filesystem::path& run, int threads, Observer&, std::stop_token);

} // namespace denoir

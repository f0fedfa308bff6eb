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
    /// Files that no longer have the checksum of run.json: the run's own, then the model's and the noise, as far as
    /// these are known.
    std::vector<std::string> changed_files;
    std::optional<int> first_difference; ///< step whose latents come out otherwise; 0: the noise
    int steps = 0;                       ///< compared
    bool identical() const { return changed_files.empty() && !first_difference; }
};

/// Renders the stored request again and compares the checksums of every step, up to the first that differs. A branch
/// begins where it branched off.
Verification verify_run(const std::filesystem::path& run, int threads, Observer&, std::stop_token);

} // namespace denoir

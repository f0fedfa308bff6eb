// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/compare/comparison.h"

namespace denoir {

/// What a comparison leaves behind; empty paths: not wanted.
struct CompareOutputs {
    std::filesystem::path side_by_side, difference; ///< .mp4 or .mkv
    std::filesystem::path report, csv;
    double amplification = 0; ///< of differences; 0: as much as fits (fitting_amplification)
};

/// Refuses, before anything is computed, what cannot be written: an input, one name for two, no video's name. Throws
/// Error, UsageError naming the option.
void check_outputs(const CompareOutputs&, std::span<const std::filesystem::path> inputs);

/// Refuses, before anything is measured, videos of a size or rate that cannot be written. `begun`: of
/// Comparer::begin(). Throws Error, UsageError.
void check_videos(const CompareOutputs&, const Comparison& begun);

/// Goes over the pairs once more where pictures are wanted. Every output appears whole, and all of them or none. What
/// there is to say about them is added to `notes`.
void write_outputs(Comparer&, Comparison&, const CompareOutputs&);

} // namespace denoir

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

/// Checks the outputs before anything is computed. Throws Error, UsageError naming the option if one cannot be written,
/// is an input, has the name of another output, or should be a video and has no video's name.
void check_outputs(const CompareOutputs&, std::span<const std::filesystem::path> inputs);

/// Throws Error, UsageError if a video of this size or rate cannot be written. `begun`: Comparer::begin().
void check_videos(const CompareOutputs&, const Comparison& begun);

/// Writes the outputs, going over the pairs again if pictures are wanted. Each appears whole, and either all or none.
/// Remarks about them are added to the comparison's `notes`.
void write_outputs(Comparer&, Comparison&, const CompareOutputs&);

} // namespace denoir

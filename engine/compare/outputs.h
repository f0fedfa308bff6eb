// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/compare/comparison.h"

namespace denoir {

/// What the video of the difference shows: amplified_difference() or signed_difference().
enum class DifferenceMode { absolute, with_sign };

/// The files that a comparison writes; an empty path: not wanted.
struct CompareOutputs {
    std::filesystem::path side_by_side, difference; ///< .mp4 or .mkv
    std::filesystem::path report, csv;
    DifferenceMode difference_mode = DifferenceMode::absolute;
    double amplification = 0; ///< factor of the drawn differences; 0: fitting_amplification()
};

/// Checks the outputs before anything is computed. Throws Error, or UsageError naming the option, if a file cannot be
/// written, is an input, is also another output, or should be a video and has no video's name.
void check_outputs(const CompareOutputs&, std::span<const std::filesystem::path> inputs);

/// Throws Error, UsageError if a video of this size or rate cannot be written. `begun`: Comparer::begin().
void check_videos(const CompareOutputs&, const Comparison& begun);

/// Writes the outputs, going over the pairs again if pictures are wanted. Each appears whole, and either all or none.
/// Remarks about them are added to the comparison's `notes`.
void write_outputs(Comparer&, Comparison&, const CompareOutputs&);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "engine/session/run_folder.h"

/// What a run takes over from another, as links to its files where the disk allows it.
namespace denoir {

struct ModelFolder;

/// The steps up to the start of a branch and, with `conditioning`, what the encoders gave.
void take_over(RunFolder& run, const RunFolder& parent, bool conditioning);

/// A branch that was ended before it had the steps of its parent gets them now: computed anew, with its own prompt and
/// guidance, they would be others. Throws Error where the parent has others by now.
void take_over_again(RunFolder& run, const ModelFolder&);

/// Throws Error where steps before `last`, which a branch takes over too, are missing.
void check_steps_before(const RunFolder& parent, int last);

/// What the encoders gave to `other`, where the run's own would be the same; whatever is wrong with it, this run can do
/// without.
void take_conditioning_of(const std::filesystem::path& other, RunFolder& run, const ModelFolder&);

} // namespace denoir

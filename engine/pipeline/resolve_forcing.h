// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline: what Pipeline::resolve does for diffusion forcing.
#include "engine/pipeline/request.h"

namespace denoir {

/// Sets forcing.base so that a clip longer than `usual`, the model's own number of frames, is made in several windows
/// of that length with the usual overlap (spec/pipelines.md 6), if its blocks allow it. Sets no base if the user
/// chose: by a base, by a noise file (which has the shape of its windows), or by branching from a run.
void choose_windows(Request&, int usual);

/// Checks the members of `forcing` against each other and against the frames and images of a resolved request.
/// `frames`: latent frames of a window. Throws UsageError naming the field.
void check_forcing(const Request&, int frames);

} // namespace denoir

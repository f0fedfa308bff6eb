// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline: what Pipeline::resolve does for diffusion forcing.
#include "engine/pipeline/request.h"

namespace denoir {

/// A clip longer than those that the model was made for becomes several windows of that length, with the usual overlap
/// (spec/pipelines.md 6), where its blocks allow that. A noise file has the shape of one window: the user's choice. A
/// branch is made as its run was. `usual`: the model's frames.
void choose_windows(Request&, int usual);

/// The members of `forcing` with one another and with frames and images of a resolved request; `frames`: latent ones of
/// a window. Throws UsageError naming the field.
void check_forcing(const Request&, int frames);

} // namespace denoir

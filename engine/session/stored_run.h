// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/session/run_folder.h"

namespace denoir {

struct ModelFolder;

// A run folder may come from anyone. These functions throw Error naming the file if it holds what its request and model
// could not have made.

/// Throws if run.json lacks what every resolved request has: size, frames, steps, sampler, …
void check_resolved(const RunFolder&);
/// A stored request prepared for Pipeline::resolve, so that checking it decides nothing anew: without a `base`, it
/// still means one window. `draws`: noise is still to be drawn; otherwise a noise file need not exist any more.
Request as_stored(const Request&, bool draws);
/// The windows that the run's clip is made in. Throws Error naming run.json if they do not fit its steps.
std::vector<Window> stored_windows(const RunFolder&);
/// RunFolder::state after `step`, with its shape, its values and the solvers' history checked.
DenoiseState stored_state(const RunFolder&, int step, const Request&, const ModelFolder&);
/// The latent of that state alone, checked likewise.
Tensor stored_latent(const RunFolder&, int step, const Request&, const ModelFolder&);
/// RunFolder::load_conditioning, checked.
std::optional<Conditioning> stored_conditioning(const RunFolder&, const Request&, const ModelFolder&);

} // namespace denoir

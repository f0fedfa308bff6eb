// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/session/run_folder.h"

namespace denoir {

struct ModelFolder;

/// A run folder may come from anyone. These refuse, with an Error naming the file, what its request and model would not
/// have made.
///
/// run.json lacks what every rendered request has: size, frames, steps, sampler, …
void check_resolved(const RunFolder&);
/// For Pipeline::resolve, to check a stored request by it without deciding anew what it leaves open: that no `base` is
/// one window. `draws`: noise is still to be drawn; else that is stored, and a file of it need not be there any more.
Request as_stored(const Request&, bool draws);
/// The windows that its clip was made in. Names run.json, too, where they are not those of its steps.
std::vector<Window> stored_windows(const RunFolder&);
/// The state after `step` as RunFolder::state gives it, checked: shape, numbers, the solvers' history.
DenoiseState stored_state(const RunFolder&, int step, const Request&, const ModelFolder&);
/// The latent alone.
Tensor stored_latent(const RunFolder&, int step, const Request&, const ModelFolder&);
/// As RunFolder::load_conditioning, checked.
std::optional<Conditioning> stored_conditioning(const RunFolder&, const Request&, const ModelFolder&);

} // namespace denoir

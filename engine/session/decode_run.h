// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>

#include "engine/pipeline/observer.h"
#include "engine/session/run_folder.h"

namespace denoir {

struct ModelFolder;

/// Video of a run's final latents, or a draft of any step (its estimate of the clean latent; step 0: the noise). Throws
/// Error, UsageError. Returns the step that was decoded.
int decode_run(const std::filesystem::path& run, std::optional<int> step, const std::filesystem::path& out, int threads,
               Observer&, std::stop_token);

/// The frames that decode_run() would write, handed out one by one: (index, [3,H,W] f32 host in -1 … 1). `asked` empty:
/// the last step.
int decode_frames(const RunFolder& run, std::optional<int> asked, int threads,
                  const std::function<void(int, const Tensor&)>& frame, Observer&, std::stop_token);

/// The step that `asked` stands for. Throws Error where the run did not come so far.
int step_to_show(const RunFolder& run, std::optional<int> asked);

/// The latent of the requested frames that a draft of a stored step shows, [C,T,h,w] f32: the estimate, of a
/// window's last step and the noise the latent. Checked against the request and the model's VAE. Throws Error,
/// UsageError.
Tensor draft_latent(const RunFolder& run, int step, const ModelFolder& model);

} // namespace denoir

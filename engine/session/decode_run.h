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

/// Decodes a run's final latents, or a draft of an earlier step (its estimate of the clean latent; step 0 is the
/// noise), to `out`. Returns the step that was decoded. Throws Error, UsageError, Cancelled.
int decode_run(const std::filesystem::path& run, std::optional<int> step, const std::filesystem::path& out, int threads,
               Observer&, std::stop_token);

/// Hands the frames that decode_run() would write to `frame`, one by one: (index, [3,H,W] f32 host in -1 … 1). `asked`
/// empty: the last step. Returns the step that was decoded. Throws Error, UsageError, Cancelled.
int decode_frames(const RunFolder& run, std::optional<int> asked, int threads,
                  const std::function<void(int, const Tensor&)>& frame, Observer&, std::stop_token);

/// The latent [C,T,h,w] f32 that a draft of a stored step decodes, without an appended end image: the estimate of the
/// clean latent or, for step 0 and the last step of a window, the latent itself. Checked against the request and the
/// model's VAE. Throws Error, UsageError.
Tensor draft_latent(const RunFolder& run, int step, const ModelFolder& model);

} // namespace denoir

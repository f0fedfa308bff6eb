// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/pipeline/observer.h"
#include "engine/session/run_folder.h"

namespace denoir {

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

struct Verification {
    /// Files that no longer have the checksum of run.json: the run's own, then the model's, as far as these are
    /// known.
    std::vector<std::string> changed_files;
    std::optional<int> first_difference; ///< step whose latents come out otherwise; 0: the noise
    int steps = 0;                       ///< compared
    bool identical() const { return changed_files.empty() && !first_difference; }
};

/// Renders the stored request again and compares the checksums of every step, up to the first that differs. A branch
/// begins where it branched off.
Verification verify_run(const std::filesystem::path& run, int threads, Observer&, std::stop_token);

/// One line of the history.
struct HistoryEntry {
    std::filesystem::path path;
    RunRecord record;
    /// "waiting", "running", "done", "failed", "cancelled", or "interrupted": it was running, but no process is at it.
    std::string state;
};

/// The runs below the data folder, newest first. `search`: words that must all occur in prompt, model, mode, state,
/// seed or path, case ignored.
std::vector<HistoryEntry> list_runs(const std::string& search);

} // namespace denoir

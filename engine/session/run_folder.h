// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "engine/pipeline/pipeline.h"
#include "engine/session/folder_lock.h"
#include "engine/session/run_record.h"

namespace denoir {

/// A run on disk (CONTRACT.md, "The run folder"): run.json, latents/step_NNN.safetensors, solver/step_NNN.safetensors,
/// conditioning.safetensors, video.mp4, metrics.json, thumbnail.png. Every file appears whole or not at all, run.json
/// last, so that a run can go on after kill -9. One process writes: it holds a lock on the folder, which the system
/// drops with the process.
class RunFolder {
public:
    /// Makes the folder (its parent must exist; an empty one may be there) and writes run.json. Throws Error.
    static RunFolder create(const std::filesystem::path& path, RunRecord record);
    /// Opens a run for reading. If the recorded `out` is the run's own video, it is in `path` even if the folder was
    /// moved, renamed (not both at once) or copied since. Throws Error if there is no run.
    static RunFolder open(const std::filesystem::path& path);
    /// Opens a run for resuming it, and locks it. Throws Error if another process holds the lock.
    static RunFolder take(const std::filesystem::path& path);
    /// Whether a process holds the lock.
    static bool busy(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path file(const char* name) const { return path_ / name; }
    std::filesystem::path latents_file(int step) const;
    std::filesystem::path solver_file(int step) const;
    RunRecord& record() { return record_; }
    const RunRecord& record() const { return record_; }
    /// Writes run.json anew.
    void save();

    void store_conditioning(const Conditioning&);
    /// Empty if it is not stored, or damaged. Throws Error if it cannot be read.
    std::optional<Conditioning> load_conditioning() const;

    /// Writes a step's files and its entry in run.json; the checksums and statistics of `taken` are filled in. `shown`
    /// goes into latents/ (after the last step without an end image), together with the estimate `x0` if that is
    /// defined. `solver` is empty if no step follows.
    void store_step(StepRecord taken, const Tensor& shown, const Tensor& x0,
                    const std::map<std::string, Tensor>& solver);
    /// The state after the newest step whose files are whole; steps after it are forgotten. Empty if not even the noise
    /// is there. If a file cannot be read, it may still be whole: throws Error and forgets nothing.
    std::optional<DenoiseState> last_state();
    /// The state after one step. Throws Error naming the file that is missing or was changed.
    DenoiseState state(int step) const;
    /// Tensor `latent` or `x0` of a step, checksum verified. Throws Error.
    Tensor step_tensor(int step, const char* name) const;
    bool has_step_tensor(int step, const char* name) const;
    /// Whether a file of this run still has the checksum that run.json has for it. A file longer than this request
    /// could have made is not read and does not. Throws Error if it is missing or cannot be read, Cancelled.
    bool intact(const std::filesystem::path& file, const std::string& sha256, const std::stop_token& = {}) const;

    /// Removes the latents that the request does not want kept after success.
    void drop_latents();
    /// Whether the next step continues with this step's solver state; a new window starts with fresh solvers.
    bool needs_solver(const StepRecord&) const;
    /// Whether the latents that the clip is decoded from are whole. Throws Error if one cannot be read.
    bool can_be_decoded() const;
    /// The steps whose latents the clip is decoded from: the last one of each window.
    std::set<int> final_steps() const;

private:
    RunFolder(std::filesystem::path path, RunRecord record, std::shared_ptr<const FolderLock> lock);
    bool whole(const StepRecord&) const;
    void make_parts() const; ///< the folders latents and solver
    std::filesystem::path path_;
    RunRecord record_;
    std::shared_ptr<const FolderLock> lock_;
    /// The estimate that was stored last, kept so that it need not be read again.
    struct {
        int step = 0;
        Tensor tensor;
    } newest_x0_;
};

} // namespace denoir

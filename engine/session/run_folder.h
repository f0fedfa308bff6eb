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
    /// For reading. Throws Error where there is no run.
    static RunFolder open(const std::filesystem::path& path);
    /// For going on. Throws Error where another process is at it.
    static RunFolder take(const std::filesystem::path& path);
    /// True while a process writes there.
    static bool busy(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path file(const char* name) const { return path_ / name; }
    std::filesystem::path latents_file(int step) const;
    std::filesystem::path solver_file(int step) const;
    RunRecord& record() { return record_; }
    const RunRecord& record() const { return record_; }
    /// Renews run.json.
    void save();

    void store_conditioning(const Conditioning&);
    /// Nothing where it is not stored whole.
    std::optional<Conditioning> load_conditioning() const;

    /// A step's files and its line in run.json; sums and statistics of `taken` are filled in. `shown` is what latents/
    /// gets (the last step: the requested frames only), with the estimate if there is one. `solver` is empty where
    /// nothing comes after.
    void store_step(StepRecord taken, const Tensor& shown, const Tensor& x0,
                    const std::map<std::string, Tensor>& solver);
    /// The newest step whose files are whole; steps after it are forgotten. Nothing: not even the noise is there.
    /// Throws Error, and forgets nothing, where a file cannot be read: it may be whole.
    std::optional<DenoiseState> last_state();
    /// The state after one step. Throws Error naming the file that is missing or was changed.
    DenoiseState state(int step) const;
    /// Tensor `latent` or `x0` of a step, checksum verified. Throws Error.
    Tensor step_tensor(int step, const char* name) const;
    bool has_step_tensor(int step, const char* name) const;
    /// Whether a file of this run still has its sum of run.json. One that is longer than this request could have made
    /// it has not, and is not read. Throws Error where it is missing or cannot be read, Cancelled.
    bool intact(const std::filesystem::path& file, const std::string& sha256, const std::stop_token& = {}) const;

    /// Removes what the request does not want to be kept after success.
    void drop_latents();
    /// Whether what follows a step needs its solver's state: the next window begins with solvers of its own.
    bool needs_solver(const StepRecord&) const;
    /// Whether the latents that the clip is made of are whole. Throws Error where one cannot be read.
    bool can_be_decoded() const;
    /// Steps whose latents the clip is made of: the last of the run, and of each of its windows.
    std::set<int> final_steps() const;

private:
    RunFolder(std::filesystem::path path, RunRecord record, std::shared_ptr<const FolderLock> lock);
    bool whole(const StepRecord&) const;
    void make_parts() const; ///< the folders below
    std::filesystem::path path_;
    RunRecord record_;
    std::shared_ptr<const FolderLock> lock_;
    /// The estimate that was stored last, so that it need not be read again.
    struct {
        int step = 0;
        Tensor tensor;
    } newest_x0_;
};

} // namespace denoir

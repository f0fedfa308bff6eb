// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <stop_token>
#include <string>

#include "engine/session/file_hashes.h"
#include "engine/session/render.h"

namespace denoir {

struct ModelFolder;

/// Carries one run through, from wherever it stands to its video. The caller holds the lock on the run folder.
class RunWorker {
public:
    RunWorker(RunFolder& run, const ModelFolder& model, std::shared_ptr<Backend> backend, Residency& residency,
              Observer& observer, std::stop_token stop);
    /// Returns when the run is done, throws when it failed or was cancelled; run.json says which.
    RenderResult work();

private:
    /// Passes everything on to `next`, and notes times and warnings in the record.
    class Recorder : public Observer {
    public:
        Recorder(RunRecord& record, Observer& next) : record_(record), next_(next) {}
        void stage_begins(Stage stage) override;
        void stage_ends(Stage stage, double seconds) override;
        void progress(Stage stage, double done, double total, double left) override {
            next_.progress(stage, done, total, left);
        }
        void step_done(const StepInfo& info) override { next_.step_done(info); }
        void warning(std::string_view text) override;
        /// When the steps of the current window began.
        std::chrono::steady_clock::time_point denoising_since() const { return denoising_since_; }

    private:
        RunRecord& record_;
        Observer& next_;
        std::set<std::string> told_;
        std::chrono::steady_clock::time_point denoising_since_{};
        double within_ = 0; ///< seconds of stages that ended since then
    };

    void render();
    DenoiseState denoised(Pipeline&, const std::function<void(int, const Tensor&)>& pictures);
    void note_cost(); ///< puts the time, memory and files used so far into the record
    void save();
    void ended(RunState, const Error*);

    RunFolder& run_;
    const ModelFolder& model_;
    std::shared_ptr<Backend> backend_;
    Residency& residency_;
    Recorder recorder_;
    std::stop_token stop_;
    FileHashes hashes_;
    std::vector<ModelFile> began_with_; ///< the recorded files of a resumed run
    std::chrono::steady_clock::time_point begin_;
    double seconds_before_;
};

} // namespace denoir

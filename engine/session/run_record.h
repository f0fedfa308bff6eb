// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/json.h"
#include "engine/pipeline/observer.h"
#include "engine/pipeline/request.h"

namespace denoir {

enum class RunState { waiting, running, done, failed, cancelled };
std::string_view name(RunState);

/// A file that the run's steps are computed from, usually of the model, as it was when the run began.
struct ModelFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t modified_ns = 0; ///< since 1970
    std::string sha256;           ///< empty: not known yet
};

/// One step of a run; step 0 is the noise.
struct StepRecord {
    int step = 0;
    double seconds = 0;
    std::string sha256;        ///< of latents/step_NNN.safetensors
    std::string solver_sha256; ///< of solver/step_NNN.safetensors; empty: there is none
    double latent_mean = 0, latent_std = 0, x0_std = 0;
    double x0_change = 0;         ///< root mean square difference from the estimate of the step before
    int forwards = 0, reused = 0; ///< with TeaCache (StepInfo)
};

/// run.json: everything about a run that is not a tensor or a picture.
struct RunRecord {
    RunState state = RunState::waiting;
    Request request;              ///< resolved
    std::filesystem::path out;    ///< where the user wanted the video
    bool metadata = true;         ///< the request goes into the video
    std::string created, updated; ///< UTC, ISO 8601
    std::vector<ModelFile> files; ///< of the model, its LoRAs and the noise
    Json build = Json::object(), device = Json::object();
    std::vector<std::pair<std::string, double>> stages; ///< seconds, in order; a resumed run adds to them
    int total_steps = 0;
    std::vector<StepRecord> steps;
    std::string conditioning_sha256, video_sha256;
    double seconds = 0;
    std::uint64_t peak_memory_bytes = 0;
    std::optional<Error> error;
    std::vector<std::string> warnings;

    void add_stage(Stage, double seconds);
    const StepRecord* find(int step) const;
};

Json to_json(const RunRecord&);
/// Throws Error naming `file` and the field; every value is checked, the file may come from anyone.
RunRecord record_from_json(const Json&, const std::string& file);

/// Now, like "2026-01-31T12:00:00.000Z"; with milliseconds, so that runs begun in one second stay in order.
std::string utc_now();
/// What this program was built from and with.
Json build_description();

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/core/file.h"
#include "engine/pipeline/residency.h"
#include "engine/session/preflight.h"
#include "engine/session/run_tools.h"
#include "engine/session/stored_run.h"
#include "engine/weights/safetensors_writer.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// A folder for files that are only made to be summed.
class Scratch {
public:
    std::string sum(const std::map<std::string, Tensor>& tensors) const {
        const fs::path file = folder_.path() / "step.safetensors";
        write_safetensors(file, tensors);
        return file_sha256(file);
    }

private:
    ScratchFolder folder_{"denoir-verify-"};
};

/// Found, and no need to go on.
struct Differs {};

void check_files(const RunFolder& run, Verification& result) {
    const auto check = [&](const fs::path& file, const std::string& sum) {
        std::error_code code;
        if (!sum.empty() && fs::is_regular_file(file, code) && file_sha256(file) != sum)
            result.changed_files.push_back(file.string());
    };
    for (const StepRecord& s : run.record().steps)
        check(run.latents_file(s.step), s.sha256), check(run.solver_file(s.step), s.solver_sha256);
    check(run.file("conditioning.safetensors"), run.record().conditioning_sha256);
    check(run.file("video.mp4"), run.record().video_sha256);
}

} // namespace

Verification verify_run(const fs::path& path, int threads, Observer& observer, std::stop_token stop) {
    const RunFolder run = RunFolder::open(path);
    const RunRecord& record = run.record();
    if (record.steps.empty()) throw Error(path.string(), "steps", "the run has none yet", "go on with render --resume");
    Verification result;
    check_files(run, result);
    check_resolved(run);

    const Request& r = record.request;
    const ModelFolder model = ModelFolder::open(r.model);
    preflight(r, model, Needs::everything);
    const Scratch scratch;
    const int last = record.steps.back().step;
    const auto compare = [&](int step, const Tensor& latent, const Tensor& x0) {
        const bool end = step == record.total_steps;
        std::map<std::string, Tensor> tensors{{"latent", end ? Pipeline::requested_frames(r, latent) : latent}};
        if (x0) tensors["x0"] = end ? Pipeline::requested_frames(r, x0) : x0;
        const StepRecord* stored = record.find(step);
        if (!stored) throw Differs{}; // beyond what an unfinished run holds
        ++result.steps;
        if (scratch.sum(tensors) == stored->sha256) return;
        result.first_difference = step;
        throw Differs{};
    };
    Residency residency(std::size_t{1} << 40);
    Pipeline pipeline(residency, open_backend(*r.device, threads));
    try {
        const Conditioning conditioning = pipeline.condition(r, model, observer, stop);
        DenoiseState state =
            r.start ? stored_state(run, r.start->step, r, model) : pipeline.begin(r, model, conditioning);
        if (!r.start) compare(0, state.latent, {});
        if (state.step < last)
            pipeline.denoise(
                r, model, conditioning, state,
                [&](const DenoiseState& s, const Tensor& x0) { compare(s.step, s.latent, x0); }, observer, stop);
    } catch (const Differs&) {
    }
    return result;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/core/file.h"
#include "engine/pipeline/residency.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/file_hashes.h"
#include "engine/session/preflight.h"
#include "engine/session/sha256.h"
#include "engine/session/stored_run.h"
#include "engine/session/unchanged.h"
#include "engine/weights/inspect.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/safetensors_writer.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr auto patience = std::chrono::seconds(30); ///< for checksums of files as large as a model's

/// The SHA-256 of the safetensors file that would hold these tensors.
std::string sum_of_file(const std::map<std::string, Tensor>& tensors) {
    Sha256 sum;
    write_safetensors([&](const void* data, std::size_t bytes) { sum.update(data, bytes); }, tensors);
    return sum.hex();
}

/// The run that holds the latents of `step`, which a branch took over: the branch itself or, if it did not keep them,
/// its parent.
RunFolder holder_of(const RunFolder& run, const Request::Start& start, int step) {
    std::error_code code;
    if (!fs::exists(run.latents_file(step), code) && is_run_folder(start.run)) {
        const RunFolder parent = RunFolder::open(start.run);
        const StepRecord *own = run.record().find(step), *s = parent.record().find(step);
        if (s && own && s->sha256 == own->sha256 && fs::exists(parent.latents_file(step), code)) return parent;
    }
    return run;
}

/// Checks the limits that hold for every new run: run.json may ask for more than this machine has.
void check_limits(const RunFolder& run, const ModelFolder& model) {
    try { // without noise: a branch draws none, and otherwise it is checked when it is drawn
        Pipeline::resolve(as_stored(run.record().request, false), model);
    } catch (const Error& e) {
        throw e.in_file(run.file(run_file::record).string());
    }
}

/// Whether the stored noise has another shape than this request's, so that the noise need not be drawn to compare them.
bool is_other_noise(const RunFolder& run, const Request& r, const ModelFolder& model) {
    try {
        stored_state(run, 0, r, model);
        return false;
    } catch (const Error& e) {
        return e.field() == "latent"; // otherwise it was not kept, or was changed: run.json still has its checksum
    }
}

/// Thrown when a difference is found, which ends the computation.
struct Differs {};

/// Adds those of the run's own files that no longer have their checksums.
void check_files(const RunFolder& run, Verification& result, const std::stop_token& stop) {
    const auto check = [&](const fs::path& file, const std::string& sum) {
        if (!sum.empty() && has_regular_file(file) && !run.intact(file, sum, stop))
            result.changed_files.push_back(file.string());
    };
    for (const StepRecord& s : run.record().steps)
        check(run.latents_file(s.step), s.sha256), check(run.solver_file(s.step), s.solver_sha256);
    check(run.file(run_file::conditioning), run.record().conditioning_sha256);
    check(run.file(run_file::video), run.record().video_sha256);
}

/// Whether this is a CLIP beside a transformer that has no use for one. Earlier programs recorded it all the same.
bool is_unused_clip(const fs::path& file, const ModelFolder& model) {
    if (!model.clip.empty()) return false;
    try {
        return inspect(file).variant == "clip";
    } catch (const Error&) { // gone, or something else by now
        return false;
    }
}

/// Adds the files of the model, and the noise file, that are gone or have changed. They explain a difference; a changed
/// VAE, which the latents do not show, is one by itself.
void check_model(const RunFolder& run, const ModelFolder& model, FileHashes& hashes, Verification& result,
                 const std::stop_token& stop) {
    const auto& start = run.record().request.start;
    const bool draws = !start || draws_after(stored_windows(run), start->step);
    hashes.wait(patience, stop);
    const std::vector<ModelFile> now = hashes.files();
    for (const ModelFile& then : files_still_read(run.record(), draws)) {
        const auto same =
            std::find_if(now.begin(), now.end(), [&](const auto& file) { return file.path == then.path; });
        const bool known = same != now.end() && !same->sha256.empty() && !then.sha256.empty();
        if (same == now.end() && is_unused_clip(then.path, model)) continue;
        if (same == now.end() || same->bytes != then.bytes || (known && same->sha256 != then.sha256))
            result.changed_files.push_back(then.path);
    }
}

/// Compares each step that is computed again with its record. Throws Differs at the first that differs.
class StepComparison {
public:
    StepComparison(const RunRecord& record, Verification& result) : record_(record), result_(result) {}

    /// `latent` and `x0` (undefined for step 0) include the frames that only fill up the last window.
    void operator()(int step, const Tensor& latent, const Tensor& x0) {
        const bool end = step == record_.total_steps;
        const auto kept = [&](const Tensor& t) {
            return end ? Pipeline::requested_frames(record_.request, t, step) : t;
        };
        std::map<std::string, Tensor> tensors{{"latent", kept(latent)}};
        if (x0) tensors["x0"] = kept(x0);
        const StepRecord* stored = record_.find(step);
        if (!stored) throw Differs{}; // the end of an unfinished run: nothing left to compare
        ++result_.steps;
        if (sum_of_file(tensors) == stored->sha256) return;
        result_.first_difference = step;
        throw Differs{};
    }

private:
    const RunRecord& record_;
    Verification& result_;
};

/// Computes the run's stored steps again. Sets `encoded_alike` if prompts and pictures were encoded as they were then.
void compute_again(const RunFolder& run, const ModelFolder& model, Pipeline& pipeline, Verification& result,
                   bool& encoded_alike, Observer& observer, std::stop_token stop) try {
    const Request& r = run.record().request;
    StepComparison compare(run.record(), result);
    DenoiseState state;
    const auto stored = [&](int step) { return holder_of(run, *r.start, step); };
    if (r.start) // before the encoders run, since this may throw
        state = stored_state(stored(r.start->step), r.start->step, r, model);
    const Conditioning conditioning = pipeline.condition(r, model, observer, stop);
    encoded_alike = sum_of_file(conditioning.to_tensors()) == run.record().conditioning_sha256;
    if (!r.start) {
        state = pipeline.begin(r, model, conditioning);
        compare(0, state.latent, {});
    }
    if (state.step >= run.record().steps.back().step) return;
    pipeline.denoise(
        r, model, conditioning, state,
        {.after_step = [&](const DenoiseState& s, const StepInfo& info) { compare(s.step, s.latent, info.x0); },
         .pictures = [](int, const Tensor&) {}, // nobody looks at them, and so no window's latent is kept for later
         .stored = [&](int step) { return stored_latent(stored(step), step, r, model); }},
        observer, stop);
} catch (const Differs&) {
}

} // namespace

Verification verify_run(const fs::path& path, int threads, Observer& observer, std::stop_token stop) {
    const RunFolder run = RunFolder::open(path);
    const RunRecord& record = run.record();
    if (record.steps.empty())
        throw Error(path.string(), "steps", "the run has no steps yet", "resume it with render --resume");
    Verification result;
    check_resolved(run);

    const Request& r = record.request;
    const ModelFolder model = ModelFolder::open(r.model, r.parts, stop);
    check_limits(run, model);
    preflight(r, model, Needs::everything, stop);
    check_files(run, result, stop);
    if (!r.start && record.find(0) && is_other_noise(run, r, model)) { // whatever the model's files are
        result.steps = 1;
        result.first_difference = 0;
        return result;
    }
    FileHashes hashes(files_of_steps(model, r), FileHashes::Pace::waited_for); // while the steps are computed
    Residency residency;
    Pipeline pipeline(residency, open_backend(*r.device, threads));
    bool encoded_alike = false;
    compute_again(run, model, pipeline, result, encoded_alike, observer, stop);
    check_model(run, model, hashes, result, stop);
    if (result.first_difference && !encoded_alike) // otherwise the pictures are not the cause
        for (const fs::path& file : pictures_written_since(record, path)) result.changed_files.push_back(file.string());
    return result;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <new>

#include "engine/core/atomic_file.h"
#include "engine/core/disk.h"
#include "engine/core/file.h"
#include "engine/core/memory.h"
#include "engine/media/frames.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/frame_output.h"
#include "engine/session/inputs.h"
#include "engine/session/output_check.h"
#include "engine/session/preflight.h"
#include "engine/session/request_json.h"
#include "engine/session/sha256.h"
#include "engine/session/stored_run.h"
#include "engine/session/unchanged.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr int thumbnail_side = 320;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string processor_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            return printable(line.substr(std::min(line.find(':') + 2, line.size())), 100);
    return "";
}

/// The brightness of each picture and its difference from the one before, both 0 … 255: they show dips, jumps and
/// flicker.
class PictureMetrics {
public:
    void add(const Image& image) {
        std::array<std::uint64_t, 3> sums{};
        for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3)
            for (std::size_t c = 0; c < 3; ++c) sums[c] += image.rgb[i + c];
        const double luma = 0.2126 * double(sums[0]) + 0.7152 * double(sums[1]) + 0.0722 * double(sums[2]);
        const bool follows = before_.rgb.size() == image.rgb.size();
        std::uint64_t squares = 0;
        for (std::size_t i = 0; follows && i < image.rgb.size(); ++i) {
            const int difference = int(image.rgb[i]) - int(before_.rgb[i]);
            squares += std::uint64_t(difference * difference);
        }
        const double n = double(image.rgb.size());
        frames_.push_back({{"index", frames_.size()},
                           {"luma", luma * 3 / n},
                           {"change", follows ? Json(std::sqrt(double(squares) / n)) : Json()}});
        before_ = image;
    }
    const Json& json() const { return frames_; }

private:
    Json frames_ = Json::array();
    Image before_;
};

void write_metrics(const RunFolder& run, const Json& frames) {
    Json steps = Json::array();
    for (const StepRecord& s : run.record().steps)
        steps.push_back({{"step", s.step},
                         {"latent_mean", s.latent_mean},
                         {"latent_std", s.latent_std},
                         {"x0_std", s.x0_std},
                         {"x0_change", s.x0_change}});
    write_file(run.file(run_file::metrics), Json{{"schema", 1}, {"steps", steps}, {"frames", frames}}.dump(1) + "\n");
}

/// Makes the files that show a run's pictures: its video, the user's output, metrics, a thumbnail.
class Clip {
public:
    /// `again`: the run was begun before, and may have been ended while it moved its frames to the user's folder.
    /// Throws Error if the output can no longer be written.
    Clip(RunFolder& run, bool again)
        : run_(run), own_(run.file(run_file::video), OutputKind::video, video_options(run.record())) {
        const RunRecord& record = run_.record();
        const Request& r = record.request;
        const OutputKind kind = check_output_of_run(record.out, all_inputs_of(r), again ? *r.frames : 0, run.path());
        if (kind == OutputKind::frames || lower_extension(record.out) == ".mkv")
            wanted_.emplace(record.out, kind, video_options(record), again);
    }
    void add(int index, const Tensor& frame) {
        const Image image = to_image(frame.unsqueeze(1), 0);
        own_.write(image);
        if (wanted_) wanted_->write(image);
        metrics_.add(image);
        if (index == *request().frames / 2) middle_ = image;
    }
    void finish() {
        RunRecord& record = run_.record();
        own_.finish();
        const fs::path video = run_.file(run_file::video);
        record.video_sha256 = file_sha256(video);
        write_metrics(run_, metrics_.json());
        write_png(run_.file(run_file::thumbnail), thumbnail(middle_, thumbnail_side));
        try {
            deliver(video);
        } catch (const NoSpace& e) { // stays a NoSpace, for which the studio offers to make room
            throw NoSpace(e.file(), e.field(), e.message(),
                          "free some space, or decode the run, which is kept, into another place");
        } catch (const Error& e) { // the place was taken meanwhile, perhaps: nothing has to be computed again
            throw Error(e.file(), e.field(), e.message(), "the run is kept: decode it into another place");
        }
    }

private:
    void deliver(const fs::path& video) {
        if (wanted_)
            wanted_->finish();
        else if (!same_file(video, run_.record().out))
            copy_file_atomically(video, run_.record().out);
    }
    const Request& request() const { return run_.record().request; }

    RunFolder& run_;
    FrameOutput own_;
    std::optional<FrameOutput> wanted_;
    PictureMetrics metrics_;
    Image middle_;
};

} // namespace

void RunWorker::Recorder::stage_begins(Stage stage) {
    if (stage == Stage::denoise) denoising_since_ = Clock::now(), within_ = 0;
    next_.stage_begins(stage);
}

void RunWorker::Recorder::stage_ends(Stage stage, double seconds) {
    // The second expert is loaded between two steps: its seconds must not count twice.
    const double own = stage == Stage::denoise ? seconds - within_ : seconds;
    within_ += own;
    record_.add_stage(stage, own);
    next_.stage_ends(stage, own);
}

void RunWorker::Recorder::warning(std::string_view text) {
    if (!told_.emplace(text).second) return; // each window may repeat it
    if (std::ranges::find(record_.warnings, text) == record_.warnings.end()) record_.warnings.emplace_back(text);
    next_.warning(text);
}

RunWorker::RunWorker(RunFolder& run, const ModelFolder& model, std::shared_ptr<Backend> backend, Residency& residency,
                     Observer& observer, std::stop_token stop)
    : run_(run),
      model_(model),
      backend_(std::move(backend)),
      residency_(residency),
      recorder_(run.record(), observer),
      stop_(std::move(stop)),
      hashes_(files_of_steps(model, run.record().request)),
      began_with_(run.record().files),
      begin_(Clock::now()),
      seconds_before_(run.record().seconds) {}

RenderResult RunWorker::work() {
    RunRecord& record = run_.record();
    try {
        record.state = RunState::running;
        record.error.reset();
        save();
        render();
        hashes_.wait(std::chrono::milliseconds(150)); // hashes that are not known by then stay null
        ended(RunState::done, nullptr);
        run_.drop_latents();
    } catch (const Cancelled&) {
        ended(RunState::cancelled, nullptr);
        throw;
    } catch (const Error& e) {
        ended(RunState::failed, &e);
        throw;
    } catch (const std::bad_alloc&) {
        const Error e = not_enough_memory();
        ended(RunState::failed, &e);
        throw Error(e);
    } catch (const std::exception&) {
        const Error e("", "", "an internal error", "");
        ended(RunState::failed, &e);
        throw;
    }
    return result_of(run_);
}

/// Called before each step is recorded, so that a killed run has the cost up to its last step.
void RunWorker::note_cost() {
    RunRecord& record = run_.record();
    record.files = since_the_beginning(began_with_, hashes_.files());
    record.seconds = seconds_before_ + since(begin_);
    record.peak_memory_bytes = std::max(record.peak_memory_bytes, denoir::peak_memory_bytes());
}

void RunWorker::save() {
    note_cost();
    run_.save();
}

void RunWorker::ended(RunState state, const Error* error) {
    run_.record().state = state;
    if (error) run_.record().error = *error;
    try {
        save();
    } catch (const Error&) { // a full disk: the former run.json is still whole
        if (state == RunState::done) throw;
    }
}

void RunWorker::render() {
    const Request& request = run_.record().request;
    run_.record().device = {
        {"name", request.device->name()}, {"processor", processor_name()}, {"threads", backend_->threads()}};
    Pipeline pipeline(residency_, backend_);
    std::optional<Clip> clip; // begun with the first picture
    const auto take = [&](int index, const Tensor& picture) {
        if (!clip) clip.emplace(run_, seconds_before_ > 0);
        clip->add(index, picture);
    };
    DenoiseState state = denoised(pipeline, take);
    state.latent = Pipeline::requested_frames(request, state.latent, state.step);
    const std::vector<Tensor> windows = state.all();
    pipeline.decode(request, model_, windows, take, recorder_, stop_, clip ? windows.size() - 1 : 0);
    clip->finish();
}

DenoiseState RunWorker::denoised(Pipeline& pipeline, const Pipeline::FrameSink& pictures) {
    const Request& request = run_.record().request;
    std::optional<DenoiseState> state = run_.last_state();
    if (state) state = stored_state(run_, state->step, request, model_);
    if (state && state->step == state->steps) return *state;

    std::optional<Conditioning> conditioning = run_.load_conditioning();
    if (!conditioning) {
        conditioning = pipeline.condition(request, model_, recorder_, stop_);
        run_.store_conditioning(*conditioning);
    }
    if (!state) {
        state = pipeline.begin(request, model_, *conditioning);
        run_.store_step({.step = 0}, state->latent, {}, {});
    }
    auto last = Clock::now();
    const auto store = [&](const DenoiseState& s, const StepInfo& info) {
        note_cost();
        const StepRecord taken{.step = s.step,
                               .seconds = since(std::max(last, recorder_.denoising_since())),
                               .forwards = info.forwards,
                               .reused = info.reused};
        if (s.step < s.steps)
            run_.store_step(taken, s.latent, info.x0, s.solver);
        else
            run_.store_step(taken, Pipeline::requested_frames(request, s.latent, s.step),
                            Pipeline::requested_frames(request, info.x0, s.step), {});
        last = Clock::now();
    };
    // Pictures are made during the steps only if the first window is still to come: if the run resumes later, the
    // stored windows are decoded together with the rest.
    const bool whole = window_after(windows_of(request), state->step).index == 0;
    pipeline.denoise(request, model_, *conditioning, *state,
                     {.after_step = store,
                      .pictures = whole ? pictures : Pipeline::FrameSink(),
                      .stored = [&](int step) { return stored_latent(run_, step, request, model_); }},
                     recorder_, stop_);
    return *state;
}

} // namespace denoir

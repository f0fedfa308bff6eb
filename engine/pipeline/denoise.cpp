// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <numeric>
#include <optional>
#include <span>

#include "engine/core/error.h"
#include "engine/core/mapped_file.h"
#include "engine/pipeline/experts.h"
#include "engine/pipeline/layer_probe.h"
#include "engine/pipeline/model_headers.h"
#include "engine/pipeline/needs.h"
#include "engine/pipeline/network_options.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/schedule.h"
#include "engine/pipeline/solvers.h"
#include "engine/pipeline/stage_timer.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/window_latent.h"
#include "engine/pipeline/windows.h"
#include "engine/pipeline/work_pace.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace {

using Clock = std::chrono::steady_clock;

/// Everything that stays the same in all steps of a run. It owns none of it.
struct Run {
    Pipeline& pipeline;
    Residency& residency;
    const std::shared_ptr<Backend>& backend;
    const Request& request;
    const ModelFolder& model;
    const Conditioning& conditioning;
    const Pipeline::Callbacks& callbacks;
    Observer& observer;
    const std::stop_token& stop;

    bool forcing() const { return *request.mode == Mode::forcing; }
};

/// Makes the latents that later windows of a run begin with: noise, and the last pictures of the window before.
class NextWindow {
public:
    explicit NextWindow(const Run& run) : run_(run), windows_(windows_of(run.request)) {}

    /// The state before the first step of a window that follows `state`'s.
    DenoiseState after(const DenoiseState& state, const Window& w) {
        const Pipeline::FrameSink& pictures = run_.callbacks.pictures;
        DenoiseState next{state.step, state.steps, latent(state, w, pictures), {}, state.all()};
        if (pictures) next.before.assign(next.before.size(), Tensor()); // a long clip has gigabytes of them
        return next;
    }

    /// Makes the latent again that `w`, the window of `state`, had before its first step.
    Tensor again(const DenoiseState& state, const Window& w) {
        DenoiseState end{w.first_step, state.steps, state.before.back(), {}, state.before};
        end.before.pop_back();
        return latent(end, w, {});
    }

private:
    Tensor latent(const DenoiseState& state, const Window& w, const Pipeline::FrameSink& pictures) {
        decode(state, w, pictures);
        const Tensor given = encode_last();
        if (!noise_) noise_.emplace(run_.request, latent_shape(run_.request, Variant::read(run_.model)));
        return window_latent(run_.request, noise_->of(w), given, w.last ? run_.conditioning.end : Tensor());
    }

    /// Decodes the window before `w`, and earlier ones if `w` is given pictures of them that are not kept any more.
    void decode(const DenoiseState& state, const Window& w, const Pipeline::FrameSink& pictures) {
        const int given = run_.request.forcing->overlap, again = pictures_given_again(run_.request);
        std::size_t from = std::size_t(w.index) - 1;
        // A resumed run has no pictures of earlier windows, and a short window makes fewer than the next one is given.
        if (next_picture_ != windows_[from].first_picture()) {
            last_pictures_.clear();
            while (windows_[from].first_picture() > w.first_picture() - given) --from;
        }
        const auto keep = [&](int index, const Tensor& picture) {
            if (pictures) pictures(index, picture);
            if (std::ssize(last_pictures_) == given) last_pictures_.pop_front();
            // A picture of the video before is kept as it is, not as the VAE has made it.
            const bool before = index < given && index >= given - again;
            last_pictures_.push_back(
                clone(before ? run_.conditioning.before.select(0, index - (given - again)) : picture));
            next_picture_ = index + 1;
        };
        run_.pipeline.decode(run_.request, run_.model, state.all(), keep, run_.observer, run_.stop, from);
    }

    /// The kept pictures as clean latent frames.
    Tensor encode_last() const {
        const Request& r = run_.request;
        const MappedFileWatch mapped;
        const auto weights = run_.residency.get(run_.model.vae, Component::vae21);
        StageTimer timer(run_.observer, Stage::image);
        const wan::Vae vae(weights, run_.backend, vae_options(r));
        const auto picture = [&](std::int64_t i) { return last_pictures_.at(std::size_t(i)); };
        Tensor latent = vae.encode(picture, r.forcing->overlap, *r.height, *r.width).latent;
        mapped.check();
        check_computed(*weights, "the window before", latent);
        return latent;
    }

    const Run& run_;
    const std::vector<Window> windows_;
    std::optional<WindowNoise> noise_;
    std::deque<Tensor> last_pictures_; ///< the end of what was decoded so far: as many as a window is given
    int next_picture_ = 0;             ///< index of the picture that follows them
};

/// The steps of one window, with what they share and the solvers' history.
class WindowSteps {
public:
    WindowSteps(const Run& run, const Window& window, DenoiseState& state, std::span<const double> flop, WorkPace& pace)
        : run_(run),
          window_(window),
          state_(state),
          flop_(flop),
          pace_(pace),
          schedule_(schedule_of(run.request)),
          plan_(run.forcing() ? plan_of(run.request, window) : ForcingPlan{}),
          solvers_(solvers()),
          times_(step_times(run.request, window, has_clean_frames() ? int(run.conditioning.prefix.size(1)) : 0)),
          guided_(steps_within_guidance(run.request, window)),
          first_(needs_first() ? NextWindow(run).again(state, window) : Tensor()),
          cache_(cache()),
          experts_(run.request, run.model, run.conditioning, run.residency, run.backend, run.observer) {
        experts_.ready(timestep());
        if (state.step == 0) tell(0, "latent", state.latent);
    }

    /// From state.step to the window's end.
    void take() {
        StageTimer timer(run_.observer, Stage::denoise);
        tell_progress();
        while (state_.step < window_.last_step()) {
            step();
            tell_progress();
            if (run_.stop.stop_requested() && state_.step < state_.steps) throw Cancelled();
        }
    }

private:
    void step() {
        experts_.ready(timestep()); // before the clock starts, since later steps need not load an expert
        const auto begin = Clock::now();
        const Tensor velocity = predict();
        Tensor next = clone(state_.latent), x0 = clone(state_.latent);
        solve(velocity, next, x0);
        state_.latent = next;
        state_.solver = solvers_.state();
        ++state_.step;
        tell(state_.step, "latent", next);
        tell(state_.step, "x0", x0);
        report(x0, begin);
    }

    /// The velocity at state.latent, by the transformer.
    Tensor predict() {
        const int step = state_.step + 1;
        if (cache_) cache_->step = row();
        const Tensor velocity = experts_.velocity(timestep(), seen(state_.latent, row()), times_[std::size_t(row())],
                                                  guided_[std::size_t(row())], step, cache_ ? &*cache_ : nullptr);
        mapped_.check();
        tell(step, "velocity", velocity);
        return velocity;
    }

    /// `next` and `x0`, both state.latent before: the latent after the step, and the estimate of the clean one.
    void solve(const Tensor& velocity, Tensor& next, Tensor& x0) {
        if (run_.forcing())
            step_frames(solvers_, velocity, next, x0, std::span(plan_.update).subspan(row() * frames(), frames()));
        else
            solvers_[0].step(velocity.span<float>(), next.span<float>(), x0.span<float>());
        if (has_clean_frames()) { // the solver moves every frame; the clean ones stay
            put_prefix(run_.conditioning.prefix, next);
            put_prefix(run_.conditioning.prefix, x0);
        }
    }

    void report(const Tensor& x0, Clock::time_point begin) {
        StepInfo info{state_.step, state_.steps, state_.latent, x0};
        if (cache_) info.forwards = cache_->forwards, info.reused = cache_->reused;
        if (run_.callbacks.after_step) run_.callbacks.after_step(state_, info);
        info.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        pace_.add(flop_[std::size_t(state_.step) - 1], info.seconds);
        run_.observer.step_done(info);
    }

    void tell_progress() {
        const auto left = flop_.subspan(std::size_t(state_.step));
        run_.observer.progress(Stage::denoise, state_.step, state_.steps,
                               pace_.seconds_for(std::accumulate(left.begin(), left.end(), 0.0)));
    }

    /// `latent` as the transformer sees it in a row of the window.
    Tensor seen(const Tensor& latent, int row) const {
        const bool noisy = run_.forcing() && run_.request.forcing->condition_noise > 0 && window_.ready > 0;
        return noisy ? with_condition_noise(run_.request, latent, window_.ready, window_.first_step + row) : latent;
    }

    Solvers solvers() const {
        Solvers all(run_.request, run_.forcing() ? int(frames()) : 1);
        if (row() > 0)
            all.restore(state_.solver, state_.latent.shape(), steps_taken(run_.request, window_, frames(), row()));
        return all;
    }

    /// Whether a resumed run needs the latent that a later window begins with: TeaCache does, and it is not stored.
    bool needs_first() const { return run_.request.cache && window_.index > 0 && row() > 0; }

    std::optional<WindowCache> cache() const {
        if (!run_.request.cache) return std::nullopt;
        return WindowCache{.request = run_.request,
                           .model = run_.model,
                           .window = window_,
                           .times = times_,
                           .coefficients = cache_coefficients(run_.request, Variant::read(run_.model), run_.model),
                           .seen = [this](int row) { return seen(latent_before(row), row); },
                           .plan = {},
                           .held = {}};
    }

    /// The latent that the window had before a row that is done.
    Tensor latent_before(int row) const {
        return row == 0 && first_ ? first_ : run_.callbacks.stored(window_.first_step + row);
    }

    /// Whether the clip begins with latent frames that no solver moves (TI2V). Those of forcing are in its plan.
    bool has_clean_frames() const { return run_.conditioning.prefix && !run_.forcing(); }
    std::int64_t frames() const { return state_.latent.size(1); } ///< an end image included
    int row() const { return state_.step - window_.first_step; }  ///< the window's row at work
    float timestep() const { return schedule_.timesteps[run_.forcing() ? 0 : state_.step]; }
    void tell(int step, const char* what, const Tensor& x) const {
        LayerObserver* layers = run_.observer.layers();
        if (layers) tell_tensor(layers, fmt::format("sampler/step_{:03}/{}", step, what), x);
    }

    const Run& run_;
    const Window& window_;
    DenoiseState& state_;
    std::span<const double> flop_; ///< of each step of the run
    WorkPace& pace_;               ///< of the steps so far
    const MappedFileWatch mapped_;
    const SigmaSchedule schedule_;
    const ForcingPlan plan_;
    Solvers solvers_;
    const std::vector<std::vector<float>> times_; ///< of each row
    const std::vector<bool> guided_;              ///< of each row
    const Tensor first_;                          ///< the latent before row 0 if needs_first(); else undefined
    std::optional<WindowCache> cache_;
    Experts experts_;
};

} // namespace

void Pipeline::denoise(const Request& r, const ModelFolder& model, const Conditioning& c, DenoiseState& state,
                       const Callbacks& callbacks, Observer& observer, std::stop_token stop) {
    const Run run{*this, residency_, backend_, r, model, c, callbacks, observer, stop};
    NextWindow next(run);
    const std::vector<double> flop = step_flop(r, ModelHeaders(model));
    WorkPace pace;
    for (const Window& w : windows_of(r)) {
        if (state.step >= w.last_step()) continue;
        if (w.index > 0 && state.step == w.first_step) state = next.after(state, w);
        backend_->set_stop(stop);
        WindowSteps(run, w, state, flop, pace).take();
    }
}

} // namespace denoir

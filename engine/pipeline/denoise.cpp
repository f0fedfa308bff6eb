// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/random.h"
#include "engine/pipeline/experts.h"
#include "engine/pipeline/layer_probe.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/schedule.h"
#include "engine/pipeline/solvers.h"
#include "engine/pipeline/stage_timer.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/weights/safetensors.h"

namespace denoir {
namespace {

using Clock = std::chrono::steady_clock;

Tensor clone(const Tensor& t) {
    Tensor out = Tensor::host(t.shape());
    std::memcpy(out.raw(), t.raw(), t.bytes());
    return out;
}

/// One generator draws for all windows, in their order; a file holds their noise one behind the other.
/// `shape`: of the first window.
Tensor draw_noise(const Request& r, Shape shape, const Window& w) {
    const std::vector<Window> windows = windows_of(r);
    const auto draw = [&](auto generator) {
        for (const Window& drawn : windows) {
            shape[1] = drawn.frames;
            Tensor noise = generator.randn(shape);
            if (drawn.index == w.index) return noise;
        }
        return Tensor();
    };
    switch (r.noise.kind) {
    case NoiseSource::Kind::torch_cpu:
        return draw(TorchCpuGenerator(*r.seed));
    case NoiseSource::Kind::torch_cuda:
        return draw(TorchCudaGenerator(*r.seed, r.noise.multiprocessors));
    case NoiseSource::Kind::file:
        break;
    }
    const Tensor noise = read_safetensors(r.noise.file).at("noise").to_host_f32();
    shape[1] = drawn_frames(r);
    if (noise.shape() != shape)
        throw Error(r.noise.file.string(), "noise",
                    "has shape " + to_string(noise.shape()) + ", this run needs " + to_string(shape));
    if (windows.size() == 1) return clone(noise); // the file's pages may be the stored tensor itself
    std::int64_t first = 0;
    for (const Window& before : windows)
        if (before.index < w.index) first += before.frames;
    return clone(noise.slice(1, first, first + w.frames).to_host_f32());
}

/// What the transformer sees of the given frames in a step: some noise mixed in (spec/pipelines.md 7.4). Each step's
/// noise depends on the seed and the step alone, so that a resumed run sees the same.
Tensor with_condition_noise(const Request& r, const Tensor& latent, int ready, int step) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15; // parts the seeds of neighbouring steps
    const std::int64_t t = latent.size(1), frame = latent.size(2) * latent.size(3);
    const Tensor noise = TorchCpuGenerator(*r.seed + golden * std::uint64_t(step + 1))
                             .randn({latent.size(0), ready, latent.size(2), latent.size(3)});
    const bool bf16 = *r.dtype == DType::bf16;
    const auto stored = [&](float v) { return bf16 ? round_to_bf16(v) : v; };
    const auto share = float(0.001 * r.forcing->condition_noise), rest = float(1 - 0.001 * r.forcing->condition_noise);
    Tensor seen = clone(latent);
    for (std::int64_t c = 0; c < latent.size(0); ++c) {
        float* x = seen.data<float>() + c * t * frame;
        const float* n = noise.data<float>() + c * ready * frame;
        for (std::int64_t i = 0; i < ready * frame; ++i)
            x[i] = stored(stored(x[i] * rest) + stored(stored(n[i]) * share));
    }
    return seen;
}

/// The clean frames over the first ones of `latent` [C,T,h,w].
void put_prefix(const Tensor& prefix, Tensor& latent) {
    const std::int64_t frame = latent.size(2) * latent.size(3), known = prefix.size(1) * frame;
    for (std::int64_t c = 0; c < latent.size(0); ++c)
        std::copy_n(prefix.data<float>() + c * known, known, latent.data<float>() + c * latent.size(1) * frame);
}

/// A window before its first step: noise, the given frames over its first ones, an end image behind it.
Tensor window_latent(const Request& r, const Tensor& noise, const Tensor& given, const Tensor& end) {
    const std::int64_t t = noise.size(1), frame = noise.size(2) * noise.size(3), extra = end ? 1 : 0;
    Tensor latent = Tensor::host({noise.size(0), t + extra, noise.size(2), noise.size(3)});
    for (std::int64_t ch = 0; ch < noise.size(0); ++ch) {
        float* to = latent.data<float>() + ch * (t + extra) * frame;
        std::copy_n(noise.data<float>() + ch * t * frame, t * frame, to);
        if (end) std::copy_n(end.data<float>() + ch * frame, frame, to + t * frame);
    }
    if (given) put_prefix(given, latent);
    if (*r.mode == Mode::forcing && *r.dtype == DType::bf16)
        for (float& v : latent.span<float>()) v = round_to_bf16(v);
    return latent;
}

} // namespace

std::vector<Tensor> DenoiseState::all() const {
    std::vector<Tensor> all = before;
    all.push_back(latent);
    return all;
}

void Pipeline::check_latent(const Request& r, const ModelFolder& model, int step, const Tensor& latent) {
    const std::vector<Window> windows = windows_of(r);
    const Window& w = window_after(windows, step);
    Shape shape = latent_shape(r, Variant::read(model));
    shape[1] = w.frames;
    // An end image follows the clip until the last step drops it.
    if (*r.mode == Mode::forcing && w.last && !r.last_image.empty() && step < windows.back().last_step()) ++shape[1];
    check_stored("latent", latent, shape);
}

void Pipeline::check_state(const Request& r, const ModelFolder& model, const DenoiseState& state) {
    const std::vector<Window> windows = windows_of(r);
    const Window& w = window_after(windows, state.step);
    check_latent(r, model, state.step, state.latent);
    const Shape shape = state.latent.shape();
    if (state.step == 0 || state.step == w.last_step()) return;
    for (const auto& [name, values] : state.solver) check_stored("solver", values, values.shape());
    Solvers(r, *r.mode == Mode::forcing ? int(shape[1]) : 1)
        .restore(state.solver, shape, steps_taken(r, w, shape[1], state.step - w.first_step));
}

int Pipeline::step_count(const Request& r) { return windows_of(r).back().last_step(); }

DenoiseState Pipeline::begin(const Request& r, const ModelFolder& model, const Conditioning& c) {
    const std::vector<Window> windows = windows_of(r);
    DenoiseState state;
    state.steps = windows.back().last_step();
    const Tensor noise = draw_noise(r, latent_shape(r, Variant::read(model)), windows.front());
    state.latent = window_latent(r, noise, c.prefix, windows.front().last ? c.end : Tensor());
    return state;
}

DenoiseState Pipeline::next_window(const Request& r, const ModelFolder& model, const Conditioning& c,
                                   const DenoiseState& state, const Window& w, LastPictures& last,
                                   const FrameSink& pictures, Observer& observer, std::stop_token stop) {
    const std::vector<Window> windows = windows_of(r);
    const auto given = std::size_t(r.forcing->overlap);
    // Of a run that goes on the pictures before are not there any more; a short window makes fewer than are given.
    std::size_t from = std::size_t(w.index) - 1;
    if (last.next != windows[from].first_picture()) {
        last = {};
        while (windows[from].first_picture() > w.first_picture() - r.forcing->overlap) --from;
    }
    decode(
        r, model, state.all(),
        [&](int index, const Tensor& picture) {
            if (pictures) pictures(index, picture);
            if (last.kept.size() == given) last.kept.pop_front();
            last.kept.push_back(clone(picture));
            last.next = index + 1;
        },
        observer, stop, from);
    const MappedFileWatch mapped;
    const auto weights = residency_.get(model.vae, Component::vae21);
    Tensor latent;
    {
        StageTimer timer(observer, Stage::image);
        const wan::Vae vae(weights, backend_, vae_options(r));
        const auto picture = [&](std::int64_t i) { return last.kept.at(std::size_t(i)); };
        latent = vae.encode(picture, r.forcing->overlap, *r.height, *r.width).latent;
        mapped.check();
        check_computed(*weights, "the window before", latent);
    }
    DenoiseState next{state.step, state.steps, {}, {}, state.all()};
    if (pictures) next.before.assign(next.before.size(), Tensor()); // an hour of video would have gigabytes of them
    const Tensor noise = draw_noise(r, latent_shape(r, Variant::read(model)), w);
    next.latent = window_latent(r, noise, latent, w.last ? c.end : Tensor());
    return next;
}

Tensor Pipeline::window_begin(const Request& r, const ModelFolder& model, const Conditioning& c,
                              const DenoiseState& state, const Window& w, Observer& observer, std::stop_token stop) {
    DenoiseState end{w.first_step, state.steps, state.before.back(), {}, state.before};
    end.before.pop_back();
    LastPictures none;
    return next_window(r, model, c, end, w, none, {}, observer, stop).latent;
}

void Pipeline::denoise(const Request& r, const ModelFolder& model, const Conditioning& c, DenoiseState& state,
                       const AfterStep& after_step, Observer& observer, std::stop_token stop, const FrameSink& pictures,
                       const StoredLatent& stored) {
    LastPictures last;
    for (const Window& w : windows_of(r)) {
        if (state.step >= w.last_step()) continue;
        if (w.index > 0 && state.step == w.first_step)
            state = next_window(r, model, c, state, w, last, pictures, observer, stop);
        denoise_window(r, model, c, state, w, after_step, observer, stop, stored);
    }
}

void Pipeline::denoise_window(const Request& r, const ModelFolder& model, const Conditioning& c, DenoiseState& state,
                              const Window& w, const AfterStep& after_step, Observer& observer, std::stop_token stop,
                              const StoredLatent& stored) {
    backend_->set_stop(stop);
    const MappedFileWatch mapped;
    const bool forcing = *r.mode == Mode::forcing;
    const SigmaSchedule schedule = schedule_of(r);
    const ForcingPlan plan = forcing ? plan_of(r, w) : ForcingPlan{};
    const bool noisy = forcing && r.forcing->condition_noise > 0 && w.ready > 0;
    const std::int64_t t = state.latent.size(1);
    Solvers solvers(r, forcing ? int(t) : 1);
    if (state.step > w.first_step)
        solvers.restore(state.solver, state.latent.shape(), steps_taken(r, w, t, state.step - w.first_step));
    const auto seen = [&](const Tensor& latent, int row) {
        return noisy ? with_condition_noise(r, latent, w.ready, w.first_step + row) : latent;
    };
    const auto times = step_times(r, w, c.prefix && !forcing ? int(c.prefix.size(1)) : 0);
    Tensor first; // of a later window that goes on, which nobody stored
    std::optional<WindowCache> cache;
    if (r.cache) {
        if (w.index > 0 && state.step > w.first_step) first = window_begin(r, model, c, state, w, observer, stop);
        cache.emplace(WindowCache{
            .request = r,
            .model = model,
            .window = w,
            .times = times,
            .coefficients = cache_coefficients(r, Variant::read(model), model),
            .seen = [&](int row) { return seen(row == 0 && first ? first : stored(w.first_step + row), row); },
            .plan = {},
            .held = {}});
    }
    Experts experts(r, model, c, residency_, backend_, observer);
    experts.ready(schedule.timesteps[forcing ? 0 : state.step]);
    const auto tell = [&](int step, const char* what, const Tensor& x) {
        if (observer.layers()) tell_tensor(observer.layers(), fmt::format("sampler/step_{:03}/{}", step, what), x);
    };
    if (state.step == 0) tell(0, "latent", state.latent);

    StageTimer timer(observer, Stage::denoise);
    observer.progress(Stage::denoise, state.step, state.steps);
    while (state.step < w.last_step()) {
        const auto begin = Clock::now();
        const int i = state.step, row = i - w.first_step;
        const float timestep = schedule.timesteps[forcing ? 0 : i];
        if (cache) cache->step = row;
        const Tensor velocity = experts.velocity(timestep, seen(state.latent, row), times[std::size_t(row)], i + 1,
                                                 cache ? &*cache : nullptr);
        mapped.check();
        tell(i + 1, "velocity", velocity);
        Tensor x0 = clone(state.latent), next = clone(state.latent);
        if (forcing)
            step_frames(solvers, velocity, next, x0, std::span(plan.update).subspan(row * t, t));
        else
            solvers[0].step(velocity.span<float>(), next.span<float>(), x0.span<float>());
        if (c.prefix && !forcing) { // the solver moves every frame; the clean ones stay
            put_prefix(c.prefix, next);
            put_prefix(c.prefix, x0);
        }
        state.step = i + 1;
        state.latent = next;
        state.solver = solvers.state();
        tell(state.step, "latent", state.latent);
        tell(state.step, "x0", x0);
        StepInfo info{state.step, state.steps, state.latent, x0};
        if (cache) info.forwards = cache->forwards, info.reused = cache->reused;
        after_step(state, info);
        info.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        observer.step_done(info);
        observer.progress(Stage::denoise, state.step, state.steps);
        if (stop.stop_requested() && state.step < state.steps) throw Cancelled();
    }
}

Tensor Pipeline::requested_frames(const Request& r, const Tensor& latent, int step) {
    const std::vector<Window> windows = windows_of(r);
    const std::int64_t t = window_after(windows, step).frames;
    if (latent.size(1) == t) return latent;
    if (latent.size(1) < t)
        throw Error({}, "latent", fmt::format("has {} latent frames, the request {}", latent.size(1), t),
                    "the file was changed: render again");
    return latent.slice(1, 0, t).to_host_f32();
}

} // namespace denoir

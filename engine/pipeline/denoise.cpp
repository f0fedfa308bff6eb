// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/random.h"
#include "engine/models/wan/transformer.h"
#include "engine/pipeline/layer_probe.h"
#include "engine/pipeline/needs.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/schedule.h"
#include "engine/pipeline/stage_timer.h"
#include "engine/pipeline/step_cache.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/sampling/guidance.h"
#include "engine/weights/safetensors.h"

namespace denoir {
namespace {

using Clock = std::chrono::steady_clock;

/// TeaCache in one window of a run: what each forward is, and what the blocks added in those that later ones need.
struct WindowCache {
    const Request& request;
    const ModelFolder& model;
    const Window& window;
    const std::vector<std::vector<float>>& times; ///< of each step of the window
    std::vector<double> coefficients;
    std::function<Tensor(int step)> seen; ///< by the transformer in a step that was taken before
    std::optional<StepCache> plan;        ///< of the transformer that is loaded
    struct Held {
        int step = -1;
        Tensor residual;
    };
    std::array<Held, 2> held; ///< of each stream
    int step = 0;             ///< of the window, at work
    int forwards = 0, reused = 0;

    void make_plan(bool guided, const StepCache::Signal& signal) {
        held = {};
        for (const bool low : {false, true}) {
            const auto [first, end] = expert_steps(request, model, window, low);
            if (step < first || step >= end) continue;
            plan.emplace(request, coefficients, first, std::span(times).subspan(first, end - first), guided, signal);
        }
    }
};

/// One transformer with what the prompt contributes to each of its blocks. Wan 2.2 A14B has two, used one after the
/// other.
class Denoiser {
public:
    /// `component`: as which its layers are told.
    Denoiser(std::shared_ptr<const Weights> weights, std::shared_ptr<Backend> backend, const Request& r,
             const Conditioning& c, double guidance, LayerObserver* layers, std::string component)
        : backend_(std::move(backend)),
          model_(std::move(weights), backend_,
                 {.heads = {}, .causal_block = causal_block(r), .precision = cast_points(*r.precision)}),
          condition_(c.condition),
          guidance_(guidance),
          layers_(layers),
          component_(std::move(component)),
          cond_(context(c.text, c, "cond")) {
        // Both branches see the same image: its keys are made once, unless somebody wants to be told of each branch's.
        if (guided(r, guidance_))
            uncond_.emplace(layers_ ? context(c.negative_text, c, "uncond") : model_.context(c.negative_text, cond_));
        model_.release_context_weights();
        if (model_.config().fps_rows > 0) fps_ = fps_row(r);
    }

    /// Before a step: plans those that this transformer takes, where it is the first of them.
    void plan(WindowCache& cache) const {
        cache.forwards = cache.reused = 0;
        if (!cache.plan || !cache.plan->covers(cache.step))
            cache.make_plan(uncond_.has_value(), [&](auto times) {
                return model_.time_signal(times, fps_, cache.request.cache->ret_steps);
            });
    }

    /// Classifier-free guidance in f32, the conditional branch first.
    Tensor velocity(const Tensor& latent, std::span<const float> timesteps, int step, WindowCache* cache) const {
        const auto forward = [&](const wan::Context& context, int branch) {
            const std::string prefix =
                fmt::format("{}/step_{:03}/{}", component_, step, branch == 0 ? "cond" : "uncond");
            LayerProbe probe(layers_, prefix);
            const Tensor v = cache ? cached(*cache, branch, latent, timesteps, context, probe.get())
                                   : model_.forward(latent, condition(), timesteps, context, fps_, probe.get());
            tell_tensor(layers_, prefix + "/velocity", v);
            return backend_->download_later(v); // a device goes on with the other branch
        };
        const Tensor v = forward(cond_, 0);
        const Tensor u = uncond_ ? forward(*uncond_, 1) : Tensor();
        backend_->finish(v);
        if (!uncond_) return v;
        backend_->finish(u);
        guide(v.span<float>(), u.span<float>(), float(guidance_));
        return v;
    }

private:
    const Tensor* condition() const { return condition_ ? &condition_ : nullptr; }

    /// One forward under TeaCache: of its own, or with what the blocks added in an earlier one.
    Tensor cached(WindowCache& cache, int branch, const Tensor& latent, std::span<const float> timesteps,
                  const wan::Context& context, nn::Probe* probe) const {
        const CachedForward f = cache.plan->at(cache.step, branch);
        WindowCache::Held& held = cache.held[std::size_t(f.stream)];
        const auto compute = [&](const Tensor& x, std::span<const float> times, nn::Probe* told) {
            held = {};
            const Tensor v = model_.forward(x, condition(), times, context, fps_, told, &held.residual);
            held.step = f.source;
            return v;
        };
        ++cache.forwards;
        if (f.source == cache.step) return compute(latent, timesteps, probe);
        // Of a run that goes on, the steps before are made again where they are needed.
        if (held.step != f.source) compute(cache.seen(f.source), cache.times[std::size_t(f.source)], nullptr);
        ++cache.reused;
        return model_.forward_reusing(latent, condition(), timesteps, held.residual, probe);
    }

    wan::Context context(const Tensor& text, const Conditioning& c, const char* branch) const {
        LayerProbe probe(layers_, component_ + "/" + branch);
        return model_.context(text, c.clip ? &c.clip : nullptr, true, probe.get());
    }
    static std::optional<std::int64_t> causal_block(const Request& r) {
        if (*r.mode != Mode::forcing) return std::nullopt;
        return r.forcing->causal_attention ? r.forcing->block
                                           : 0; // SkyReels attends to every frame unless told otherwise
    }
    std::shared_ptr<Backend> backend_;
    wan::Transformer model_;
    Tensor condition_;
    double guidance_;
    LayerObserver* layers_;
    std::string component_;
    wan::Context cond_;
    std::optional<wan::Context> uncond_;
    std::optional<int> fps_;
};

/// Which expert a step belongs to, and the one that is loaded.
class Experts {
public:
    Experts(const Request& r, const ModelFolder& model, const Conditioning& c, Residency& residency,
            std::shared_ptr<Backend> backend, Observer& observer)
        : request_(r),
          model_(model),
          conditioning_(c),
          residency_(residency),
          backend_(std::move(backend)),
          observer_(observer),
          variant_(Variant::read(model)),
          boundary_(expert_boundary(r, model)) {}

    ~Experts() {
        if (stays_) return;
        current_.reset();
        weights_.reset();
        residency_.release(Component::transformer);
    }
    Experts(const Experts&) = delete;
    Experts& operator=(const Experts&) = delete;
    /// Loads the expert of this timestep.
    void ready(float timestep) {
        const bool low = !model_.transformer_low.empty() && timestep < boundary_ * 1000;
        while (!current_ || low != low_) load(low);
    }
    /// As Denoiser::velocity, by the expert of this timestep.
    Tensor velocity(float timestep, const Tensor& latent, std::span<const float> timesteps, int step,
                    WindowCache* cache) {
        for (;;) {
            ready(timestep);
            try {
                if (cache) current_->plan(*cache);
                const Tensor velocity = current_->velocity(latent, timesteps, step, cache);
                // Whoever asks to be told of layers may be looking for the first that goes wrong.
                if (!observer_.layers()) check_computed(*weights_, fmt::format("step {}", step), velocity);
                return velocity;
            } catch (const Error& e) {
                step_down(e);
            }
        }
    }

private:
    /// In a handler of `e`: to the next rung of the memory ladder. Throws on where there is none.
    void step_down(const Error& e) {
        if (!next_rung(e, *backend_, rung_, observer_)) throw;
        current_.reset();
        weights_.reset();
        residency_.release(Component::transformer); // and what the backend keeps of it
    }
    void load(bool low) {
        StageTimer timer(observer_, Stage::load_transformer);
        current_.reset();
        weights_.reset();
        const auto weights = take(low);
        weights_ = weights;
        for (const std::string& warning : weights->warnings()) observer_.warning(warning);
        const MemoryNeeds needs = needs_on(rung_, transformer_needs(*weights, request_, variant_));
        const std::string told = backend_->plan_memory(needs);
        if (!told.empty()) observer_.warning(told);
        stays_ = residency_.lasting() && told.empty();
        try {
            current_.emplace(weights, backend_, request_, conditioning_,
                             low ? request_.guidance_low.value_or(*request_.guidance) : *request_.guidance,
                             observer_.layers(), low ? "transformer_low" : "transformer");
            low_ = low;
        } catch (const Error& e) {
            step_down(e);
        }
    }
    /// As loaded or as the run before left them; alone, unless there is plenty of room for what else was kept.
    std::shared_ptr<const Weights> take(bool low) {
        const Expert expert = model_.transformer_low.empty() ? Expert::none : low ? Expert::low : Expert::high;
        const auto get = [&] {
            return residency_.get(low ? model_.transformer_low : model_.transformer, Component::transformer,
                                  weights_use(request_), request_.loras, expert);
        };
        auto weights = get();
        const MemoryNeeds needs = transformer_needs(*weights, request_, variant_);
        const bool prepared = weights->prepared();
        const std::size_t wanted = needs.activations + (prepared ? 0 : needs.weights);
        if (!residency_.lasting() || backend_->free_memory() / 2 <= wanted) {
            const Weights* keep = prepared ? nullptr : weights.get();
            if (prepared) weights.reset();
            residency_.release(Component::transformer, keep);
            residency_.release(Component::vae21); // what encoded the image, or decoded the run before
            weights = get();
        }
        backend_->trim();
        return weights;
    }
    const Request& request_;
    const ModelFolder& model_;
    const Conditioning& conditioning_;
    Residency& residency_;
    std::shared_ptr<Backend> backend_;
    Observer& observer_;
    Variant variant_;
    double boundary_;
    std::shared_ptr<const Weights> weights_; ///< of current_
    std::optional<Denoiser> current_;
    bool low_ = false;
    bool stays_ = false; ///< nothing of the plan keeps the weights from serving the next run
    int rung_ = 0;
};

/// The solvers of a run: one, or one per latent frame (diffusion forcing), with their state as named tensors.
class Solvers {
public:
    Solvers(const Request& r, int count) {
        // SkyReels steps a view of the latents in place: the first `last sample` is overwritten (spec/schedulers.md 6),
        // and keeps them in bf16.
        const bool forcing = *r.mode == Mode::forcing;
        const SchedulerOptions options{.alias_first_sample = forcing && *r.sampler == Sampler::unipc,
                                       .bf16_latents = forcing && *r.dtype == DType::bf16};
        for (int i = 0; i < count; ++i) all_.push_back(Scheduler::create(*r.sampler, schedule_of(r), options));
    }
    Scheduler& operator[](int i) { return *all_[i]; }

    std::map<std::string, Tensor> state() const {
        std::map<std::string, Tensor> out;
        for (std::size_t i = 0; i < all_.size(); ++i)
            for (auto& [name, tensor] : all_[i]->state().to_tensors())
                out["solver." + std::to_string(i) + "." + name] = tensor;
        return out;
    }
    /// `latent`: shape of what is stepped; `taken`: steps each solver has taken. Throws Error where a solver's history
    /// is missing or another's.
    void restore(const std::map<std::string, Tensor>& tensors, const Shape& latent, const std::vector<int>& taken) {
        const std::int64_t each = latent.elements() / (all_.size() > 1 ? latent[1] : 1);
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const std::string prefix = "solver." + std::to_string(i) + ".";
            std::map<std::string, Tensor> own;
            for (auto it = tensors.lower_bound(prefix); it != tensors.end() && it->first.starts_with(prefix); ++it)
                own[it->first.substr(prefix.size())] = it->second;
            const SchedulerState state = SchedulerState::from_tensors(own);
            if (state.index != taken[i])
                throw Error({}, "solver",
                            fmt::format("the stored solver has taken {} steps, the run {}", state.index, taken[i]),
                            "start the run again");
            for (const auto& [key, values] : state.history)
                if (std::ssize(values) != each)
                    throw Error({}, "solver", "the stored solver state belongs to latents of another size",
                                "start the run again");
            all_[i]->restore(state);
        }
    }

private:
    std::vector<std::unique_ptr<Scheduler>> all_;
};

/// Steps that each solver has taken before row `step` of a window.
std::vector<int> steps_taken(const Request& r, const Window& w, std::int64_t frames, int step) {
    if (*r.mode != Mode::forcing) return {step};
    const ForcingPlan plan = plan_of(r, w);
    std::vector<int> taken(frames);
    for (std::int64_t i = 0; i < std::min(step, plan.rows) * frames; ++i) taken[i % frames] += plan.update[i];
    return taken;
}

/// One step of every flagged frame: each has its own solver and its own slice [C,h,w] of latent and velocity.
void step_frames(Solvers& solvers, const Tensor& velocity, Tensor& latent, Tensor& x0,
                 std::span<const std::uint8_t> update) {
    const std::int64_t c = latent.size(0), t = latent.size(1), frame = latent.size(2) * latent.size(3);
    std::vector<float> v(c * frame), x(c * frame), e(c * frame);
    float *lp = latent.data<float>(), *ep = x0.data<float>();
    const float* vp = velocity.data<float>();
    for (std::int64_t f = 0; f < t; ++f) {
        if (!update[f]) continue;
        for (std::int64_t ch = 0; ch < c; ++ch) {
            std::copy_n(vp + (ch * t + f) * frame, frame, v.begin() + ch * frame);
            std::copy_n(lp + (ch * t + f) * frame, frame, x.begin() + ch * frame);
        }
        solvers[int(f)].step(v, x, e);
        for (std::int64_t ch = 0; ch < c; ++ch) {
            std::copy_n(x.begin() + ch * frame, frame, lp + (ch * t + f) * frame);
            std::copy_n(e.begin() + ch * frame, frame, ep + (ch * t + f) * frame);
        }
    }
}

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
                       const std::function<void(const DenoiseState&, const Tensor& x0)>& after_step, Observer& observer,
                       std::stop_token stop, const FrameSink& pictures, const StoredLatent& stored) {
    LastPictures last;
    for (const Window& w : windows_of(r)) {
        if (state.step >= w.last_step()) continue;
        if (w.index > 0 && state.step == w.first_step)
            state = next_window(r, model, c, state, w, last, pictures, observer, stop);
        denoise_window(r, model, c, state, w, after_step, observer, stop, stored);
    }
}

void Pipeline::denoise_window(const Request& r, const ModelFolder& model, const Conditioning& c, DenoiseState& state,
                              const Window& w,
                              const std::function<void(const DenoiseState&, const Tensor& x0)>& after_step,
                              Observer& observer, std::stop_token stop, const StoredLatent& stored) {
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
        cache.emplace(
            WindowCache{r,
                        model,
                        w,
                        times,
                        cache_coefficients(r, Variant::read(model), model),
                        [&](int row) { return seen(row == 0 && first ? first : stored(w.first_step + row), row); },
                        {},
                        {}});
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
        after_step(state, x0);
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        observer.step_done({state.step, state.steps, state.latent, x0, seconds, cache ? cache->forwards : 0,
                            cache ? cache->reused : 0});
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
                    "the file was changed: render anew");
    return latent.slice(1, 0, t).to_host_f32();
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/denoiser.h"

#include <fmt/format.h>

#include "engine/pipeline/layer_probe.h"
#include "engine/pipeline/network_options.h"
#include "engine/pipeline/variant.h"
#include "engine/sampling/guidance.h"

namespace denoir {
namespace {

/// The latent frames of a block of causal attention; 0: every frame attends to all. With forcing the request decides,
/// whatever config.json says, as in SkyReels; without it config.json does (nothing is returned).
std::optional<std::int64_t> causal_block(const Request& r) {
    if (*r.mode != Mode::forcing) return std::nullopt;
    return r.forcing->causal_attention ? r.forcing->block : 0;
}

} // namespace

void WindowCache::make_plan(bool guided, const StepCache::Signal& signal) {
    held = {};
    for (const bool low : {false, true}) {
        const auto [first, end] = expert_steps(request, model, window, low);
        if (step < first || step >= end) continue;
        plan.emplace(request, coefficients, window, first, std::span(times).subspan(first, end - first), guided,
                     signal);
    }
}

Denoiser::Denoiser(std::shared_ptr<const Weights> weights, std::shared_ptr<Backend> backend, const Request& r,
                   const Conditioning& c, double guidance, float timestep, LayerObserver* layers, std::string component)
    : backend_(std::move(backend)),
      model_(std::move(weights), backend_,
             {.heads = {}, .causal_block = causal_block(r), .precision = cast_points(*r.precision)}),
      condition_(c.condition),
      guidance_(guidance),
      counts_both_(guided(r, guidance)),
      guidance_until_(r.guidance_until),
      layers_(layers),
      component_(std::move(component)),
      cond_(context(c.text, c, "cond")) {
    // Both branches see the same image: its keys are made once, unless somebody wants to be told of each branch's.
    if (counts_both_ && c.negative_text && guided_at(timestep, guidance_until_))
        uncond_.emplace(layers_ ? context(c.negative_text, c, "uncond") : model_.context(c.negative_text, cond_));
    model_.release_context_weights();
    if (model_.config().fps_rows > 0) fps_ = fps_row(r);
}

void Denoiser::plan(WindowCache& cache) const {
    cache.forwards = cache.reused = 0;
    if (!cache.plan || !cache.plan->covers(cache.step))
        cache.make_plan(counts_both_,
                        [&](auto times) { return model_.time_signal(times, fps_, cache.request.cache->ret_steps); });
}

Tensor Denoiser::velocity(const Tensor& latent, std::span<const float> timesteps, bool guided, int step,
                          WindowCache* cache) const {
    const auto forward = [&](const wan::Context& context, int branch, LayerObserver* layers) {
        const std::string prefix = fmt::format("{}/step_{:03}/{}", component_, step, branch == 0 ? "cond" : "uncond");
        LayerProbe probe(layers, prefix);
        const Tensor v = cache ? cached(*cache, branch, latent, timesteps, context, probe.get())
                               : model_.forward(latent, condition(), timesteps, context, fps_, probe.get());
        tell_tensor(layers, prefix + "/velocity", v);
        return backend_->download_later(v); // a device goes on with the other branch
    };
    const Tensor v = forward(cond_, 0, layers_);
    const bool second = uncond_ && (cache ? cache->plan->makes_second(cache->step) : guided);
    const Tensor u = second ? forward(*uncond_, 1, guided ? layers_ : nullptr) : Tensor();
    backend_->finish(v);
    if (!second) return v;
    backend_->finish(u);
    if (guided) guide(v, u, float(guidance_), timesteps, guidance_until_);
    return v;
}

Tensor Denoiser::cached(WindowCache& cache, int branch, const Tensor& latent, std::span<const float> timesteps,
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
    // In a resumed run, the step whose residual is reused is computed again.
    if (held.step != f.source) compute(cache.seen(f.source), cache.times[std::size_t(f.source)], nullptr);
    ++cache.reused;
    return model_.forward_reusing(latent, condition(), timesteps, held.residual, probe);
}

wan::Context Denoiser::context(const Tensor& text, const Conditioning& c, const char* branch) const {
    LayerProbe probe(layers_, component_ + "/" + branch);
    return model_.context(text, c.clip ? &c.clip : nullptr, true, probe.get());
}

} // namespace denoir

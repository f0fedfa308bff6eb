// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the pipeline.
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/models/wan/transformer.h"
#include "engine/pipeline/observer.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/step_cache.h"
#include "engine/pipeline/windows.h"

namespace denoir {

struct ModelFolder;

/// TeaCache in one window of a run: the plan of its forwards, and the residuals that are kept for later ones.
struct WindowCache {
    const Request& request;
    const ModelFolder& model;
    const Window& window;
    const std::vector<std::vector<float>>& times; ///< of each step of the window
    std::vector<double> coefficients;
    std::function<Tensor(int step)> seen; ///< the latent that the transformer saw in an earlier step of the window
    std::optional<StepCache> plan;        ///< for the loaded transformer
    struct Held {
        int step = -1;
        Tensor residual;
    };
    std::array<Held, 2> held;     ///< by CachedForward::stream
    int step = 0;                 ///< of the window, being computed
    int forwards = 0, reused = 0; ///< of that step: made in all, and made by reusing a residual

    /// Plans the stretch of steps around `step` that one transformer computes.
    void make_plan(bool guided, const StepCache::Signal& signal);
};

/// One transformer and the contexts of the prompts. Wan 2.2 A14B has two transformers, used one after the other.
class Denoiser {
public:
    /// `timestep`: of the first step that it computes, which is its largest. `layers` (or null) is told its layers
    /// under the name `component`.
    Denoiser(std::shared_ptr<const Weights> weights, std::shared_ptr<Backend> backend, const Request& r,
             const Conditioning& c, double guidance, float timestep, LayerObserver* layers, std::string component);

    /// To be called before each step: makes the plan when the step is the first of this transformer.
    void plan(WindowCache& cache) const;

    /// The guided velocity (classifier-free guidance in f32), of the shape of `latent`, f32 host. `latent` [C,T,h,w]
    /// f32 host; `timesteps` one, or one per latent frame; `guided` of steps_within_guidance; `step` for the keys of
    /// the layers; `cache` null without TeaCache.
    Tensor velocity(const Tensor& latent, std::span<const float> timesteps, bool guided, int step,
                    WindowCache* cache) const;

private:
    const Tensor* condition() const { return condition_ ? &condition_ : nullptr; }
    /// One forward under TeaCache: computed, or with the residual of an earlier one.
    Tensor cached(WindowCache& cache, int branch, const Tensor& latent, std::span<const float> timesteps,
                  const wan::Context& context, nn::Probe* probe) const;
    wan::Context context(const Tensor& text, const Conditioning& c, const char* branch) const;

    std::shared_ptr<Backend> backend_;
    wan::Transformer model_;
    Tensor condition_;
    double guidance_;
    bool counts_both_; ///< guidance is on: TeaCache counts two forwards a step, guided or not
    double guidance_until_;
    LayerObserver* layers_;
    std::string component_;
    wan::Context cond_;
    std::optional<wan::Context> uncond_;
    std::optional<int> fps_;
};

} // namespace denoir

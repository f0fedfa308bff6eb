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

    /// For the steps around `step` that one transformer takes.
    void make_plan(bool guided, const StepCache::Signal& signal);
};

/// One transformer with what the prompt contributes to each of its blocks. Wan 2.2 A14B has two, used one after the
/// other.
class Denoiser {
public:
    /// `timestep`: of the first step that it takes, the largest. `component`: as which its layers are told to `layers`,
    /// if any.
    Denoiser(std::shared_ptr<const Weights> weights, std::shared_ptr<Backend> backend, const Request& r,
             const Conditioning& c, double guidance, float timestep, LayerObserver* layers, std::string component);

    /// Before a step: plans those that this transformer takes, where it is the first of them.
    void plan(WindowCache& cache) const;

    /// Classifier-free guidance in f32, the conditional branch first. `latent` [C,T,h,w] f32 host, `timesteps` one or
    /// one per latent frame, `guided` of steps_within_guidance, `step` as its layers are told, `cache` null without
    /// TeaCache. The velocity has the shape of `latent`, f32 host.
    Tensor velocity(const Tensor& latent, std::span<const float> timesteps, bool guided, int step,
                    WindowCache* cache) const;

private:
    const Tensor* condition() const { return condition_ ? &condition_ : nullptr; }
    /// One forward under TeaCache: of its own, or with what the blocks added in an earlier one.
    Tensor cached(WindowCache& cache, int branch, const Tensor& latent, std::span<const float> timesteps,
                  const wan::Context& context, nn::Probe* probe) const;
    wan::Context context(const Tensor& text, const Conditioning& c, const char* branch) const;

    std::shared_ptr<Backend> backend_;
    wan::Transformer model_;
    Tensor condition_;
    double guidance_;
    bool counts_both_; ///< TeaCache counts a second forward, where it ends before the first step too
    double guidance_until_;
    LayerObserver* layers_;
    std::string component_;
    wan::Context cond_;
    std::optional<wan::Context> uncond_;
    std::optional<int> fps_;
};

} // namespace denoir

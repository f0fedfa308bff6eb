// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/pipeline/request.h"
#include "engine/pipeline/variant.h"
#include "engine/sampling/cache_plan.h"
#include "engine/weights/model_folder.h"

namespace denoir {

class ModelHeaders;
struct Window;

/// The polynomial of TeaCache for a resolved request, highest degree first (spec/pipelines.md 8): its own, unless it is
/// one that was published for the other `ret_steps` or another model; else by the model's width, channels and 480P,
/// 540P, 720P in its names, else by the size. A small model has those of 1.3B. Throws UsageError naming `cache` where
/// nobody published any.
std::vector<double> cache_coefficients(const Request&, const Variant&, const ModelFolder&);

/// A warning where Wan 2.2 A14B is given another model's coefficients, else empty: nobody published any for it. People
/// try it, and a request that was made for another model brings them along. `resolved`: Pipeline::resolve.
std::string cache_warning(const Request& resolved, const ModelFolder&);

/// TeaCache in a stretch of a window's steps: those that one transformer takes. Each counts as a run of its own, so
/// that later windows and Wan 2.2's second expert begin computed. (SkyReels counts on across windows, which comes to
/// the same where they are full; an asynchronous clip with a start image counts the steps that it has.)
class StepCache {
public:
    /// Time features of n distinct timesteps, [n, width] f32 host: wan::Transformer::time_signal.
    using Signal = std::function<Tensor(std::span<const float> timesteps)>;

    /// `times`: of the stretch's steps, the first of which is `first` in the window; all of them one timestep, or one
    /// per latent frame. `guided`: while guidance lasts.
    StepCache(const Request& resolved, std::vector<double> coefficients, const Window&, int first,
              std::span<const std::vector<float>> times, bool guided, const Signal&);

    bool covers(int step) const { return step >= first_ && step < first_ + steps_; }
    /// `branch` 0 with the prompt, 1 with the negative one. `source` is a step.
    CachedForward at(int step, int branch) const;
    /// Whether a step makes a forward with the negative prompt: it is guided, or a later one that is takes over what
    /// the blocks add here.
    bool makes_second(int step) const { return second_[std::size_t(step - first_)]; }
    /// Forwards of a step whose blocks run.
    int computed(int step) const;

private:
    int first_, steps_;
    int counted_; ///< forwards of a step, as the reference counts them
    std::vector<CachedForward> plan_;
    std::vector<bool> second_; ///< of each step
};

/// StepCache::computed of each step of a window. Reads the weights of the transformers' time features.
std::vector<int> forwards_computed(const Request& resolved, const ModelHeaders&, const Window&);

} // namespace denoir

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

/// TeaCache's polynomial for a resolved request, highest degree first (spec/pipelines.md 8). The request's own
/// coefficients win, unless they were published for another model or for the other `ret_steps`. Otherwise those
/// published for this kind of model: by its width and channels, then 480P, 540P or 720P in its names, then the size of
/// the video. Models smaller than 1.3B use those of 1.3B. Throws UsageError naming `cache` if none were published.
std::vector<double> cache_coefficients(const Request&, const Variant&, const ModelFolder&);

/// A warning if Wan 2.2 A14B, for which no coefficients were published, runs with those of another model; else empty.
/// People try this on purpose, and a request that was made for another model brings them along.
std::string cache_warning(const Request& resolved, const ModelFolder&);

/// TeaCache's plan for the stretch of a window's steps that one transformer computes. Each stretch is planned like a
/// run of its own, so later windows and Wan 2.2's second expert begin with computed forwards. (SkyReels keeps counting
/// across windows, which amounts to the same if all windows are full.)
class StepCache {
public:
    /// Time features of n distinct timesteps, [n, width] f32 host: wan::Transformer::time_signal.
    using Signal = std::function<Tensor(std::span<const float> timesteps)>;

    /// `first`: index of the stretch's first step in the window. `times`: of each step of the stretch, one timestep or
    /// one per latent frame. `guided`: guidance is on, as long as it lasts.
    StepCache(const Request& resolved, std::vector<double> coefficients, const Window&, int first,
              std::span<const std::vector<float>> times, bool guided, const Signal&);

    bool covers(int step) const { return step >= first_ && step < first_ + steps_; }
    /// What becomes of a forward; `branch` 0 is with the prompt, 1 with the negative one. `source` is a step of the
    /// window.
    CachedForward at(int step, int branch) const;
    /// Whether a step makes a forward with the negative prompt: it is guided, or a later step that is reuses what the
    /// blocks add here.
    bool makes_second(int step) const { return second_[std::size_t(step - first_)]; }
    /// Number of forwards of a step that are computed, not reused.
    int computed(int step) const;

private:
    int first_, steps_;
    int counted_; ///< forwards of a step, as the reference counts them
    std::vector<CachedForward> plan_;
    std::vector<bool> second_; ///< of each step
};

/// StepCache::computed of each step of a window. Reads the weights of the transformers' time embeddings.
std::vector<int> forwards_computed(const Request& resolved, const ModelHeaders&, const Window&);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "engine/core/tensor.h"

namespace denoir {

/// One of the stretches of a run, in this order. A resumed run skips those whose results are stored.
enum class Stage { load_text, text, load_clip, clip, load_vae, image, load_transformer, denoise, decode };
std::string_view name(Stage);

struct StepInfo {
    int step;            ///< 1 … steps: the solver step just taken
    int steps;
    const Tensor& latent;///< [C,T,h,w] f32, host, after the step (an appended end-image latent included)
    const Tensor& x0;    ///< the estimate of the clean latent, same shape
    double seconds;      ///< of this step
};

/// Told what a run does. Called on the thread that runs the pipeline, between kernels; exceptions end the run.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void stage_begins(Stage) {}
    virtual void stage_ends(Stage, double seconds) { (void)seconds; }
    /// `done` of `total` pieces of the current stage (steps, frames), for progress and ETA.
    virtual void progress(Stage, double done, double total) { (void)done, (void)total; }
    virtual void step_done(const StepInfo&) {}
    virtual void warning(std::string_view) {}
};

} // namespace denoir

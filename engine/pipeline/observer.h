// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "engine/core/tensor.h"

namespace denoir {

/// One of the stretches of a run, in this order. A resumed run skips those whose results are stored.
enum class Stage { load_text, text, load_clip, clip, load_vae, image, load_transformer, denoise, decode };
std::string_view name(Stage); ///< for people: "load text encoder"
std::string_view key(Stage);  ///< in run.json and `render --json`: "load_text"

struct StepInfo {
    int step; ///< 1 … steps: the solver step just taken
    int steps;
    const Tensor& latent; ///< [C,T,h,w] f32, host, after the step (an appended end-image latent included)
    const Tensor& x0;     ///< the estimate of the clean latent, same shape
    double seconds = 0;   ///< of this step, with what was stored
    int forwards = 0;     ///< TeaCache: of the transformer, with guidance two
    int reused = 0;       ///< of these, that took over what an earlier one's blocks gave
};

/// Is told the tensors of layers. A key is COMPONENT/PART/…/LAYER:
///   text_encoder/cond/blocks.0.attn.q               prompt (`cond`) or negative prompt (`uncond`)
///   image_encoder/first/visual.transformer.0        start image (`first`) or `last`
///   vae_encoder/condition/frame_002/encoder.conv1   the frames of a layer count from 0, each layer its own (forcing:
///                                                   `first`, `last`; `before`, of the video that the clip goes on
///                                                   after)
///   transformer/cond/text_embedding.2               once a run: depends on prompt and image alone
///   transformer/step_003/uncond/blocks.0.self_attn.q
///   sampler/step_003/latent                         step_000 is the noise; `velocity` (guided), `x0`
///   vae_decoder/frame_000/decoder.conv1
/// `transformer_low` is the low-noise expert of Wan 2.2. Called in the order of execution, on the run's thread.
class LayerObserver {
public:
    virtual ~LayerObserver() = default;
    virtual bool wants(std::string_view key) const = 0;
    /// `x` is on the backend or on the host, of any strides, and only valid during the call.
    virtual void layer(std::string_view key, const Tensor& x) = 0;
};

/// Told what a run does. Called on the thread that runs the pipeline, between kernels; exceptions end the run.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void stage_begins(Stage) {}
    virtual void stage_ends(Stage, double seconds) { (void)seconds; }
    /// `done` of `total` pieces of the current stage (steps, frames). `seconds_left`: of this stage, by the pace so far
    /// and by what each piece asks for; negative: not known yet.
    virtual void progress(Stage, double done, double total, double seconds_left) {
        (void)done, (void)total, (void)seconds_left;
    }
    virtual void step_done(const StepInfo&) {}
    virtual void warning(std::string_view) {}
    /// Who is told of layers; null: nobody, and nothing is computed for it.
    virtual LayerObserver* layers() { return nullptr; }
};

} // namespace denoir

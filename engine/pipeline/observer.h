// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "engine/core/tensor.h"

namespace denoir {

/// The stages of a run, in their order. A resumed run skips those whose results are stored.
enum class Stage { load_text, text, load_clip, clip, load_vae, image, load_transformer, denoise, decode };
std::string_view name(Stage); ///< for messages: "load text encoder"
std::string_view key(Stage);  ///< for run.json and `render --json`: "load_text"

struct StepInfo {
    int step; ///< 1 … steps: the solver step just taken
    int steps;
    const Tensor& latent; ///< [C,T,h,w] f32, host, after the step (an appended end-image latent included)
    const Tensor& x0;     ///< the estimate of the clean latent, same shape
    double seconds = 0;   ///< of this step, including the time for storing it
    int forwards = 0;     ///< TeaCache: forwards of the transformer, two with guidance
    int reused = 0;       ///< TeaCache: those of them that took over the blocks' result of an earlier one
};

/// Receives the tensors of layers. A key is COMPONENT/PART/…/LAYER:
///   text_encoder/cond/blocks.0.attn.q               prompt (`cond`) or negative prompt (`uncond`)
///   image_encoder/first/visual.transformer.0        start image (`first`) or `last`
///   vae_encoder/condition/frame_002/encoder.conv1   frames are counted from 0 for each layer (forcing: `first`,
///                                                   `last`, and `before` for the video that the clip continues)
///   transformer/cond/text_embedding.2               once per run, as it depends on prompt and image only
///   transformer/step_003/uncond/blocks.0.self_attn.q
///   sampler/step_003/latent                         step_000 is the noise; `velocity` (guided), `x0`
///   vae_decoder/frame_000/decoder.conv1
/// `transformer_low` is the low-noise expert of Wan 2.2. Called in the order of execution, on the run's thread.
class LayerObserver {
public:
    virtual ~LayerObserver() = default;
    virtual bool wants(std::string_view key) const = 0;
    /// `x` may be on the backend or on the host and have any strides. It is valid only during the call.
    virtual void layer(std::string_view key, const Tensor& x) = 0;
};

/// Receives what a run does. Called on the thread that runs the pipeline, between kernels; an exception ends the run.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void stage_begins(Stage) {}
    virtual void stage_ends(Stage, double seconds) { (void)seconds; }
    /// `done` of `total` pieces (steps, frames) of the current stage are done. `seconds_left`: until its end, estimated
    /// from the pace so far and the work of each piece; negative if not known yet.
    virtual void progress(Stage, double done, double total, double seconds_left) {
        (void)done, (void)total, (void)seconds_left;
    }
    virtual void step_done(const StepInfo&) {}
    virtual void warning(std::string_view) {}
    /// Who receives the layers; null if nobody does, and then nothing is computed for it.
    virtual LayerObserver* layers() { return nullptr; }
};

} // namespace denoir

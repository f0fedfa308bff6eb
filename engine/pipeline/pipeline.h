// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/pipeline/observer.h"
#include "engine/pipeline/request.h"
#include "engine/pipeline/residency.h"
#include "engine/pipeline/windows.h"

namespace denoir {

struct ModelFolder;
class ModelHeaders;

/// What the encoders give to a run; stored with it, so that resuming and branching never load them again. Host f32
/// tensors, undefined where the mode has none.
struct Conditioning {
    Tensor text,
        negative_text; ///< [text_len, text_dim], rows past the prompt zero; negative only where a step is guided
    Tensor clip;       ///< [257 or 514, width]
    Tensor condition;  ///< [mask 4 | latent C, T, h, w] appended to the model input (i2v, flf2v)
    Tensor prefix,
        end;       ///< [C, P|1, h, w] clean latents that the clip begins with (forcing, TI2V) and ends before (forcing)
    Tensor before; ///< [n,3,H,W] in -1 … 1: the pictures_given_again() of the video that the clip goes on after
    std::map<std::string, Tensor> to_tensors() const;
    static Conditioning from_tensors(const std::map<std::string, Tensor>&);
};

/// Between two steps of a run: all that later steps depend on. `tensors` are the latent and the solvers' history.
struct DenoiseState {
    int step = 0;  ///< steps taken
    int steps = 0; ///< in all (forcing: rows of the plans of all windows)
    Tensor latent; ///< [C,T',h,w] f32 host, of the window that the last step belongs to
    std::map<std::string, Tensor> solver;
    std::vector<Tensor> before; ///< final latents of the windows before that one; undefined: given out as pictures

    /// Final latents of the windows before, then `latent`, in order.
    std::vector<Tensor> all() const;
};

/// What a run will take of the processor and of memory, counted from its request and the model's headers.
struct Estimate {
    double flop = 0;              ///< of all steps, but for those that a branch takes over
    std::size_t weight_bytes = 0; ///< of the transformer's files
    std::size_t held_bytes = 0;   ///< of its weights as the request's device holds them
    std::size_t peak_bytes = 0;   ///< of the largest stage, weights included
    std::size_t steps_bytes = 0;  ///< of denoising and decoding alone: through a card a text encoder only passes
    /// What cannot be done without: activations, and decoding on the last rung of the ladder.
    std::size_t least_bytes = 0;
    std::size_t fixed_bytes = 0;  ///< of the activations, what a clip of any size takes, too
    std::size_t decode_bytes = 0; ///< of that decoding, for any number of frames
    std::int64_t tokens = 0;
    int size_multiple = 16;          ///< of the sides that this model can have
    int steps = 0, guided_steps = 0; ///< of the run, and those of them that make a second forward for guidance
};

/// Text-to-video, image-to-video, first-last-frame and diffusion forcing: one pipeline, different conditioning.
/// Owns nothing: weights are borrowed from the Residency, which serves this backend alone. One run at a time, on one
/// thread.
class Pipeline {
public:
    Pipeline(Residency& residency, std::shared_ptr<Backend> backend)
        : residency_(residency), backend_(std::move(backend)) {}

    /// Fills every empty field with the model's defaults (spec/schedulers.md 9, config.json `defaults`) and checks the
    /// whole: sizes, frames, images that the mode needs, family. Reads headers and images' sizes only. Throws
    /// UsageError / Error naming the field.
    static Request resolve(const Request&, const ModelFolder&);
    static Request resolve(const Request&, const ModelHeaders&); ///< one of many of this model

    /// What `resolve` would fill in, whatever else is wrong or missing with the request: model, mode, family, dtype and
    /// the image's aspect are looked at alone. No prompt, images and seed. Throws Error where the model itself does not
    /// tell.
    static Request defaults(const Request&, const ModelFolder&);
    /// A clip of diffusion forcing that was made in one window (no `base`) is made in one again, where a new one of its
    /// length would be made in several. `usual`: the defaults of its model.
    static void keep_one_window(Request& made, const Request& usual);

    /// Solver steps of a resolved request: `steps`, or the rows of the forcing plans of its windows.
    static int step_count(const Request&);

    Conditioning condition(const Request&, const ModelFolder&, Observer&, std::stop_token);
    /// The state before the first step: noise, image latents written in where the mode does that.
    DenoiseState begin(const Request&, const ModelFolder&, const Conditioning&);
    /// A picture of the clip, [3,H,W] f32 host in -1 … 1; they come in order.
    using FrameSink = std::function<void(int index, const Tensor& frame)>;
    /// The latent that a run had after an earlier step.
    using StoredLatent = std::function<Tensor(int step)>;
    /// May store the state after a step; `info.seconds` is not known yet.
    using AfterStep = std::function<void(const DenoiseState&, const StepInfo& info)>;
    /// What a run hands over while it denoises, and what it asks for; each may be empty.
    struct Callbacks {
        AfterStep after_step = {};
        /// Gets the pictures of every window but the last as the next begins; state.before keeps none then.
        FrameSink pictures = {};
        /// Asked by a run that goes on with TeaCache, for steps of the window at work; else never.
        StoredLatent stored = {};
    };
    /// Runs from state.step to the end; after each step `after_step` may store the state, then the Observer is told.
    void denoise(const Request&, const ModelFolder&, const Conditioning&, DenoiseState& state, const Callbacks&,
                 Observer&, std::stop_token);
    /// The latent of the requested frames after `step`: an appended end-image latent dropped. Throws Error naming
    /// `latent` where it holds fewer.
    static Tensor requested_frames(const Request&, const Tensor& latent, int step);
    /// What was stored comes from a file that anyone may have written. Throw Error naming the tensor that is not f32,
    /// not finite, or of another shape than this request and model make; `solver` where the solvers' history is missing
    /// or another's.
    static void check_state(const Request& resolved, const ModelFolder&, const DenoiseState&);
    static void check_latent(const Request& resolved, const ModelFolder&, int step, const Tensor&);
    static void check_conditioning(const Request& resolved, const ModelFolder&, const Conditioning&);
    /// Pictures of a clip from its windows' final latents, from window `from` on (those before it may be undefined). A
    /// window after the first gives only pictures of its own, not those that it was given.
    void decode(const Request&, const ModelFolder&, const std::vector<Tensor>& windows, const FrameSink&, Observer&,
                std::stop_token, std::size_t from = 0);

    static Estimate estimate(const Request& resolved, const ModelFolder&);
    static Estimate estimate(const Request& resolved, const ModelHeaders&);

private:
    void decode_window(const Request&, const ModelFolder&, const Tensor& latent, const FrameSink&, Observer&,
                       std::stop_token);
    void encode_prompts(const Request&, const ModelFolder&, int text_len, Observer&, Conditioning&);
    /// Before a stage that takes `bytes` beside its weights: transformers kept from before go, unless there is plenty.
    void make_room(std::size_t bytes);

    Residency& residency_;
    std::shared_ptr<Backend> backend_;
};

} // namespace denoir

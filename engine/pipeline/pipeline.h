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

/// What the encoders give to a run. It is stored with the run, so that resuming and branching need not load them again.
/// Host f32 tensors; those that the mode does not have are undefined.
struct Conditioning {
    Tensor text,
        negative_text; ///< [text_len, text_dim], zero after the prompt's rows; negative_text only if a step is guided
    Tensor clip;       ///< [257 or 514, width]
    Tensor condition;  ///< [mask 4 | latent C, T, h, w] appended to the model input (i2v, flf2v)
    Tensor prefix,
        end;       ///< [C, P|1, h, w] clean latents: those that the clip begins with (forcing, TI2V), and the one that
                   ///< follows its end (forcing)
    Tensor before; ///< [n,3,H,W] in -1 … 1: the pictures_given_again() of the video that the clip continues
    std::map<std::string, Tensor> to_tensors() const;
    static Conditioning from_tensors(const std::map<std::string, Tensor>&);
};

/// Everything that the later steps of a run depend on.
struct DenoiseState {
    int step = 0;                         ///< steps taken
    int steps = 0;                        ///< of the whole run (forcing: rows of the plans of all windows)
    Tensor latent;                        ///< [C,T',h,w] f32 host, of the window that the last step belongs to
    std::map<std::string, Tensor> solver; ///< the solvers' history
    std::vector<Tensor> before; ///< final latents of earlier windows; undefined if already handed out as pictures

    /// `before`, then `latent`.
    std::vector<Tensor> all() const;
};

/// The arithmetic and the memory that a run will take, counted from its request and the model's headers.
struct Estimate {
    double flop = 0;              ///< of all steps except those that a branch takes over
    std::size_t weight_bytes = 0; ///< of the transformer's files
    std::size_t held_bytes = 0;   ///< of its weights as the request's device holds them
    std::size_t peak_bytes = 0;   ///< of the largest stage, weights included
    std::size_t steps_bytes = 0;  ///< of denoising and decoding alone, as a text encoder does not stay on a card
    /// The least that is needed: activations, and decoding on the last rung of the memory ladder.
    std::size_t least_bytes = 0;
    std::size_t fixed_bytes = 0;  ///< the part of the activations that does not depend on the clip's size
    std::size_t decode_bytes = 0; ///< of decoding on the last rung, for any number of frames
    std::int64_t tokens = 0;
    int size_multiple = 16;          ///< width and height must be multiples of this
    int steps = 0, guided_steps = 0; ///< all steps, and those that make a second forward for guidance
};

/// Text-to-video, image-to-video, first-last-frame and diffusion forcing: one pipeline with different conditioning.
/// Owns nothing; it borrows weights from the Residency, which must serve this backend only. One run at a time, on one
/// thread.
class Pipeline {
public:
    Pipeline(Residency& residency, std::shared_ptr<Backend> backend)
        : residency_(residency), backend_(std::move(backend)) {}

    /// Fills every empty field with the model's default (spec/schedulers.md 9, config.json `defaults`) and checks the
    /// result: sizes, frames, the images that the mode needs, family. Reads only headers and the sizes of images.
    /// Throws UsageError or Error naming the field.
    static Request resolve(const Request&, const ModelFolder&);
    static Request resolve(const Request&, const ModelHeaders&); ///< for many requests of one model

    /// What resolve() would fill in, whatever else is wrong or missing in the request. Looks only at model, mode,
    /// family, dtype and the image's aspect; the result has no prompt, images or seed. Throws Error if the model's
    /// files do not tell enough.
    static Request defaults(const Request&, const ModelFolder&);
    /// Keeps a clip of diffusion forcing that was made in a single window (no `base`) in one, even if a new clip of its
    /// length would be made in several. `usual`: the defaults of its model.
    static void keep_one_window(Request& made, const Request& usual);

    /// Solver steps of a resolved request: `steps`, or the rows of the forcing plans of its windows.
    static int step_count(const Request&);

    Conditioning condition(const Request&, const ModelFolder&, Observer&, std::stop_token);
    /// The state before the first step: the noise, with clean image latents written in if the mode has them there.
    DenoiseState begin(const Request&, const ModelFolder&, const Conditioning&);
    /// Takes the pictures of the clip in order, [3,H,W] f32 host in -1 … 1.
    using FrameSink = std::function<void(int index, const Tensor& frame)>;
    /// Gives the latent that the run had after an earlier step.
    using StoredLatent = std::function<Tensor(int step)>;
    /// May store the state after a step; `info.seconds` is not known yet.
    using AfterStep = std::function<void(const DenoiseState&, const StepInfo& info)>;
    /// What a run hands over while it denoises, and what it asks for. Each may be empty.
    struct Callbacks {
        AfterStep after_step = {};
        /// Takes the pictures of each window but the last when the next one begins; state.before then keeps no latents.
        FrameSink pictures = {};
        /// Called only by a resumed run with TeaCache, for steps of the current window.
        StoredLatent stored = {};
    };
    /// Runs from state.step to the end. After each step `after_step` is called first, then the Observer.
    void denoise(const Request&, const ModelFolder&, const Conditioning&, DenoiseState& state, const Callbacks&,
                 Observer&, std::stop_token);
    /// The latent of the requested frames after `step`, without an appended end-image latent. Throws Error naming
    /// `latent` if it holds fewer frames.
    static Tensor requested_frames(const Request&, const Tensor& latent, int step);
    /// Check what was read from a run's files, which anyone may have written. Throw Error naming the tensor that is not
    /// f32, not finite, or not of the shape that this request and model make, or `solver` if the solvers' history is
    /// missing or that of another solver.
    static void check_state(const Request& resolved, const ModelFolder&, const DenoiseState&);
    static void check_latent(const Request& resolved, const ModelFolder&, int step, const Tensor&);
    static void check_conditioning(const Request& resolved, const ModelFolder&, const Conditioning&);
    /// Decodes a clip from the final latents of its windows, beginning with window `from`; earlier ones may be
    /// undefined. A window after the first gives only its own pictures, not those that it took over.
    void decode(const Request&, const ModelFolder&, const std::vector<Tensor>& windows, const FrameSink&, Observer&,
                std::stop_token, std::size_t from = 0);

    static Estimate estimate(const Request& resolved, const ModelFolder&);
    static Estimate estimate(const Request& resolved, const ModelHeaders&);

private:
    void decode_window(const Request&, const ModelFolder&, const Tensor& latent, const FrameSink&, Observer&,
                       std::stop_token);
    void encode_prompts(const Request&, const ModelFolder&, int text_len, Observer&, Conditioning&);
    /// For a stage that takes `bytes` beside its weights: releases transformers kept from earlier, unless there is
    /// plenty of memory.
    void make_room(std::size_t bytes);

    Residency& residency_;
    std::shared_ptr<Backend> backend_;
};

} // namespace denoir

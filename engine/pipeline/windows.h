// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "engine/core/units.h"
#include "engine/pipeline/request.h"

namespace denoir {

struct ModelFolder;

/// The latent frames that a model works on at once. A long clip of diffusion forcing is made in several windows, one
/// after the other (spec/pipelines.md 7.5); every other clip is one.
struct Window {
    int index = 0;
    int begin = 0;      ///< latent frame of the clip that it begins with
    int frames = 0;     ///< latent ones, those given included
    int ready = 0;      ///< given: of the start image, of the video before, of the window before
    int first_step = 0; ///< steps of the run that are taken before it
    int steps = 0;      ///< its own
    bool last = true;   ///< an end image follows it
    int last_step() const { return first_step + steps; }
    /// Index in the clip of the first picture that this window makes; the given frames of a later window belong to the
    /// window before.
    int first_picture() const { return index == 0 ? 0 : video_frames(begin + ready); }
};

/// Of all windows of a run together: each leaves files behind.
constexpr int most_run_steps = 100'000;

/// The windows of a resolved request, in order; never empty. Throws UsageError as forcing_plan does.
std::vector<Window> windows_of(const Request&);

/// Timesteps that the transformer sees in each step of a window: one of all latent frames, or one of each (diffusion
/// forcing; TI2V, whose first `clean` ones stay at 0).
std::vector<std::vector<float>> step_times(const Request&, const Window&, int clean);

/// Whether guidance lasts in each step of a window (Request::guidance_until): for a latent frame that the solver moves
/// there. Of those of diffusion forcing that wait or are done nobody uses the velocity.
std::vector<bool> steps_within_guidance(const Request&, const Window&);

/// Forwards that each step of a window makes without TeaCache: two where it is guided, by its expert's guidance.
std::vector<int> step_forwards(const Request&, const ModelFolder&, const Window&);

/// Steps of all windows together that guidance reaches, each by its expert's and while that lasts, and all of them.
std::pair<int, int> guided_steps(const Request&, const ModelFolder&);

/// Half-open range of the window's steps that one transformer computes. Wan 2.2 A14B (spec/schedulers.md 8): those of
/// the low-noise expert where `low`, else of the high-noise one. Other models: all steps.
std::pair<int, int> expert_steps(const Request&, const ModelFolder&, const Window&, bool low);

/// The window whose latent there is after `step` steps of the run; the first for step 0, the noise.
const Window& window_after(const std::vector<Window>&, int step);

/// Latent frames that are stored after that step: the window's, and an end image's until the last step drops it.
int stored_frames(const Request&, int step);

/// Whether a window that begins after that step draws noise.
bool draws_after(const std::vector<Window>&, int step);

/// How many of the video that the clip goes on after, its last ones, are given to a later window, too: where the
/// overlap is more than half of a window (spec/pipelines.md 7.6).
int pictures_given_again(const Request&);

/// Latent frames of all windows together: so many frames of noise are drawn.
int drawn_frames(const Request&);

} // namespace denoir

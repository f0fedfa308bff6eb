// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "engine/core/units.h"
#include "engine/pipeline/request.h"

namespace denoir {

struct ModelFolder;

/// The latent frames that a model works on at once. A long clip of diffusion forcing is made in several windows, one
/// after another (spec/pipelines.md 7.5); every other clip is a single window.
struct Window {
    int index = 0;
    int begin = 0;      ///< the clip's latent frame that it begins with
    int frames = 0;     ///< its latent frames, given ones included
    int ready = 0;      ///< given (clean) latent frames: from the start image, the video before, or the window before
    int first_step = 0; ///< steps of the run before it
    int steps = 0;      ///< of its own
    bool last = true;   ///< the clip's last window, which an end image follows
    int last_step() const { return first_step + steps; } ///< steps of the run when it is done
    /// Index in the clip of the first picture that this window adds; the given frames of a later window belong to the
    /// one before.
    int first_picture() const { return index == 0 ? 0 : video_frames(begin + ready); }
};

/// Limit for the steps of all windows of a run, since each step leaves files behind.
constexpr int most_run_steps = 100'000;

/// The windows of a resolved request, in order; never empty. Throws UsageError as forcing_plan does.
std::vector<Window> windows_of(const Request&);

/// The timesteps that the transformer sees in each step of a window: one for all latent frames, or one per latent frame
/// (diffusion forcing; TI2V, whose first `clean` frames stay at 0).
std::vector<std::vector<float>> step_times(const Request&, const Window&, int clean);

/// Whether each step of a window is guided (Request::guidance_until): it moves a latent frame whose time is still
/// within the bound. In diffusion forcing nobody uses the velocity of frames that wait or are done.
std::vector<bool> steps_within_guidance(const Request&, const Window&);

/// Number of forwards in each step of a window without TeaCache: two if it is guided by its expert's scale, else one.
std::vector<int> step_forwards(const Request&, const ModelFolder&, const Window&);

/// Number of guided steps, by each expert's scale and guidance_until, and of all steps, in all windows together.
std::pair<int, int> guided_steps(const Request&, const ModelFolder&);

/// The window's steps [first, end) that one transformer computes. Of Wan 2.2 A14B (spec/schedulers.md 8) those of the
/// low-noise expert if `low`, else of the high-noise expert. Other models have all steps in the latter.
std::pair<int, int> expert_steps(const Request&, const ModelFolder&, const Window&, bool low);

/// The window that the latent after `step` steps of the run belongs to; the first one for step 0, the noise.
const Window& window_after(const std::vector<Window>&, int step);

/// Number of latent frames that are stored after that step: the window's, plus one for an end image in the last
/// window, except after the very last step.
int stored_frames(const Request&, int step);

/// Whether noise is still to be drawn after that step: a later window begins.
bool draws_after(const std::vector<Window>&, int step);

/// How many of the continued video's last pictures are also given to the second window, which happens if the overlap is
/// more than half of a window (spec/pipelines.md 7.6).
int pictures_given_again(const Request&);

/// Number of latent frames that noise is drawn for: those of all windows, overlaps included.
int drawn_frames(const Request&);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "engine/core/units.h"
#include "engine/pipeline/request.h"

namespace denoir {

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
    /// Of those that it makes: a later window's given ones are of the window before.
    int first_picture() const { return index == 0 ? 0 : video_frames(begin + ready); }
};

/// Of a resolved request, in order; never empty. Throws UsageError as forcing_plan does.
std::vector<Window> windows_of(const Request&);

/// Timesteps that the transformer sees in each step of a window: one of all latent frames, or one of each (diffusion
/// forcing; TI2V, whose first `clean` ones stay at 0).
std::vector<std::vector<float>> step_times(const Request&, const Window&, int clean);

/// Those of its steps, from the first to before the second, that the one transformer takes, or of Wan 2.2 A14B's two
/// the `low` one or the other (spec/schedulers.md 8).
std::pair<int, int> expert_steps(const Request&, const ModelFolder&, const Window&, bool low);

/// The one whose latent is there after `step` steps of the run: of the noise the first.
const Window& window_after(const std::vector<Window>&, int step);

/// Latent frames of all windows together: so many frames of noise are drawn.
int drawn_frames(const Request&);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "engine/pipeline/request.h"

namespace denoir {

/// What a reference's own command line uses for a task (spec/schedulers.md 9).
struct Defaults {
    int steps = 0;
    double shift = 0, guidance = 0;
    double guidance_low = 0; ///< of the low-noise expert; only Wan 2.2 A14B has one
    int frames = 0;
    double fps = 0;
    int width = 0, height = 0; ///< pixels
    std::string_view negative_prompt;
};

/// Flow shift of Wan 2.1's image-to-video models at 480p and 720p.
constexpr double wan_480p_shift = 3, wan_720p_shift = 5;

/// `p720`: SkyReels at 720p instead of 540p. `p480`: Wan 2.1 at 480p instead of 720p.
Defaults defaults_for(Family, Mode, bool p720, bool p480);

/// Defaults of Wan 2.2 TI2V-5B, with or without a start image.
Defaults ti2v_defaults();

} // namespace denoir

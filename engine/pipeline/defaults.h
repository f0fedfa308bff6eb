// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "engine/pipeline/request.h"

namespace denoir {

/// What a reference's own command line uses for a task (spec/schedulers.md 9). `guidance_low` counts for Wan 2.2 A14B
/// alone.
struct Defaults {
    int steps;
    double shift, guidance, guidance_low;
    int frames;
    double fps;
    int width, height;
    std::string_view negative_prompt;
};

/// Flow shift of Wan 2.1's image-to-video at each of its two areas.
constexpr double wan_480p_shift = 3, wan_720p_shift = 5;

/// `p720`: SkyReels' larger size. `p480`: the smaller one of Wan 2.1.
Defaults defaults_for(Family, Mode, bool p720, bool p480);

/// Defaults of Wan 2.2 TI2V-5B, with a start image and without.
Defaults ti2v_defaults();

} // namespace denoir

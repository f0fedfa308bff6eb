// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/noise_levels.h"

#include "engine/pipeline/schedule.h"

namespace denoir {

std::vector<double> noise_levels(const Request& r) {
    std::vector<double> levels;
    if (*r.mode != Mode::forcing) {
        const SigmaSchedule schedule = schedule_of(r);
        levels.assign(schedule.sigmas.begin(), schedule.sigmas.end());
        return levels;
    }
    for (const Window& w : windows_of(r)) {
        if (w.index > 1 && !w.last) { // as the one before
            for (int row = 0; row < w.steps; ++row) levels.push_back(levels[levels.size() - std::size_t(w.steps)]);
            continue;
        }
        const ForcingPlan plan = plan_of(r, w);
        for (int row = 0; row < plan.rows; ++row) {
            double sum = 0;
            for (int f = 0; f < w.frames; ++f) sum += plan.timesteps[static_cast<std::size_t>(row * plan.frames + f)];
            levels.push_back(w.index > 0 && row == 0 ? 0 : sum / w.frames / 1000); // the end of the window before
        }
    }
    levels.push_back(0);
    return levels;
}

} // namespace denoir

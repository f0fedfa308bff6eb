// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/forcing_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/units.h"

namespace denoir {
namespace {

constexpr int max_frames = latent_frames(FrameCount::max);
constexpr int max_ar_step = 1000;
constexpr float not_begun = 999.0f;              ///< timestep of a frame that is all noise: the last one of training
constexpr std::int64_t max_entries = 10'000'000; ///< 49 times as many as eleven minutes of video have in 50 rows

void check(const char* field, int value, int low, int high) {
    if (value < low || value > high)
        throw UsageError({}, field, fmt::format("{} is out of range", value), fmt::format("use {} to {}", low, high));
}

void check_all(int steps, const ForcingFrames& f) {
    const auto [frames, base, ar_step, ready, block, end_frames] = f;
    check("frames", frames, 1, max_frames);
    check("base", base, 1, max_frames);
    check("ar_step", ar_step, 0, max_ar_step);
    check("block", block, 1, frames);
    check("ready", ready, 0, frames);
    check("end_frames", end_frames, 0, max_frames);
    if (frames % block != 0)
        throw UsageError({}, "block",
                         fmt::format("{} latent frames are not a whole number of blocks of {}", frames, block),
                         "use a block that divides them");
    const int blocks = frames / block, window = base / block;
    if (window < 1)
        throw UsageError({}, "base", fmt::format("a window of {} holds no block of {}", base, block),
                         "use a larger base or a smaller block");
    const int least = (steps + window - 1) / window;
    const std::int64_t rows = steps + std::int64_t{blocks - 1} * std::min(ar_step, steps);
    if (rows * (frames + end_frames) > max_entries)
        throw UsageError({}, "frames", fmt::format("{} latent frames in {} rows are too many", frames, rows),
                         "use fewer frames, steps or a smaller ar_step");
    if (window < blocks && ar_step < least)
        throw UsageError({}, "ar_step",
                         fmt::format("{} is too small for a window of {} of {} frames", ar_step, base, frames),
                         fmt::format("use {} or more", least));
}

} // namespace

ForcingPlan forcing_plan(const SigmaSchedule& schedule, const ForcingFrames& f) {
    const int steps = schedule.steps();
    check_all(steps, f);
    const int block = f.block, blocks = f.frames / block, window = std::min(f.base / block, blocks), done = steps + 1;
    // The timesteps by a block's state. 0: not begun, k: at the k-th timestep, steps + 1: done.
    std::vector<float> times{not_begun};
    times.insert(times.end(), schedule.timesteps.begin(), schedule.timesteps.end());
    times.push_back(0.0f);

    std::vector<int> state(blocks, 0);
    std::fill_n(state.begin(), f.ready / block, done);
    ForcingPlan plan;
    plan.frames = f.frames + f.end_frames;
    for (int end = window; std::any_of(state.begin(), state.end(), [&](int s) { return s < steps; });) {
        std::vector<int> next(blocks);
        for (int i = 0; i < blocks; ++i) // clamped only afterwards, as each value depends on the one before
            next[i] = i == 0 || state[i - 1] >= steps ? state[i] + 1 : next[i - 1] - f.ar_step;
        for (int& s : next) s = std::clamp(s, 0, done);
        const auto updates = [&](int i) { return next[i] != state[i] && next[i] != done; };
        if (end < blocks && updates(end)) ++end;
        plan.windows.emplace_back(std::max(end - window, 0) * block, end * block);
        for (int frame = 0; frame < plan.frames; ++frame) {
            const int i = frame / block;
            plan.timesteps.push_back(frame < f.frames ? times[next[i]] : 0.0f);
            plan.update.push_back(frame < f.frames && updates(i));
        }
        state = std::move(next);
        ++plan.rows;
    }
    return plan;
}

} // namespace denoir

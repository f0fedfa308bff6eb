// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/pipeline/schedule.h"
#include "engine/pipeline/variant.h"
#include "engine/sampling/guidance.h"
#include "engine/weights/model_folder.h"

namespace denoir {

std::vector<Window> windows_of(const Request& r) {
    const int all = latent_frames(*r.frames), first = window_frames(r);
    std::vector<Window> windows{{.frames = first, .ready = *r.mode == Mode::forcing ? ready_frames(r) : 0}};
    if (first < all && overlap_frames(r) >= first)
        throw UsageError({}, "forcing.overlap",
                         fmt::format("{} of the {} frames of a window are given: nothing is left to make",
                                     r.forcing->overlap, *r.forcing->base),
                         "use a smaller overlap or a larger base");
    for (int there = first; there < all;) {
        const int again = overlap_frames(r), frames = std::min(all - there + again, first);
        windows.push_back({.index = int(windows.size()), .begin = there - again, .frames = frames, .ready = again});
        there += frames - again;
    }
    for (std::size_t i = 0; i < windows.size(); ++i) {
        Window& w = windows[i];
        w.last = i + 1 == windows.size();
        const bool alike = i > 1 && !w.last; // as the one before
        w.steps = *r.mode != Mode::forcing ? *r.steps : alike ? windows[i - 1].steps : plan_of(r, w).rows;
        w.first_step = i == 0 ? 0 : windows[i - 1].last_step();
        if (w.last_step() > most_run_steps)
            throw UsageError({}, "frames", fmt::format("its {} windows take too many steps", windows.size()),
                             "use fewer frames or a larger base");
    }
    return windows;
}

std::vector<std::vector<float>> step_times(const Request& r, const Window& w, int clean) {
    std::vector<std::vector<float>> all;
    if (*r.mode != Mode::forcing) {
        for (const float t : schedule_of(r).timesteps) {
            all.emplace_back(std::size_t(clean > 0 ? w.frames : 1), t);
            std::fill_n(all.back().begin(), clean, 0.0f); // spec/pipelines.md 5
        }
        return all;
    }
    const ForcingPlan plan = plan_of(r, w);
    for (auto row = plan.timesteps.begin(); row != plan.timesteps.end(); row += plan.frames) {
        all.emplace_back(row, row + plan.frames);
        if (r.forcing->condition_noise > 0) std::fill_n(all.back().begin(), w.ready, float(r.forcing->condition_noise));
    }
    return all;
}

std::vector<bool> steps_within_guidance(const Request& r, const Window& w) {
    std::vector<bool> out;
    if (*r.mode != Mode::forcing) {
        for (const float t : schedule_of(r).timesteps) out.push_back(guided_at(t, r.guidance_until));
        return out;
    }
    const ForcingPlan plan = plan_of(r, w);
    for (std::size_t i = 0; i < plan.timesteps.size(); ++i) {
        if (i % std::size_t(plan.frames) == 0) out.push_back(false);
        if (plan.update[i] && guided_at(plan.timesteps[i], r.guidance_until)) out.back() = true;
    }
    return out;
}

std::vector<int> step_forwards(const Request& r, const ModelFolder& model, const Window& w) {
    const std::vector<bool> within = steps_within_guidance(r, w);
    std::vector<int> out(within.size(), 1);
    for (const bool low : {false, true}) {
        const auto [first, end] = expert_steps(r, model, w, low);
        if (!guided(r, guidance_of(r, low))) continue;
        for (auto i = std::size_t(first); i < std::size_t(end); ++i) out[i] += within[i];
    }
    return out;
}

std::pair<int, int> guided_steps(const Request& r, const ModelFolder& model) {
    int guided = 0, all = 0;
    for (const Window& w : windows_of(r))
        for (const int forwards : step_forwards(r, model, w)) guided += forwards > 1, ++all;
    return {guided, all};
}

std::pair<int, int> expert_steps(const Request& r, const ModelFolder& model, const Window& w, bool low) {
    if (model.transformer_low.empty()) return {0, low ? 0 : w.steps};
    const std::vector<float> times = schedule_of(r).timesteps; // they fall
    const double boundary = expert_boundary(r, model) * 1000;
    const int high = int(std::count_if(times.begin(), times.end(), [&](float t) { return t >= boundary; }));
    return low ? std::pair{high, w.steps} : std::pair{0, high};
}

const Window& window_after(const std::vector<Window>& windows, int step) {
    const auto it =
        std::partition_point(windows.begin(), windows.end(), [&](const Window& w) { return w.last_step() < step; });
    return it == windows.end() ? windows.back() : *it;
}

int stored_frames(const Request& r, int step) {
    const std::vector<Window> windows = windows_of(r);
    const Window& w = window_after(windows, step);
    const bool end_image = *r.mode == Mode::forcing && w.last && !r.last_image.empty();
    return w.frames + (end_image && step < windows.back().last_step() ? 1 : 0);
}

bool draws_after(const std::vector<Window>& windows, int step) {
    return window_after(windows, step).index + 1 < int(windows.size());
}

int pictures_given_again(const Request& r) {
    if (!goes_on(r)) return 0;
    const std::vector<Window> windows = windows_of(r);
    return windows.size() == 1 ? 0 : std::max(0, 2 * r.forcing->overlap - windows[1].first_picture());
}

int drawn_frames(const Request& r) {
    int frames = 0;
    for (const Window& w : windows_of(r)) frames += w.frames;
    return frames;
}

} // namespace denoir

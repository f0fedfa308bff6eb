// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/sigmas.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/core/error.h"
#include "engine/core/units.h"

namespace denoir {
namespace {

constexpr double train_steps = 1000; ///< timesteps of training; the model gets sigma · 1000

double shifted(double sigma, double shift) { return shift * sigma / (1 + (shift - 1) * sigma); }

/// numpy.linspace(start, stop, count): a value is i times the rounded step, but the last one is exact.
std::vector<double> linspace(double start, double stop, int count) {
    std::vector<double> out(count);
    const double step = count > 1 ? (stop - start) / (count - 1) : 0;
    for (int i = 0; i < count; ++i) out[i] = i * step + start;
    if (count > 1) out.back() = stop;
    return out;
}

SigmaSchedule from_sigmas(const std::vector<double>& sigmas, bool truncate) {
    SigmaSchedule s;
    for (const double sigma : sigmas) {
        const double t = sigma * train_steps;
        s.timesteps.push_back(static_cast<float>(truncate ? std::trunc(t) : t));
        s.sigmas.push_back(static_cast<float>(sigma));
    }
    s.sigmas.push_back(0.0f);
    return s;
}

/// diffusers' FlowMatchEuler, which applies the shift to the ends of the range and again to every value.
SigmaSchedule flow_match_euler(int steps, double shift) {
    constexpr auto all = static_cast<float>(train_steps);
    const float least = 1.0f / all, f = static_cast<float>(shift);
    const float low = f * least / (1.0f + static_cast<float>(shift - 1) * least); // shifted(), but in f32
    SigmaSchedule s;
    for (const double t : linspace(train_steps, static_cast<double>(low) * train_steps, steps)) {
        const float sigma = static_cast<float>(shifted(t / train_steps, shift));
        s.sigmas.push_back(sigma);
        s.timesteps.push_back(sigma * all);
    }
    s.sigmas.push_back(0.0f);
    return s;
}

} // namespace

SigmaSchedule sigma_schedule(SigmaList list, int steps, double shift) {
    (void)StepCount(steps); // throws if it is out of range
    if (!limits::shift.holds(shift))
        throw UsageError({}, "shift", fmt::format("{} is out of range", shift),
                         fmt::format("use {} to {}", limits::shift.least, limits::shift.most));
    std::vector<double> base;
    switch (list) {
    case SigmaList::original_unipc: // the largest training sigma was kept in f32
        base = linspace(static_cast<double>(0.999f), 0, steps + 1);
        base.pop_back();
        break;
    case SigmaList::original_dpmpp:
        base = linspace(1, 0, steps + 1);
        base.pop_back();
        break;
    case SigmaList::diffusers_unipc: {
        const auto alphas = linspace(1, 0.001, steps + 1);
        for (int i = steps; i > 0; --i) base.push_back(1 - alphas[i]);
        break;
    }
    case SigmaList::diffusers_037:
        base = linspace(1, 0.001, steps + 1);
        base.pop_back();
        break;
    case SigmaList::flow_match_euler:
        return flow_match_euler(steps, shift);
    }
    for (double& sigma : base) sigma = shifted(sigma, shift);
    // diffusers does this because lambda is infinite at sigma 1.
    if (list == SigmaList::diffusers_037 && std::abs(base[0] - 1) < 1e-6) base[0] -= 1e-6;
    SigmaSchedule s = from_sigmas(base, true);
    // Solvers divide by the distance of two sigmas, and the subtraction above may exceed it.
    for (int i = 0; i < steps; ++i)
        if (!(s.sigmas[i + 1] < s.sigmas[i]))
            throw UsageError(
                {}, "steps",
                fmt::format("{} steps at a shift of {} are closer together than this list can tell", steps, shift),
                "use fewer steps or a smaller shift");
    return s;
}

} // namespace denoir

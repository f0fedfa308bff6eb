// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/random.h"
#include "engine/core/text.h"
#include "engine/core/units.h"
#include "engine/pipeline/stored.h"
#include "engine/sampling/forcing_plan.h"
#include "engine/sampling/scheduler.h"
#include "engine/session/module_io.h"
#include "engine/session/noise_kind.h"

namespace denoir {
namespace {

constexpr std::int64_t max_noise = std::int64_t{1} << 28; ///< elements: 1 GiB

/// run(), whose UsageErrors name a field of engine/sampling: names --set instead.
template <class Run> auto with_settings(const ModuleSettings& set, Run run) {
    try {
        return run();
    } catch (const UsageError& e) {
        if (e.field().starts_with("--")) throw;
        set.refuse(e.field(), e.message(), e.hint());
    }
}

SigmaSchedule schedule_of(const ModuleSettings& set, SigmaList list) {
    const auto steps = set.whole("steps", 1, 1000);
    if (!steps) set.missing("steps");
    const double shift = set.number("shift", limits::shift.least, limits::shift.most).value_or(1.0);
    return with_settings(set, [&] { return sigma_schedule(list, int(*steps), shift); });
}

Sampler sampler_of(const ModuleSettings& set) {
    const std::string name = set.text("sampler").value_or("unipc");
    const auto sampler = value_named(samplers, name);
    if (!sampler)
        set.refuse("sampler", fmt::format("'{}' is unknown", printable(name, 40)), "use unipc, dpmpp or euler");
    return *sampler;
}

SigmaList list_of(const ModuleSettings& set, Sampler sampler) {
    using enum SigmaList;
    constexpr std::array lists{original_unipc, original_dpmpp, diffusers_unipc, diffusers_037, flow_match_euler};
    const auto said = set.text("sigmas");
    if (!said) return usual_sigmas(sampler);
    if (said->size() != 1 || (*said)[0] < 'A' || (*said)[0] > 'E')
        set.refuse("sigmas", fmt::format("'{}' is unknown", printable(*said, 20)), "use A, B, C, D or E");
    return lists[std::size_t((*said)[0] - 'A')];
}

Shape shape_of(const ModuleSettings& set) {
    const auto said = set.text("shape");
    if (!said) set.missing("shape");
    Shape shape;
    std::int64_t product = 1;
    for (std::size_t begin = 0; begin <= said->size();) {
        const std::size_t end = std::min(said->find(',', begin), said->size());
        const auto n = read_whole<std::int64_t>(std::string_view(*said).substr(begin, end - begin));
        if (!n || *n < 1 || *n > max_noise || product > max_noise / *n || shape.rank() == Shape::max_rank)
            set.refuse("shape",
                       fmt::format("'{}' is not a shape of at most {} values", printable(*said, 40), max_noise),
                       "write it like 16,3,6,10");
        product *= *n;
        shape.push_back(*n);
        begin = end + 1;
    }
    return shape;
}

std::uint64_t seed_of(const ModuleSettings& set) {
    const auto said = set.text("seed");
    if (!said) set.missing("seed");
    const auto seed = read_whole<std::uint64_t>(*said);
    if (!seed)
        set.refuse("seed", fmt::format("'{}' is not a whole number in range", printable(*said, 40)),
                   "use 0 to 18446744073709551615");
    return *seed;
}

} // namespace

Tensors run_scheduler(const ModuleCall& call, std::stop_token stop) {
    const ModuleSettings set(call, {"sampler", "steps", "shift", "sigmas"});
    const Sampler sampler = sampler_of(set);
    const SigmaSchedule schedule = schedule_of(set, list_of(set, sampler));
    ModuleInputs in(call);
    const auto f32 = [&](const std::string& name) {
        const Tensor t = in.find(name, {"[]", "[n]", "[C, n]", "[C, h, w]", "[C, T, h, w]", "[B, C, T, h, w]"});
        if (!t)
            in.refuse(name, "is missing",
                      schedule.steps() == 1 ? std::string("one step needs latent and velocity_0")
                                            : fmt::format("{} steps need latent and velocity_0 to velocity_{}",
                                                          schedule.steps(), schedule.steps() - 1));
        return t;
    };
    const Tensor first = f32("latent");
    std::vector<Tensor> velocities;
    for (int i = 0; i < schedule.steps(); ++i) {
        const std::string name = fmt::format("velocity_{}", i);
        velocities.push_back(f32(name));
        if (velocities.back().shape() != first.shape())
            in.refuse(name,
                      fmt::format("has shape {}, the latent {}", to_string(velocities.back().shape()),
                                  to_string(first.shape())),
                      "give both the same shape");
    }
    in.finish();
    in.check_finite();

    Tensor latent = clone(first);
    const auto scheduler = Scheduler::create(sampler, schedule);
    Tensors out{{"timesteps", Tensor::from(schedule.timesteps, {schedule.steps()})},
                {"sigmas", Tensor::from(schedule.sigmas, {schedule.steps() + 1})}};
    for (int i = 0; i < schedule.steps(); ++i) {
        if (stop.stop_requested()) throw Cancelled();
        scheduler->step(velocities[std::size_t(i)].span<float>(), latent.span<float>());
        if (first_not_finite(latent))
            in.refuse(fmt::format("velocity_{}", i), fmt::format("takes latent_{} beyond the range of f32", i + 1),
                      "give smaller values");
        out[fmt::format("latent_{}", i + 1)] = clone(latent);
    }
    return out;
}

Tensors run_timestep_matrix(const ModuleCall& call, std::stop_token) {
    const ModuleSettings set(call, {"frames", "steps", "ar_step", "block", "ready", "base", "shift"});
    const auto frames = set.whole("frames", 1, 4096);
    if (!frames) set.missing("frames");
    const SigmaSchedule schedule = schedule_of(set, SigmaList::original_unipc);
    const ForcingPlan plan = with_settings(set, [&] {
        return forcing_plan(schedule, {.frames = int(*frames),
                                       .base = int(set.whole("base", 1, 4096, *frames)),
                                       .ar_step = int(set.whole("ar_step", 0, 1000, 0)),
                                       .ready = int(set.whole("ready", 0, 4096, 0)),
                                       .block = int(set.whole("block", 1, 4096, 1))});
    });
    if (plan.rows == 0) set.refuse("ready", "every frame is ready: there is nothing to do", "use a smaller number");
    const std::vector<float> update(plan.update.begin(), plan.update.end());
    return {{"timesteps", Tensor::from(plan.timesteps, {plan.rows, plan.frames})},
            {"update", Tensor::from(update, {plan.rows, plan.frames})}};
}

Tensors run_noise(const ModuleCall& call, std::stop_token) {
    const ModuleSettings set(call, {"kind", "seed", "shape"});
    const std::string kind = set.text("kind").value_or("torch-cpu");
    const std::uint64_t seed = seed_of(set);
    const Shape shape = shape_of(set);
    const auto noise = read_noise_kind(kind);
    if (!noise) set.refuse("kind", fmt::format("'{}' is unknown", printable(kind, 40)), noise_kind_hint);
    if (noise->kind == NoiseSource::Kind::torch_cpu) return {{"noise", TorchCpuGenerator(seed).randn(shape)}};
    return {{"noise", TorchCudaGenerator(seed, noise->multiprocessors).randn(shape)}};
}

} // namespace denoir

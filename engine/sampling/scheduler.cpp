// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/scheduler.h"

#include <algorithm>
#include <cassert>

#include "engine/core/error.h"
#include "engine/core/units.h"

namespace denoir {

SigmaList usual_sigmas(Sampler sampler) {
    return sampler == Sampler::dpmpp ? SigmaList::original_dpmpp : SigmaList::original_unipc;
}

std::unique_ptr<Scheduler> Scheduler::create(Sampler sampler, SigmaSchedule schedule, const SchedulerOptions& options) {
    switch (sampler) {
    case Sampler::dpmpp:
        return make_dpmpp(std::move(schedule), options);
    case Sampler::euler:
        return make_euler(std::move(schedule), options);
    case Sampler::unipc:
        break;
    }
    return make_unipc(std::move(schedule), options);
}

namespace {

[[noreturn]] void refuse_state(const char* what) {
    throw Error({}, "solver", std::string("the stored solver state ") + what, "start the run again");
}

} // namespace

void Scheduler::step(std::span<const float> velocity, std::span<float> sample, std::span<float> x0) {
    assert(state_.index < steps() && velocity.size() == sample.size());
    for (const auto& [key, values] : state_.history)
        if (values.size() != sample.size()) refuse_state("belongs to latents of another size");
    const float s = sigma(state_.index);
    std::vector<float> m(sample.size());
    // The estimate of x0 comes from the sample as the model saw it, before any correction.
    for (std::size_t i = 0; i < m.size(); ++i) m[i] = sample[i] - s * velocity[i];
    if (!x0.empty()) std::copy(m.begin(), m.end(), x0.begin());
    advance(std::move(m), velocity, sample);
    ++state_.index;
}

void Scheduler::restore(const SchedulerState& state) {
    const int most = std::min(2, state.index); // a step looks back two steps, or as many as there were
    const bool counters = state.index >= 0 && state.index <= steps() && state.last_order >= 0 &&
                          state.last_order <= most && state.warm >= 0 && state.warm <= most;
    if (!counters) refuse_state("does not belong to this run");
    const auto keys = remembered(state);
    for (const std::string& key : keys)
        if (!state.history.contains(key)) refuse_state("is incomplete");
    if (state.history.size() != keys.size()) refuse_state("is another sampler's");
    for (const auto& [key, values] : state.history)
        if (values.size() != state.history.begin()->second.size()) refuse_state("is damaged");
    state_ = state;
}

std::map<std::string, Tensor> SchedulerState::to_tensors() const {
    std::map<std::string, Tensor> out;
    const float counters[3] = {static_cast<float>(index), static_cast<float>(last_order), static_cast<float>(warm)};
    out["counters"] = Tensor::from(counters, {3});
    for (const auto& [key, values] : history)
        out[key] = Tensor::from(values, {static_cast<std::int64_t>(values.size())});
    return out;
}

SchedulerState SchedulerState::from_tensors(const std::map<std::string, Tensor>& tensors) {
    SchedulerState state;
    const auto it = tensors.find("counters");
    if (it == tensors.end() || it->second.elements() != 3) refuse_state("is incomplete");
    const Tensor counters = it->second.to_host_f32();
    const auto whole = [](float v) { return v >= 0 && v <= float(StepCount::max) ? static_cast<int>(v) : -1; };
    state.index = whole(counters.data<float>()[0]);
    state.last_order = whole(counters.data<float>()[1]);
    state.warm = whole(counters.data<float>()[2]);
    for (const auto& [key, tensor] : tensors) {
        if (key == "counters") continue;
        const Tensor values = tensor.to_host_f32();
        state.history[key].assign(values.span<float>().begin(), values.span<float>().end());
    }
    return state;
}

} // namespace denoir

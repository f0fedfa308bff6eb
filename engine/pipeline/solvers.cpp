// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/solvers.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/pipeline/schedule.h"

namespace denoir {

Solvers::Solvers(const Request& r, int count) {
    // SkyReels steps a view of the latents in place: the first `last sample` is overwritten (spec/schedulers.md 6),
    // and keeps them in bf16.
    const bool forcing = *r.mode == Mode::forcing;
    const SchedulerOptions options{.alias_first_sample = forcing && *r.sampler == Sampler::unipc,
                                   .bf16_latents = forcing && *r.dtype == DType::bf16};
    for (int i = 0; i < count; ++i) all_.push_back(Scheduler::create(*r.sampler, schedule_of(r), options));
}

std::map<std::string, Tensor> Solvers::state() const {
    std::map<std::string, Tensor> out;
    for (std::size_t i = 0; i < all_.size(); ++i)
        for (auto& [name, tensor] : all_[i]->state().to_tensors())
            out["solver." + std::to_string(i) + "." + name] = tensor;
    return out;
}

void Solvers::restore(const std::map<std::string, Tensor>& tensors, const Shape& latent,
                      const std::vector<int>& taken) {
    const std::int64_t each = latent.elements() / (all_.size() > 1 ? latent[1] : 1);
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const std::string prefix = "solver." + std::to_string(i) + ".";
        std::map<std::string, Tensor> own;
        for (auto it = tensors.lower_bound(prefix); it != tensors.end() && it->first.starts_with(prefix); ++it)
            own[it->first.substr(prefix.size())] = it->second;
        const SchedulerState state = SchedulerState::from_tensors(own);
        if (state.index != taken[i])
            throw Error({}, "solver",
                        fmt::format("the stored solver has taken {} steps, the run {}", state.index, taken[i]),
                        "start the run again");
        for (const auto& [key, values] : state.history)
            if (std::ssize(values) != each)
                throw Error({}, "solver", "the stored solver state belongs to latents of another size",
                            "start the run again");
        all_[i]->restore(state);
    }
}

std::vector<int> steps_taken(const Request& r, const Window& w, std::int64_t frames, int step) {
    if (*r.mode != Mode::forcing) return {step};
    const ForcingPlan plan = plan_of(r, w);
    std::vector<int> taken(frames);
    for (std::int64_t i = 0; i < std::min(step, plan.rows) * frames; ++i) taken[i % frames] += plan.update[i];
    return taken;
}

void step_frames(Solvers& solvers, const Tensor& velocity, Tensor& latent, Tensor& x0,
                 std::span<const std::uint8_t> update) {
    const std::int64_t c = latent.size(0), t = latent.size(1), frame = latent.size(2) * latent.size(3);
    std::vector<float> v(c * frame), x(c * frame), e(c * frame);
    float *lp = latent.data<float>(), *ep = x0.data<float>();
    const float* vp = velocity.data<float>();
    for (std::int64_t f = 0; f < t; ++f) {
        if (!update[f]) continue;
        for (std::int64_t ch = 0; ch < c; ++ch) {
            std::copy_n(vp + (ch * t + f) * frame, frame, v.begin() + ch * frame);
            std::copy_n(lp + (ch * t + f) * frame, frame, x.begin() + ch * frame);
        }
        solvers[int(f)].step(v, x, e);
        for (std::int64_t ch = 0; ch < c; ++ch) {
            std::copy_n(x.begin() + ch * frame, frame, lp + (ch * t + f) * frame);
            std::copy_n(e.begin() + ch * frame, frame, ep + (ch * t + f) * frame);
        }
    }
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/scheduler.h"

namespace denoir {
namespace {

/// x += (s_next - s)·v (spec/schedulers.md 3.1). The velocity is what the base class made m from: v = (x - m) / s; kept exact by remembering it.
class Euler final : public Scheduler {
public:
    using Scheduler::Scheduler;
    Euler(SigmaSchedule s, const SchedulerOptions& o) : Scheduler(std::move(s), o) {}

private:
    void advance(std::vector<float> m, std::span<float> x) override {
        const float s = sigma(state_.index), next = sigma(state_.index + 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
            // With m = x - s·v, x + (next - s)·v = m + (next / s)·(x - m).
            const float y = next == 0.0f ? m[i] : m[i] + next / s * (x[i] - m[i]);
            x[i] = options_.bf16_latents ? round_to_bf16(y) : y;
        }
    }
};

} // namespace

std::unique_ptr<Scheduler> make_euler(SigmaSchedule schedule, const SchedulerOptions& options) {
    return std::make_unique<Euler>(std::move(schedule), options);
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/scheduler.h"

namespace denoir {
namespace {

/// x += (s_next - s)·v (spec/schedulers.md 3.1).
class Euler final : public Scheduler {
public:
    Euler(SigmaSchedule s, const SchedulerOptions& o) : Scheduler(std::move(s), o) {}

private:
    void advance(std::vector<float>, std::span<const float> v, std::span<float> x) override {
        const float step = sigma(state_.index + 1) - sigma(state_.index);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = latent(x[i] + step * v[i]);
    }
};

} // namespace

std::unique_ptr<Scheduler> make_euler(SigmaSchedule schedule, const SchedulerOptions& options) {
    return std::make_unique<Euler>(std::move(schedule), options);
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "engine/sampling/scheduler.h"

namespace denoir {
namespace {

/// DPM-Solver++ 2M, midpoint, with a final sigma of zero (spec/schedulers.md 5). lambda is infinite at sigma 1 and 0;
/// the arithmetic with it follows IEEE rules.
class Dpmpp final : public Scheduler {
public:
    Dpmpp(SigmaSchedule s, const SchedulerOptions& o) : Scheduler(std::move(s), o) {}

private:
    std::vector<std::string> remembered(const SchedulerState& state) const override {
        return state.index == 0 ? std::vector<std::string>{} : std::vector<std::string>{"m"};
    }

    void advance(std::vector<float> m, std::span<const float>, std::span<float> x) override {
        const int i = state_.index;
        const float h = lambda(i + 1) - lambda(i), ratio = sigma(i + 1) / sigma(i), alpha = 1.0f - sigma(i + 1);
        const float e = std::exp(-h) - 1.0f;
        const bool second = i > 0 && i < steps() - 1;
        const auto& previous = state_.history["m"];
        const float r0 = second ? (lambda(i) - lambda(i - 1)) / h : 1.0f, weight = 0.5f * (alpha * e);
        for (std::size_t k = 0; k < x.size(); ++k) {
            float y = ratio * x[k] - alpha * e * m[k];
            if (second) y -= weight * ((1.0f / r0) * (m[k] - previous[k]));
            x[k] = latent(y);
        }
        state_.history["m"] = std::move(m);
    }
};

} // namespace

std::unique_ptr<Scheduler> make_dpmpp(SigmaSchedule schedule, const SchedulerOptions& options) {
    return std::make_unique<Dpmpp>(std::move(schedule), options);
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/sampling/scheduler.h"

namespace denoir {
namespace {

/// UniPC of order 2 with B(h) = e^h - 1, prediction of x0, and a lower order at the end (spec/schedulers.md 4). Scalars
/// are computed in f32, in the reference's order.
class Unipc final : public Scheduler {
public:
    Unipc(SigmaSchedule s, const SchedulerOptions& o) : Scheduler(std::move(s), o) {}

private:
    using Values = std::vector<float>;

    /// The scalars of a step from sigma_s to sigma_t.
    struct Step {
        float ratio, alpha, h, hh, e;
    };
    Step between(int s, int t) const {
        const float h = lambda(t) - lambda(s);
        float ratio = sigma(t) / sigma(s);
        if (options_.bf16_latents) ratio = round_to_bf16(ratio); // PyTorch gives a CPU scalar the latents' dtype
        return {ratio, 1.0f - sigma(t), h, -h, std::expm1(-h)};
    }

    /// The corrector: repeats the step i-1 -> i with the model's output at i.
    Values corrected(const Values& m_new, std::span<const float> x_last) const {
        const int i = state_.index;
        const Step s = between(i - 1, i);
        const Values &m = state_.history.at("m"),
                     *before = state_.last_order == 2 ? &state_.history.at("m_prev") : nullptr;
        float rho1 = 0.0f, rho2 = 0.5f, r = 1.0f;
        if (before) {
            r = (lambda(i - 2) - lambda(i - 1)) / s.h;
            const float phi1 = s.e / s.hh - 1.0f, b1 = phi1 / s.e;
            const float phi2 = phi1 / s.hh - 0.5f, b2 = phi2 * 2.0f / s.e;
            // Solves rho1 + rho2 = b1, r·rho1 + rho2 = b2.
            rho1 = (b2 - b1) / (r - 1.0f);
            rho2 = b1 - rho1;
            if (options_.bf16_latents) rho1 = round_to_bf16(rho1), rho2 = round_to_bf16(rho2);
        }
        Values x(m_new.size());
        for (std::size_t k = 0; k < x.size(); ++k) {
            const float base = latent(s.ratio * x_last[k]) - s.alpha * s.e * m[k];
            const float d1 = before ? rho1 * (((*before)[k] - m[k]) / r) : 0.0f;
            x[k] = latent(base - s.alpha * s.e * (d1 + rho2 * (m_new[k] - m[k])));
        }
        return x;
    }

    void predict(int order, const Values& x_in, std::span<float> out) const {
        const int i = state_.index;
        const Values& m = state_.history.at("m");
        if (sigma(i + 1) == 0.0f) { // h is infinite; the result is the estimate itself
            for (std::size_t k = 0; k < out.size(); ++k) out[k] = latent(m[k]);
            return;
        }
        const Step s = between(i, i + 1);
        const Values* before = order == 2 ? &state_.history.at("m_prev") : nullptr;
        const float r = before ? (lambda(i - 1) - lambda(i)) / s.h : 1.0f;
        for (std::size_t k = 0; k < out.size(); ++k) {
            float y = latent(s.ratio * x_in[k]) - s.alpha * s.e * m[k];
            if (before) y -= s.alpha * s.e * (0.5f * (((*before)[k] - m[k]) / r));
            out[k] = latent(y);
        }
    }

    std::vector<std::string> remembered(const SchedulerState& state) const override {
        if (state.index == 0) return {};
        return state.index > 1 || state.last_order == 2 ? std::vector<std::string>{"last", "m", "m_prev"}
                                                        : std::vector<std::string>{"last", "m"};
    }

    void advance(Values m_new, std::span<const float>, std::span<float> sample) override {
        const int i = state_.index;
        auto& history = state_.history;
        Values x(sample.begin(), sample.end());
        if (i > 0) x = corrected(m_new, history.at("last"));
        if (i > 0) history["m_prev"] = std::move(history.at("m"));
        history["m"] = std::move(m_new);
        const int order = std::min({2, steps() - i, state_.warm + 1});
        state_.warm = std::min(state_.warm + 1, 2);
        predict(order, x, sample);
        state_.last_order = order;
        // alias_first_sample: the first "last sample" is the buffer to which the result was just written.
        history["last"] = i == 0 && options_.alias_first_sample ? Values(sample.begin(), sample.end()) : std::move(x);
    }
};

} // namespace

std::unique_ptr<Scheduler> make_unipc(SigmaSchedule schedule, const SchedulerOptions& options) {
    return std::make_unique<Unipc>(std::move(schedule), options);
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/cache_plan.h"

#include <array>
#include <utility>

namespace denoir {

CacheRules CacheRules::of(double threshold, std::vector<double> coefficients, bool ret_steps, int steps, bool halved) {
    constexpr int per_step = 2; // forwards of a step
    const int forwards = per_step * steps;
    // With ret_steps the first five steps are always computed, else the first and the last.
    const int first = ret_steps ? 5 * per_step : per_step, last = ret_steps ? forwards : forwards - per_step;
    return {threshold, std::move(coefficients), halved ? steps : forwards, first, last};
}

std::vector<CachedForward> cache_plan(const CacheRules& rules, int forwards,
                                      const std::function<double(int forward, int before)>& distance) {
    struct Stream {
        double sum = 0;
        int before = -1, computed = -1;
    };
    std::array<Stream, 2> streams;
    std::vector<CachedForward> plan;
    for (int i = 0; i < forwards; ++i) {
        const int count = i % rules.period, parity = count % 2;
        Stream& s = streams[std::size_t(parity)];
        bool reuse = false;
        if (count >= rules.first && count < rules.last) {
            const double x = distance(i, s.before);
            double y = 0;
            for (const double c : rules.coefficients) y = y * x + c;
            s.sum += y;
            reuse = s.sum < rules.threshold;
        }
        if (!reuse) s.sum = 0, s.computed = i;
        s.before = i;
        plan.push_back({s.computed, parity});
    }
    return plan;
}

} // namespace denoir

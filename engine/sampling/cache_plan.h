// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

namespace denoir {

/// The parameters of TeaCache, which skips the blocks of some forwards (spec/pipelines.md 8). Forwards are numbered
/// within periods; in each, those before number `first` and from number `last` on are always computed.
struct CacheRules {
    double threshold = 0;             ///< forwards are skipped while the accumulated distance is below this
    std::vector<double> coefficients; ///< of the polynomial that scales a distance, highest degree first
    int period = 0;                   ///< length of a period in forwards
    int first = 0, last = 0;          ///< numbers of forwards within a period

    /// The rules of a run of `steps` steps with two forwards each. `ret_steps`: the reference's option of that name, by
    /// which the first five steps are computed and the last one need not be. `halved`: the period is `steps` forwards
    /// instead of `steps` steps, as in SkyReels.
    static CacheRules of(double threshold, std::vector<double> coefficients, bool ret_steps, int steps, bool halved);
};

/// How one forward of a run gets its result.
struct CachedForward {
    int source = 0; ///< the forward whose residual it reuses; its own number if it is computed
    int stream = 0; ///< 0 or 1: even and odd forwards of a period (the two guidance branches, if a step has two
                    ///< forwards) are cached separately
    friend bool operator==(const CachedForward&, const CachedForward&) = default;
};

/// How each of a run's `forwards` gets its result. `distance(i, before)` must return mean|signal i - signal before| /
/// mean|signal before|; if it is NaN, the forward is computed. Only the time features decide, so that the plan is known
/// before the first forward.
std::vector<CachedForward> cache_plan(const CacheRules&, int forwards,
                                      const std::function<double(int forward, int before)>& distance);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

namespace denoir {

/// The parameters of TeaCache, which skips the blocks of some forwards (spec/pipelines.md 8). Forwards are counted in
/// periods; those before `first` and from `last` on in a period are always computed.
struct CacheRules {
    double threshold = 0;             ///< a forward is skipped while the accumulated distance is below this
    std::vector<double> coefficients; ///< of the polynomial that scales a distance, highest degree first
    int period = 0;                   ///< forwards
    int first = 0, last = 0;          ///< forwards of a period

    /// The rules of a run of `steps` steps with two forwards each. `ret_steps`: the reference's option of that name, by
    /// which the first five steps are computed and the last one need not be. `halved`: as SkyReels has it, which counts
    /// forwards but ends the period after `steps` of them.
    static CacheRules of(double threshold, std::vector<double> coefficients, bool ret_steps, int steps, bool halved);
};

/// What becomes of one forward of a run.
struct CachedForward {
    int source = 0; ///< the forward whose residual it reuses; its own number if it is computed
    int stream = 0; ///< 0 or 1: even and odd forwards of a period (the two guidance branches, where a step counts two
                    ///< forwards) are cached apart
    friend bool operator==(const CachedForward&, const CachedForward&) = default;
};

/// What becomes of each of `forwards`. `distance(i, before)` is mean|signal i - signal before| / mean|signal before|;
/// if it is NaN, the forward is computed. The time features alone decide, so the plan is known before the first
/// forward.
std::vector<CachedForward> cache_plan(const CacheRules&, int forwards,
                                      const std::function<double(int forward, int before)>& distance);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

namespace denoir {

/// When TeaCache computes a forward, whatever its time features are (spec/pipelines.md 8).
struct CacheRules {
    double threshold = 0;
    std::vector<double> coefficients; ///< of the polynomial, highest degree first
    int period = 0;                   ///< forwards after which counting begins anew
    int first = 0;                    ///< so many at the beginning of a period are computed
    int last = 0;                     ///< and those from this one on

    /// `halved`: SkyReels counts the steps where upstream counts forwards, two for each step.
    static CacheRules of(double threshold, std::vector<double> coefficients, bool ret_steps, int steps, bool halved);
};

/// A forward of a run.
struct CachedForward {
    int source = 0; ///< the forward whose residual it takes; itself: it is computed
    int stream = 0; ///< 0 or 1: even and odd forwards of a period follow each other
    friend bool operator==(const CachedForward&, const CachedForward&) = default;
};

/// What each of `forwards` is. `distance(i, before)`: mean|signal i - signal before| / mean|signal before|; one that is
/// no number is computed. The time features alone decide, so that all is known before the first forward.
std::vector<CachedForward> cache_plan(const CacheRules&, int forwards,
                                      const std::function<double(int forward, int before)>& distance);

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/cache_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace denoir {
namespace {

/// The plan as text: 'C' for each forward that is computed, 'r' for each that reuses what its stream computed last.
std::string text(const CacheRules& rules, int forwards, const std::function<double(int, int)>& distance) {
    std::string out;
    const std::vector<CachedForward> plan = cache_plan(rules, forwards, distance);
    for (int i = 0; i < forwards; ++i) {
        const CachedForward& f = plan[std::size_t(i)];
        out += f.source == i ? 'C' : 'r';
        EXPECT_EQ(plan[std::size_t(f.source)], f) << i << ": takes what was computed, in its own stream";
        EXPECT_EQ(f.stream, i % rules.period % 2) << i;
        EXPECT_EQ(f.source / rules.period, i / rules.period) << i << ": never from the period before";
    }
    return out;
}

/// Each forward differs by the same distance from the one before it in its stream.
std::function<double(int, int)> constant(double x) {
    return [x](int, int) { return x; };
}

const std::vector<double> same{1, 0}; ///< the polynomial x, which gives the distance itself

// The rules of spec/pipelines.md 8.
TEST(CachePlan, UpstreamComputesTheFirstAndTheLastStep) {
    const CacheRules rules = CacheRules::of(0.25, same, false, 6, false);
    EXPECT_EQ(rules.period, 12);
    EXPECT_EQ(text(rules, 12, constant(0)), "CCrrrrrrrrCC");
    EXPECT_EQ(text(rules, 12, constant(0.1)), "CCrrrrCCrrCC") << "0.1 and 0.2 are less, 0.3 is not";
    EXPECT_EQ(text(rules, 12, constant(0.25)), "CCCCCCCCCCCC") << "the threshold itself is computed";
}

TEST(CachePlan, RetStepsComputeFiveStepsAndNoneAtTheEnd) {
    EXPECT_EQ(text(CacheRules::of(1, same, true, 8, false), 16, constant(0)), "CCCCCCCCCCrrrrrr");
    EXPECT_EQ(text(CacheRules::of(1, same, true, 5, false), 10, constant(0)), "CCCCCCCCCC");
}

TEST(CachePlan, SkyReelsCountsAnewHalfWay) {
    EXPECT_EQ(text(CacheRules::of(1, same, false, 6, true), 12, constant(0)), "CCrrrrCCrrrr") << "no end is forced";
    EXPECT_EQ(text(CacheRules::of(1, same, false, 5, true), 10, constant(0)), "CCrrrCCrrr") << "streams change places";
    EXPECT_EQ(text(CacheRules::of(1, same, true, 12, true), 24, constant(0)), "CCCCCCCCCCrrCCCCCCCCCCrr");
    for (const int steps : {1, 2}) {
        const CacheRules rules = CacheRules::of(1, same, false, steps, true);
        EXPECT_EQ(text(rules, 2 * steps, constant(0)), std::string(std::size_t(2 * steps), 'C'));
    }
}

TEST(CachePlan, WithoutASecondForwardStepsAreComparedTwoApart) {
    int asked = 0;
    const auto distance = [&](int i, int before) {
        EXPECT_EQ(before, i - 2);
        ++asked;
        return 0.0;
    };
    EXPECT_EQ(text(CacheRules::of(1, same, false, 7, true), 7, distance), "CCrrrrr");
    EXPECT_EQ(asked, 5);
}

TEST(CachePlan, TheSignalBeforeIsThatOfASkippedForwardToo) {
    const auto distance = [](int i, int before) {
        EXPECT_EQ(before, i - 2);
        return 0.1;
    };
    text(CacheRules::of(0.35, same, false, 9, false), 18, distance);
}

TEST(CachePlan, ThePolynomialHasItsHighestDegreeFirst) {
    // 2x² - x + 0.5 at 0.5 is 0.5, at 1 it is 1.5.
    const std::vector<double> p{2, -1, 0.5};
    EXPECT_EQ(text(CacheRules::of(1.1, p, false, 5, false), 10, constant(0.5)), "CCrrrrCCCC");
    EXPECT_EQ(text(CacheRules::of(1.1, p, false, 5, false), 10, constant(1)), "CCCCCCCCCC");
    // With a negative polynomial the sum of distances falls, so later forwards may be skipped for longer.
    EXPECT_EQ(text(CacheRules::of(1, {-1, 0}, false, 5, false), 10, constant(3)), "CCrrrrrrCC");
}

TEST(CachePlan, WhatIsNoNumberIsComputed) {
    EXPECT_EQ(text(CacheRules::of(1, same, false, 4, false), 8, constant(std::nan(""))), "CCCCCCCC");
    EXPECT_EQ(text(CacheRules::of(1, same, false, 4, false), 8, constant(std::numeric_limits<double>::infinity())),
              "CCCCCCCC");
}

} // namespace
} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/core/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace denoir {
namespace {

using profile::Zone;

TEST(Profile, zones_are_named_and_sorted) {
    std::vector<std::string_view> names;
    for (int i = 0; i < static_cast<int>(Zone::count); ++i) names.push_back(profile::name(static_cast<Zone>(i)));
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    EXPECT_EQ(profile::name(Zone::attention), "attention");
    EXPECT_EQ(profile::name(Zone::solver), "solver");
    EXPECT_EQ(profile::name(Zone::vae), "vae");
}

TEST(Profile, sums_over_threads) {
    profile::reset();
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([] {
                for (int k = 0; k < 50; ++k) profile::add(Zone::linear, 0.001);
            });
    }
    { const profile::Scope scope(Zone::norm); }
    const auto totals = profile::totals();
    EXPECT_EQ(totals[static_cast<int>(Zone::linear)].calls, 200);
    EXPECT_NEAR(totals[static_cast<int>(Zone::linear)].seconds, 0.2, 1e-6);
    EXPECT_EQ(totals[static_cast<int>(Zone::norm)].calls, 1);
    profile::reset();
    EXPECT_EQ(profile::totals()[static_cast<int>(Zone::linear)].calls, 0);
}

} // namespace
} // namespace denoir

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
    EXPECT_EQ(profile::name(Zone::norm), "norm");
}

TEST(Profile, sums_over_threads) {
    const auto before = profile::totals();
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([] {
                for (int k = 0; k < 50; ++k) profile::add(Zone::linear, 0.001);
            });
    }
    { const profile::Scope scope(Zone::norm); }
    const auto after = profile::totals();
    const auto linear = static_cast<std::size_t>(Zone::linear), norm = static_cast<std::size_t>(Zone::norm);
    EXPECT_EQ(after[linear].calls - before[linear].calls, 200);
    EXPECT_NEAR(after[linear].seconds - before[linear].seconds, 0.2, 1e-6);
    EXPECT_EQ(after[norm].calls - before[norm].calls, 1);
}

TEST(Profile, table_begins_with_the_longest) {
    decltype(profile::totals()) totals{};
    EXPECT_EQ(profile::table(totals), "");
    totals[static_cast<std::size_t>(Zone::attention)] = {3, 0.5};
    totals[static_cast<std::size_t>(Zone::linear)] = {1200, 1.5};
    EXPECT_EQ(profile::table(totals), "linear            1200 calls     1.500 s   75 %\n"
                                      "attention            3 calls     0.500 s   25 %\n");
}

} // namespace
} // namespace denoir

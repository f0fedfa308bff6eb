// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/rope.h"

#include <gtest/gtest.h>

#include <cmath>

namespace denoir::wan {
namespace {

TEST(Rope, SplitsTheHeadAndRotates) {
    EXPECT_EQ(rope_pairs(128), (std::array<std::int64_t, 3>{22, 21, 21}));
    EXPECT_EQ(rope_pairs(16), (std::array<std::int64_t, 3>{4, 2, 2}));
    EXPECT_EQ(rope_pairs(10), (std::array<std::int64_t, 3>{3, 1, 1}));
    const Rope rope = rope_table(4, 6, 8, 128);
    const std::int64_t token = (3 * 6 + 5) * 8 + 7; // the token of frame 3, row 5 and column 7
    const struct {
        int pair;
        double cos, sin;
    } expected[] = {{0, -0.9899925, 0.14112001},
                    {1, -0.39218285, 0.91988728},
                    {22, 0.28366219, -0.95892427},
                    {43, 0.75390225, 0.6569866},
                    {63, 0.99999941, 0.00108536}};
    for (const auto& e : expected) {
        EXPECT_NEAR(rope.cos.data<float>()[token * 64 + e.pair], e.cos, 1e-7);
        EXPECT_NEAR(rope.sin.data<float>()[token * 64 + e.pair], e.sin, 1e-7);
    }
    const Rope wide = rope_table(1, 1, 2000, 16); // beyond the 1024 positions in the references' table
    EXPECT_NEAR(wide.cos.data<float>()[1999 * 8 + 6], std::cos(1999.0), 1e-6);
}

} // namespace
} // namespace denoir::wan

// SPDX-License-Identifier: Apache-2.0
#include "engine/sampling/forcing_plan.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/core/error.h"

namespace denoir {
namespace {

/// The plan's rows as spec/pipelines.md 7.1 writes them, such as "999 959  U.".
std::string text(const ForcingPlan& plan) {
    std::string out;
    for (int row = 0; row < plan.rows; ++row) {
        std::string flags;
        for (int f = 0; f < plan.frames; ++f) {
            const auto at = static_cast<std::size_t>(row * plan.frames + f);
            out += std::to_string(static_cast<int>(plan.timesteps[at])) + " ";
            flags += plan.update[at] ? 'U' : '.';
        }
        out += flags + "\n";
    }
    return out;
}

ForcingPlan plan(int frames, int ar_step, int block = 1, int ready = 0, int base = 0, int end = 0, int steps = 4) {
    return forcing_plan(sigma_schedule(SigmaList::original_unipc, steps, 8),
                        {frames, base ? base : frames, ar_step, ready, block, end});
}

TEST(ForcingPlan, Synchronous) {
    EXPECT_EQ(text(plan(3, 0)), "999 999 999 UUU\n959 959 959 UUU\n888 888 888 UUU\n727 727 727 UUU\n");
    EXPECT_EQ(text(plan(3, 0, 1, 1)), "0 999 999 .UU\n0 959 959 .UU\n0 888 888 .UU\n0 727 727 .UU\n");
}

TEST(ForcingPlan, Asynchronous) {
    EXPECT_EQ(text(plan(4, 2)),
              "999 999 999 999 U...\n959 999 999 999 U...\n888 999 999 999 UU..\n727 959 999 999 UU..\n"
              "0 888 999 999 .UU.\n0 727 959 999 .UU.\n0 0 888 999 ..UU\n0 0 727 959 ..UU\n"
              "0 0 0 888 ...U\n0 0 0 727 ...U\n");
    EXPECT_EQ(text(plan(4, 2, 2)), "999 999 999 999 UU..\n959 959 999 999 UU..\n888 888 999 999 UUUU\n"
                                   "727 727 959 959 UUUU\n0 0 888 888 ..UU\n0 0 727 727 ..UU\n");
    EXPECT_EQ(text(plan(6, 2, 2, 2)),
              "0 0 999 999 999 999 ..UU..\n0 0 959 959 999 999 ..UU..\n0 0 888 888 999 999 ..UUUU\n"
              "0 0 727 727 959 959 ..UUUU\n0 0 0 0 888 888 ....UU\n0 0 0 0 727 727 ....UU\n");
}

TEST(ForcingPlan, Windows) {
    const ForcingPlan p = plan(5, 2, 1, 0, 3);
    ASSERT_EQ(p.rows, 12);
    for (int row = 0; row < 12; ++row) {
        const int begin = row < 6 ? 0 : row < 8 ? 1 : 2;
        EXPECT_EQ(p.windows[static_cast<std::size_t>(row)], (std::pair{begin, begin + 3})) << row;
    }
}

TEST(ForcingPlan, RealSizes) {
    EXPECT_EQ(plan(25, 5, 5, 0, 0, 0, 30).rows, 50);
    EXPECT_EQ(plan(25, 5, 5, 5, 0, 0, 30).rows, 45);
    EXPECT_EQ(plan(20, 5, 5, 5, 0, 0, 30).rows, 40);
    // There are N + (R - 1) a rows, or N if all frames move together; a step above N counts as N.
    EXPECT_EQ(plan(4, 4).rows, 16);
    EXPECT_EQ(plan(4, 9).rows, 16);
}

TEST(ForcingPlan, EachFrameTakesEveryStepOnceAndInOrder) {
    const std::vector<float> times = sigma_schedule(SigmaList::original_unipc, 7, 5).timesteps;
    for (const int ar_step : {0, 1, 2, 3, 7, 20})
        for (const int block : {1, 2, 3})
            for (const int ready : {0, 1, 3, 6}) {
                const ForcingPlan p =
                    forcing_plan(sigma_schedule(SigmaList::original_unipc, 7, 5), {12, 12, ar_step, ready, block, 2});
                for (int f = 0; f < p.frames; ++f) {
                    std::vector<float> seen;
                    for (int row = 0; row < p.rows; ++row)
                        if (const auto at = static_cast<std::size_t>(row * p.frames + f); p.update[at])
                            seen.push_back(p.timesteps[at]);
                    const bool clean = f < ready / block * block || f >= 12;
                    EXPECT_EQ(seen, clean ? std::vector<float>{} : times)
                        << ar_step << " " << block << " " << ready << " frame " << f;
                }
            }
}

TEST(ForcingPlan, EndFramesStayClean) { EXPECT_EQ(text(plan(2, 0, 1, 0, 0, 1, 2)), "999 999 0 UU.\n888 888 0 UU.\n"); }

TEST(ForcingPlan, NothingToDoGivesNoRows) {
    const ForcingPlan p = plan(4, 2, 2, 4);
    EXPECT_EQ(p.rows, 0);
    EXPECT_TRUE(p.timesteps.empty());
    EXPECT_EQ(plan(3, 0, 1, 3).rows, 0);
}

TEST(ForcingPlan, RefusesByName) {
    const auto field = [](auto&&... values) -> std::string {
        try {
            plan(values...);
        } catch (const UsageError& e) {
            return e.field();
        }
        return "";
    };
    EXPECT_EQ(field(0, 0), "frames");
    EXPECT_EQ(field(4, -1), "ar_step");
    EXPECT_EQ(field(4, 0, 0), "block");
    EXPECT_EQ(field(4, 0, 5), "block");
    EXPECT_EQ(field(5, 0, 2), "block"); // frames in a block must divide the frames of the clip
    EXPECT_EQ(field(4, 0, 1, 5), "ready");
    EXPECT_EQ(field(4, 0, 1, -1), "ready");
    EXPECT_EQ(field(6, 0, 1, 0, 3), "ar_step"); // a window of 3 of 6 frames needs an ar_step of 2 or more at 4 steps
    EXPECT_EQ(field(6, 1, 1, 0, 3), "ar_step");
    EXPECT_EQ(field(6, 2, 1, 0, 3), "");
    EXPECT_EQ(field(6, 2, 3, 0, 2), "base");
    EXPECT_EQ(field(4097, 0), ""); // the longest clip in one window, 16385 frames
    EXPECT_EQ(field(4098, 0), "frames");
    EXPECT_EQ(field(4096, 1000, 1, 0, 0, 0, 1000), "frames"); // a plan of sixteen thousand million entries
    // These are 3299 rows with 9.9 million entries, of the ten million that are allowed.
    EXPECT_EQ(field(3000, 1, 1, 0, 0, 0, 300), "");
    EXPECT_EQ(field(3000, 1, 1, 0, 0, 0, 400), "frames");
}

} // namespace
} // namespace denoir

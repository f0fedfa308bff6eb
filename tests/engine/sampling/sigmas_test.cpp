// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/sampling/sigmas.h"

namespace denoir {
namespace {

using enum SigmaList;

/// spec/schedulers.md 2 prints nine digits, which determine a float32.
void expect_sigmas(SigmaList list, int steps, double shift, const std::vector<float>& sigmas,
                   const std::vector<float>& timesteps) {
    SCOPED_TRACE(std::string(1, char('A' + int(list))) + " " + std::to_string(steps) + " " + std::to_string(shift));
    const SigmaSchedule s = sigma_schedule(list, steps, shift);
    EXPECT_EQ(s.steps(), steps);
    EXPECT_EQ(s.sigmas, sigmas);
    EXPECT_EQ(s.timesteps, timesteps);
}

TEST(Sigmas, WorkedLists) {
    expect_sigmas(original_unipc, 4, 8, {0.99987489f, 0.959846258f, 0.888691187f, 0.727008104f, 0},
                  {999, 959, 888, 727});
    expect_sigmas(original_unipc, 4, 5, {0.999799848f, 0.937265456f, 0.833055377f, 0.624687374f, 0},
                  {999, 937, 833, 624});
    expect_sigmas(original_unipc, 4, 3, {0.999666452f, 0.899639785f, 0.749624789f, 0.499666572f, 0},
                  {999, 899, 749, 499});
    expect_sigmas(original_unipc, 4, 1, {0.999000013f, 0.749249995f, 0.499500006f, 0.249750003f, 0},
                  {999, 749, 499, 249});
    expect_sigmas(original_dpmpp, 4, 8, {1, 0.959999979f, 0.888888896f, 0.727272749f, 0}, {1000, 960, 888, 727});
    expect_sigmas(original_dpmpp, 4, 5, {1, 0.9375f, 0.833333313f, 0.625f, 0}, {1000, 937, 833, 625});
    expect_sigmas(diffusers_unipc, 4, 8, {0.99987489f, 0.95984626f, 0.88869119f, 0.7270081f, 0}, {999, 959, 888, 727});
    expect_sigmas(diffusers_037, 4, 8, {0.999998987f, 0.960051179f, 0.889086246f, 0.728064597f, 0},
                  {999, 960, 889, 728});
}

TEST(Sigmas, WorkedTimes) {
    const auto times = [](SigmaList list, int steps, double shift) {
        return sigma_schedule(list, steps, shift).timesteps;
    };
    using V = std::vector<float>;
    EXPECT_EQ(times(original_unipc, 30, 8),
              (V{999, 995, 991, 986, 980, 975, 969, 963, 956, 948, 941, 932, 922, 912, 901,
                 888, 874, 859, 841, 822, 799, 773, 743, 708, 666, 615, 551, 470, 363, 216}));
    EXPECT_EQ(times(original_unipc, 50, 5),
              (V{999, 995, 991, 987, 982, 978, 973, 968, 963, 957, 952, 946, 940, 934, 927, 920, 913,
                 906, 898, 890, 882, 873, 863, 854, 843, 833, 821, 809, 796, 783, 768, 753, 737, 720,
                 701, 681, 660, 636, 611, 584, 555, 522, 487, 448, 405, 356, 302, 241, 172, 92}));
    EXPECT_EQ(times(original_unipc, 40, 3),
              (V{999, 991, 982, 973, 963, 954, 944, 933, 922, 911, 899, 887, 874, 861, 847, 832, 817, 801, 785, 767,
                 749, 730, 710, 688, 666, 642, 617, 590, 562, 531, 499, 465, 428, 388, 345, 299, 249, 195, 136, 71}));
    EXPECT_EQ(times(original_unipc, 40, 5),
              (V{999, 994, 989, 983, 978, 972, 965, 959, 952, 944, 937, 929, 920, 911, 902, 892, 882, 870, 859, 846,
                 833, 818, 803, 786, 768, 749, 728, 706, 681, 654, 624, 591, 555, 514, 468, 416, 356, 288, 208, 113}));
    EXPECT_EQ(times(original_unipc, 40, 12),
              (V{999, 997, 995, 993, 990, 988, 985, 982, 979, 976, 972, 969, 965, 961, 956, 952, 947, 941, 936, 929,
                 922, 915, 907, 898, 888, 877, 865, 852, 837, 819, 799, 776, 749, 717, 678, 631, 571, 492, 386, 235}));
    EXPECT_EQ(times(diffusers_037, 30, 8),
              (V{999, 995, 991, 986, 981, 975, 969, 963, 956, 949, 941, 932, 923, 912, 901,
                 889, 875, 859, 842, 822, 800, 774, 744, 709, 667, 616, 553, 473, 367, 221}));
    // List C differs from list A only at shift 1.
    EXPECT_EQ(times(original_unipc, 3, 1)[2], 333);
    EXPECT_EQ(times(diffusers_unipc, 3, 1)[2], 332);
    for (int steps = 1; steps <= 100; ++steps)
        for (const double shift : {2.0, 3.0, 5.0, 8.0, 10.0, 12.0, 16.0})
            EXPECT_EQ(times(original_unipc, steps, shift), times(diffusers_unipc, steps, shift))
                << steps << " " << shift;
}

TEST(Sigmas, FlowMatchEulerShiftsTwice) {
    const Json golden = parse_json(read_text(DENOIR_FIXTURES "/sampling/solvers.json", 1 << 20), "solvers.json");
    for (const Json& list : golden["flow_match_euler"]) {
        const int steps = list["steps"];
        const SigmaSchedule s = sigma_schedule(flow_match_euler, steps, list["shift"]);
        for (int i = 0; i < steps; ++i) {
            EXPECT_EQ(s.sigmas[i], list["sigmas"][i].get<float>()) << steps << " " << i;
            EXPECT_EQ(s.timesteps[i], list["timesteps"][i].get<float>()) << steps << " " << i;
        }
    }
    EXPECT_NEAR(sigma_schedule(flow_match_euler, 4, 8).sigmas[3], 0.060206968f, 1e-8f);
}

TEST(Sigmas, EveryLengthFallsTowardsZero) {
    for (const SigmaList list : {original_unipc, original_dpmpp, diffusers_unipc, diffusers_037, flow_match_euler})
        for (const int steps : {1, 2, 3, 501, 999, 1000}) {
            const SigmaSchedule s = sigma_schedule(list, steps, 5);
            ASSERT_EQ(s.sigmas.size(), steps + 1u);
            for (int i = 0; i < steps; ++i) {
                EXPECT_TRUE(std::isfinite(s.sigmas[i]));
                EXPECT_GE(s.sigmas[i], s.sigmas[i + 1]);
                EXPECT_GE(s.timesteps[i], 0);
                EXPECT_LE(s.timesteps[i], 1000);
            }
            EXPECT_EQ(s.sigmas.back(), 0);
        }
}

TEST(Sigmas, RefusesByName) {
    const auto field = [](SigmaList list, int steps, double shift) -> std::string {
        try {
            sigma_schedule(list, steps, shift);
        } catch (const UsageError& e) {
            return e.field();
        }
        return "";
    };
    EXPECT_EQ(field(original_unipc, 0, 5), "steps");
    EXPECT_EQ(field(original_unipc, -1, 5), "steps");
    EXPECT_EQ(field(original_unipc, 1001, 5), "steps");
    EXPECT_EQ(field(original_unipc, 4, 0), "shift");
    EXPECT_EQ(field(original_unipc, 4, -3), "shift");
    EXPECT_EQ(field(original_unipc, 4, std::nan("")), "shift");
    EXPECT_EQ(field(original_unipc, 4, std::numeric_limits<double>::infinity()), "shift");
    // List D's first value and its second step would be equal there, and the solvers would divide by zero.
    EXPECT_EQ(field(diffusers_037, 1000, 1000), "steps");
    for (const SigmaList list : {original_unipc, original_dpmpp, diffusers_unipc, flow_match_euler})
        EXPECT_EQ(field(list, 1000, 1000), "");
    EXPECT_EQ(field(diffusers_037, 900, 1000), "");
}

} // namespace
} // namespace denoir

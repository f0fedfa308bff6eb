// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace denoir {
namespace {

TEST(ComparePrecision, EachSideIsNamedAndTheirDifferenceSeenWhole) {
    Request r;
    r.model = std::filesystem::path(DENOIR_FIXTURES) / "_models" / "Wan2.1-T2V-tiny";
    r.prompt = "a fox", r.negative_prompt = "grey", r.guidance = 8;
    r.width = r.height = 32, r.frames = 5, r.steps = 3, r.threads = 1;
    PrecisionOptions options;
    options.a = "f32", options.b = "bf16";
    options.select.layers = {"picture"};
    Observer quiet;
    const PrecisionResult found = compare_precision(
        r, options, [](const std::string&) {}, quiet, [](double, double) {}, {});
    EXPECT_EQ(found.a.seed, found.b.seed); // the seed is drawn once for both sides
    EXPECT_TRUE(found.pictures.label_a.starts_with("f32, cast points f32, on ")) << found.pictures.label_a;
    EXPECT_TRUE(found.pictures.label_b.starts_with("bf16, cast points wan, on ")) << found.pictures.label_b;
    // The difference is amplified by as much as leaves its largest value in range.
    double largest = 0;
    for (const metrics::FrameMetrics& frame : found.pictures.frames) largest = std::max(largest, frame.difference.max);
    const int times = found.pictures.amplified;
    ASSERT_GE(largest, 2) << "else more would not be seen";
    EXPECT_LE(largest * times, 255);
    EXPECT_TRUE(times == 64 || largest * times * 2 > 255) << largest << " times " << times;
    ASSERT_FALSE(found.pictures.shown.empty());
    for (const PicturePart::Pair& pair : found.pictures.shown)
        for (std::size_t i = 0; i < pair.a.rgb.size(); ++i)
            ASSERT_EQ(pair.difference.rgb[i], std::abs(int(pair.a.rgb[i]) - int(pair.b.rgb[i])) * times);
}

TEST(ComparePrecision, WordsMeanTheSameInAnyOrder) {
    Request asked;
    asked.dtype = DType::f32, asked.precision = PrecisionPolicy::f32;
    for (const char* words : {"skyreels", "skyreels+bf16", "bf16+skyreels", "cpu+skyreels+bf16"}) {
        const Request r = with_precision(asked, words, "--a");
        EXPECT_EQ(r.dtype, DType::bf16) << words;
        EXPECT_EQ(r.precision, PrecisionPolicy::skyreels) << words;
    }
    EXPECT_FALSE(with_precision(asked, "bf16", "--a").precision) << "resolving it decides";
    EXPECT_EQ(with_precision(asked, "cpu", "--a").precision, PrecisionPolicy::f32) << "as the request has it";
    asked.dtype = DType::bf16, asked.precision = PrecisionPolicy::wan;
    EXPECT_EQ(with_precision(asked, "bf16", "--a").precision, PrecisionPolicy::wan) << "as the request has it";
    for (const char* words : {"f32", "cpu+f32"})
        EXPECT_EQ(with_precision(asked, words, "--a").precision, PrecisionPolicy::f32) << words;
}

TEST(ComparePrecision, WordsThatExcludeEachOtherAreRefused) {
    for (const char* words : {"f32+bf16", "wan+skyreels", "f32+wan", "wan+f32", "cpu+cuda:0", "bf16+", ""})
        EXPECT_THROW(with_precision({}, words, "--a"), UsageError) << words;
}

} // namespace
} // namespace denoir

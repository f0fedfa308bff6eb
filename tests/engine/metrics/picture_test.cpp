// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/picture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stop_token>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "tests/engine/metrics/pictures.h"

namespace denoir {
namespace {

using metrics::compare_frames;
using metrics::FrameMetrics;

Json pairs() {
    const std::string file = std::string(DENOIR_FIXTURES) + "/metrics/pairs.json";
    return parse_json(read_text(file, 1 << 20), file);
}

FrameMetrics measured(const Json& pair, ThreadPool& pool, const metrics::MetricOptions& options = {}) {
    const int width = pair["width"], height = pair["height"];
    const std::uint64_t seed = pair["seed"];
    const test::Samples a = test::picture(width, height, seed), b = test::changed(a, seed, pair["change"]);
    if (pair["float"]) return compare_frames(test::planes(a, seed, 0), test::planes(b, seed, 8), pool, options);
    const std::vector<std::uint8_t> x = test::bytes(a), y = test::bytes(b);
    return compare_frames(test::view(x, width, height), test::view(y, width, height), pool, options);
}

void expect_value(const std::optional<double>& found, const Json& expected, const std::string& what) {
    ASSERT_EQ(found.has_value(), !expected.is_null()) << what;
    if (!found) return;
    EXPECT_NEAR(*found, expected.get<double>(), 1e-6 * std::max(1.0, std::abs(expected.get<double>()))) << what;
}

TEST(Picture, TwentyPairsAsScikitImage) {
    ThreadPool pool(2);
    const Json all = pairs();
    ASSERT_EQ(all.size(), 20u);
    for (const Json& pair : all) {
        const std::string name = pair["name"];
        const FrameMetrics m = measured(pair, pool);
        expect_value(m.mse, pair["mse"], name + " mse");
        expect_value(m.psnr, pair["psnr"], name + " psnr");
        expect_value(m.ssim, pair["ssim"], name + " ssim");
        expect_value(m.difference.mean, pair["mean"], name + " mean");
        expect_value(m.difference.max, pair["max"], name + " max");
        expect_value(m.difference.p95, pair["p95"], name + " p95");
        expect_value(m.difference.p99, pair["p99"], name + " p99");
    }
}

TEST(Picture, AsFfmpegPrints) {
    ThreadPool pool(1);
    int compared = 0;
    for (const Json& pair : pairs()) {
        if (!pair["ffmpeg"].contains("mse_avg")) continue;
        const FrameMetrics m = measured(pair, pool, {.ssim = false});
        // ffmpeg prints two digits and adds three rounded planes, so the last digit may differ.
        EXPECT_NEAR(m.mse, std::stod(pair["ffmpeg"]["mse_avg"].get<std::string>()), 0.00501) << pair["name"];
        const std::string psnr = pair["ffmpeg"]["psnr_avg"];
        EXPECT_EQ(m.psnr ? fmt::format("{:.2f}", *m.psnr) : "inf", psnr) << pair["name"];
        ++compared;
    }
    EXPECT_EQ(compared, 17);
}

TEST(Picture, SameBytesWithAnyNumberOfThreads) {
    ThreadPool one(1), three(3);
    for (const Json& pair : pairs()) {
        const FrameMetrics a = measured(pair, one), b = measured(pair, three);
        EXPECT_EQ(a.ssim, b.ssim) << pair["name"];
        EXPECT_EQ(a.mse, b.mse) << pair["name"];
        EXPECT_EQ(a.difference.p99, b.difference.p99) << pair["name"];
    }
}

TEST(Picture, FloatAndBytesAgreeOnWholeNumbers) {
    ThreadPool pool(2);
    const test::Samples a = test::picture(57, 43, 5), b = test::changed(a, 5, "noise 7");
    const auto whole = [](const test::Samples& s) {
        Tensor t = Tensor::host({3, s.height, s.width});
        for (int i = 0; i < s.width * s.height; ++i)
            for (int c = 0; c < 3; ++c)
                t.data<float>()[c * s.width * s.height + i] = float(s.values[std::size_t(3 * i + c)]);
        return t;
    };
    const auto x = test::bytes(a), y = test::bytes(b);
    metrics::PixelHistograms of_bytes, of_floats;
    const FrameMetrics m =
        compare_frames(test::view(x, 57, 43), test::view(y, 57, 43), pool, {.histograms = &of_bytes});
    const FrameMetrics f = compare_frames(whole(a), whole(b), pool, {.histograms = &of_floats});
    EXPECT_NEAR(m.mse, f.mse, 1e-12);
    EXPECT_NEAR(*m.ssim, *f.ssim, 1e-12);
    EXPECT_EQ(m.difference.p95, f.difference.p95);
    EXPECT_EQ(of_bytes.a, of_floats.a);
    EXPECT_EQ(of_bytes.b, of_floats.b);
    EXPECT_EQ(of_bytes.difference, of_floats.difference);
}

TEST(Picture, HistogramsCountEverySampleAndAddUp) {
    ThreadPool pool(2);
    const test::Samples a = test::picture(70, 130, 9), b = test::changed(a, 9, "plus 2");
    const auto x = test::bytes(a), y = test::bytes(b);
    metrics::PixelHistograms h;
    for (int i = 0; i < 2; ++i)
        compare_frames(test::view(x, 70, 130), test::view(y, 70, 130), pool, {.histograms = &h});
    for (int c = 0; c < 3; ++c) {
        std::array<std::uint64_t, 256> expected{};
        for (std::size_t i = std::size_t(c); i < x.size(); i += 3) expected[x[i]] += 2;
        EXPECT_EQ(h.a[std::size_t(c)], expected);
    }
    EXPECT_EQ(h.difference[2] + h.difference[1] + h.difference[0], 2 * x.size());
    EXPECT_EQ(h.difference[2], 2 * x.size()); // nothing in this picture is clipped
}

/// A value between two levels counts as the nearer one, and none falls out of range.
TEST(Picture, HistogramsOfFloatsCountTheNearestValue) {
    ThreadPool pool(1);
    Tensor a = Tensor::host({3, 1, 6}), b = Tensor::zeros({3, 1, 6});
    const float values[]{0.4f, 0.6f, 99.5f, 254.6f, 300, -1};
    for (int i = 0; i < 18; ++i) a.span<float>()[std::size_t(i)] = values[i % 6];
    metrics::PixelHistograms h;
    compare_frames(a, b, pool, {.histograms = &h});
    for (const auto& channel : h.a) {
        std::array<std::uint64_t, 256> expected{};
        expected[0] = 2, expected[1] = 1, expected[100] = 1, expected[255] = 2;
        EXPECT_EQ(channel, expected);
    }
}

TEST(Picture, ViewsOfALargerTensorWork) {
    ThreadPool pool(1);
    const test::Samples a = test::picture(40, 36, 3), b = test::changed(a, 3, "noise 9");
    Tensor whole = Tensor::zeros({2, 3, 36, 64});
    const auto put = [&](int at, const test::Samples& s) {
        Tensor part = whole.select(0, at).slice(2, 8, 48);
        const Tensor from = test::planes(s, 3, 0);
        for (int c = 0; c < 3; ++c)
            for (int y = 0; y < 36; ++y)
                for (int x = 0; x < 40; ++x)
                    part.data<float>()[c * part.stride(0) + y * part.stride(1) + x] =
                        from.data<float>()[(c * 36 + y) * 40 + x];
        return part;
    };
    const Tensor x = put(0, a), y = put(1, b);
    const FrameMetrics m = compare_frames(x, y, pool),
                       dense = compare_frames(test::planes(a, 3, 0), test::planes(b, 3, 0), pool);
    EXPECT_EQ(m.ssim, dense.ssim);
    EXPECT_EQ(m.mse, dense.mse);
}

TEST(Picture, StopsWhenAsked) {
    ThreadPool pool(2);
    std::stop_source stop;
    stop.request_stop();
    pool.set_stop(stop.get_token());
    const auto x = test::bytes(test::picture(64, 64, 1));
    EXPECT_THROW(compare_frames(test::view(x, 64, 64), test::view(x, 64, 64), pool), Cancelled);
}

} // namespace
} // namespace denoir

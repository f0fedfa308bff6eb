// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stop_token>
#include <vector>

#include "engine/compare/report.h"
#include "engine/compare/sweep_outputs.h"
#include "engine/compare/trace_report.h"
#include "engine/core/error.h"
#include "engine/media/image.h"
#include "engine/report/html.h"
#include "tests/engine/temp_folder.h"
#include "tests/engine/text_search.h"

namespace denoir {
namespace {

using test::holds;

/// All figures differ, so that none can stand in the place of another unnoticed.
metrics::FrameMetrics figures(int more) {
    metrics::FrameMetrics m;
    m.mse = 1000 + more;
    m.psnr = 30.75 + more;
    m.ssim = 0.625 + 0.0625 * more;
    m.difference = {.mean = 2.125 + 10 * more, .max = 5.0 + 10 * more, .p95 = 3.25 + 10 * more, .p99 = 4.5 + 10 * more};
    m.lpips = 0.125 + 0.0625 * more;
    return m;
}

Comparison hand_made() {
    Comparison c;
    c.a = {.kind = SourceInfo::Kind::video, .path = "a.mp4", .width = 64, .height = 48, .fps = 16, .detail = "first"};
    c.b = {.kind = SourceInfo::Kind::frames, .path = "b", .width = 32, .height = 24, .fps = 24, .detail = "second"};
    c.length_a = 7, c.length_b = 9, c.width = 96, c.height = 80;
    c.pairs.offset = 2;
    c.lpips = "LPIPS AlexNet";
    c.frames = {{{3, 5}, figures(0)}, {{4, 6}, figures(1)}};
    c.summary = {.frames = 2, .mean = figures(2), .worst = figures(3), .worst_psnr = 1, .worst_ssim = 0};
    c.verdict = metrics::verdict(c.summary.mean);
    c.settings = {{"seed", "7", "8"}};
    for (std::size_t i = 0; i < 3; ++i) c.histograms.a[i][i] = 10 + i, c.histograms.b[i][9 + i] = 20 + i;
    c.histograms.difference[4] = 30;
    metrics::TensorDifference latent;
    latent.max_abs = 6, latent.mean_abs = 5, latent.mean_norm = 2, latent.cosine = 0.5;
    latent.error_squares = 16, latent.norm_squares = 1;
    metrics::TensorDifference x0 = latent;
    x0.max_abs = 8;
    c.steps.steps = {{1, 2, latent, x0}, {3, 4, latent, {}}};
    return c;
}

TEST(Comparison, EachFigureOfTheTableStandsInItsColumn) {
    Comparison c = hand_made();
    EXPECT_EQ(to_csv(c), "index,a,b,mse,psnr,ssim,mean_difference,max_difference,p95_difference,p99_difference,lpips\n"
                         "0,3,5,1000,30.75,0.625,2.125,5,3.25,4.5,0.125\n"
                         "1,4,6,1001,31.75,0.6875,12.125,15,13.25,14.5,0.1875\n");
    c.lpips.clear();
    c.frames = {{{3, 5}, metrics::FrameMetrics()}};
    EXPECT_EQ(to_csv(c), "index,a,b,mse,psnr,ssim,mean_difference,max_difference,p95_difference,p99_difference\n"
                         "0,3,5,0,,,0,0,0,0\n"); // two equal pictures that are smaller than SSIM's window
}

TEST(Comparison, EachFigureOfTheDocumentStandsAtItsName) {
    const Json found = to_json(hand_made());
    const auto measured = [](Json row, int more) {
        row.update(Json{{"mse", 1000.0 + more},
                        {"psnr", 30.75 + more},
                        {"ssim", 0.625 + 0.0625 * more},
                        {"mean_difference", 2.125 + 10 * more},
                        {"max_difference", 5.0 + 10 * more},
                        {"p95_difference", 3.25 + 10 * more},
                        {"p99_difference", 4.5 + 10 * more},
                        {"lpips", 0.125 + 0.0625 * more}});
        return row;
    };
    EXPECT_EQ(found["frames"][0], measured({{"index", 0}, {"a", 3}, {"b", 5}}, 0));
    EXPECT_EQ(found["frames"][1], measured({{"index", 1}, {"a", 4}, {"b", 6}}, 1));
    EXPECT_EQ(found["mean"], measured(Json::object(), 2));
    Json worst = measured(Json::object(), 3);
    worst["psnr_index"] = 1, worst["ssim_index"] = 0;
    EXPECT_EQ(found["worst"], worst);
    EXPECT_EQ(found["a"].dump(), R"({"path":"a.mp4","kind":"video","detail":"first","width":64,"height":48,)"
                                 R"("fps":16.0,"frames":7})");
    EXPECT_EQ(found["b"]["frames"], 9);
    EXPECT_EQ(found["b"]["path"], "b");
    EXPECT_EQ(found["width"], 96);
    EXPECT_EQ(found["height"], 80);
    EXPECT_EQ(found["offset"], 2);
    EXPECT_EQ(found["settings"].dump(), R"([{"key":"seed","a":"7","b":"8"}])");
    const Json& h = found["histograms"];
    for (std::size_t i = 0; i < 3; ++i) {
        const char* channel[]{"red", "green", "blue"};
        EXPECT_EQ(h["a"][channel[i]][i], 10 + i);
        EXPECT_EQ(h["b"][channel[i]][9 + i], 20 + i);
    }
    EXPECT_EQ(h["difference"][4], 30);
    EXPECT_EQ(found["steps"].dump(),
              R"([{"a":1,"b":2,"latent":{"max_abs":6.0,"mean_abs":5.0,"normalised":3.0,"relative":4.0,"cosine":0.5},)"
              R"("x0":{"max_abs":8.0,"mean_abs":5.0,"normalised":4.0,"relative":4.0,"cosine":0.5}},)"
              R"({"a":3,"b":4,"latent":{"max_abs":6.0,"mean_abs":5.0,"normalised":3.0,"relative":4.0,"cosine":0.5},)"
              R"("x0":null}])");
}

TEST(Comparison, EachFigureOfTheReportStandsAtItsLabel) {
    const std::string page = comparison_report(hand_made(), {}, 1);
    const std::vector<report::Tile> tiles{
        {"PSNR", "32.75 dB", "worst 33.75 at frame A 4, B 6"}, {"SSIM", "0.7500", "worst 0.8125 at frame A 3, B 5"},
        {"LPIPS AlexNet", "0.2500", "worst 0.3125"},           {"MSE", "1002", "worst 1003 at frame A 4, B 6"},
        {"Mean difference", "22.125", "of 255; worst 32.125"}, {"95th percentile", "23.25", "worst 33.25"},
        {"99th percentile", "24.50", "worst 34.50"},           {"Largest", "35", "of 255"}};
    for (const report::Tile& tile : tiles) {
        const std::string all = report::tiles(std::span(&tile, 1)), list = "<dl class=\"tiles\">\n";
        EXPECT_TRUE(holds(page, all.substr(list.size(), all.find("</div>") - list.size()))) << tile.name;
    }
    EXPECT_TRUE(holds(
        page, report::table({{"A", "B", "PSNR, dB", "SSIM", "MSE", "mean", "95 %", "99 %", "largest", "LPIPS"},
                             {"3", "5", "30.750", "0.62500", "1000", "2.125", "3.25", "4.50", "5", "0.12500"},
                             {"4", "6", "31.750", "0.68750", "1001", "12.125", "13.25", "14.50", "15", "0.18750"}},
                            0)));
    for (const char* curve : {R"({"name":"PSNR","y":[30.75,31.75]})", R"({"name":"SSIM","y":[0.625,0.6875]})",
                              R"({"name":"LPIPS","y":[0.125,0.1875]})", R"({"name":"mean","y":[2.125,12.125]})",
                              R"({"name":"95th percentile","y":[3.25,13.25]})",
                              R"({"name":"99th percentile","y":[4.5,14.5]})", R"({"name":"largest","y":[5.0,15.0]})"})
        EXPECT_TRUE(holds(page, report::escaped(curve))) << curve;
    for (std::size_t i = 0; i < 3; ++i) { // all samples of a side have the same value
        Json a = std::vector<double>(256), b = a;
        a[i] = b[9 + i] = 100.0;
        const Json pair{{{"name", "A"}, {"y", a}}, {{"name", "B"}, {"y", b}}};
        EXPECT_TRUE(holds(page, report::escaped(pair.dump()))) << i;
    }
    EXPECT_TRUE(holds(page, report::table({{"setting", "A", "B"}, {"seed", "7", "8"}}, 3)));
    EXPECT_TRUE(holds(page, "a.mp4</h3>"));
    EXPECT_TRUE(holds(page, ", 64 x 48, 7 frames, 16 fps, first<br>a.mp4"));
    EXPECT_TRUE(holds(page, ", 32 x 24, 9 frames, 24 fps, second<br>b"));
}

/// Each curve has the levels of its own scale: an SSIM would mean nothing beside decibels.
TEST(Comparison, TheLevelsOfACurveAreOfItsScale) {
    Comparison c = hand_made();
    c.frames[0].metrics.ssim = 0.5, c.frames[1].metrics.ssim = 0.999;
    c.frames[0].metrics.psnr = 15, c.frames[1].metrics.psnr = 60;
    const std::string page = comparison_report(c, {}, 1);
    for (const auto& [scale, unit] : {std::pair{metrics::psnr_scale(), " dB"}, {metrics::ssim_scale(), ""}})
        for (const metrics::Threshold& t : scale) {
            const std::string level = fmt::format("{}: {}{} or more</text>", metrics::name(t.grade), t.least, unit);
            EXPECT_TRUE(holds(page, level)) << level;
        }
}

TEST(TraceComparison, EachFigureStandsAtItsName) {
    metrics::TraceComparison c;
    metrics::LayerError l;
    l.key = "vae/step_003/cond/frame_005/conv";
    l.parts = {.component = "vae", .layer = "conv", .branch = "cond", .step = 3, .frame = 5};
    metrics::TensorDifference& d = l.difference;
    d.dtype_a = DType::f32, d.dtype_b = DType::bf16, d.shape = {2, 7}, d.elements = 14;
    d.max_abs = 6, d.mean_abs = 5, d.mean_norm = 2, d.error_squares = 16, d.norm_squares = 1, d.cosine = 0.5;
    d.both_not_finite = 8;
    l.inherited = 0.25, l.expected = 0.125, l.generated = true;
    c.layers = {l};
    EXPECT_EQ(to_csv(c), "key,component,layer,step,branch,frame,dtype_a,dtype_b,elements,max_abs,mean_abs,mean_norm,"
                         "normalised,relative,cosine,not_finite,inherited,expected,generated,both_not_finite\n"
                         "vae/step_003/cond/frame_005/conv,vae,conv,3,cond,5,f32,bf16,14,6,5,2,"
                         "3,4,0.5,0,0.25,0.125,1,8\n");
    EXPECT_EQ(to_json(c)["layers"].dump(),
              R"([{"key":"vae/step_003/cond/frame_005/conv","component":"vae","layer":"conv","step":3,"branch":"cond",)"
              R"("frame":5,"dtype_a":"f32","dtype_b":"bf16","shape":[2,7],"max_abs":6.0,"mean_abs":5.0,)"
              R"("mean_norm":2.0,"normalised":3.0,"relative":4.0,"cosine":0.5,"not_finite":0,"both_not_finite":8,)"
              R"("inherited":0.25,"expected":0.125,"generated":true}])");
}

TEST(SweepRecord, EachFigureOfTheTableStandsInItsColumn) {
    SweepRecord record;
    record.sweep = sweep_from_json(parse_json(R"({"schema": 1, "axes": {"steps": [4, 8], "guidance": [3]}})", "s.json"),
                                   {"s.json", "/sweeps"});
    record.cells.resize(2);
    record.cells[0].state = SweepCell::State::done;
    record.cells[0].seconds = 2.5;
    record.cells[0].run = "/runs/a";
    record.cells[0].figures = SweepCell::Figures{1, 20.5, 0.75, 3, ""};
    EXPECT_EQ(to_csv(record), "cell,steps,guidance,state,seconds,reference,psnr,ssim,run\n"
                              "0,4,3,done,2.500,1,20.5000,0.750000,/runs/a\n"
                              "1,8,3,waiting,0.000,,,,\n");
}

/// Texts are quoted as every program reads such tables. Equal clips are infinitely near.
TEST(SweepRecord, TextsOfTheTableAreQuoted) {
    SweepRecord record;
    record.sweep = sweep_from_json(
        parse_json(
            R"({"schema": 1, "axes": {"prompt": ["say \"hi\", twice", "a fox"]}, "reference": {"prompt": "a fox"}})",
            "s.json"),
        {"s.json", "/sweeps"});
    record.cells.resize(2);
    record.cells[0].run = "/runs/a, b";
    record.cells[0].figures = SweepCell::Figures{1, std::nullopt, 1, std::nullopt, ""};
    EXPECT_EQ(to_csv(record), "cell,prompt,state,seconds,reference,psnr,ssim,run\n"
                              "0,\"say \"\"hi\"\", twice\",waiting,0.000,1,inf,1.000000,\"/runs/a, b\"\n"
                              "1,a fox,waiting,0.000,,,,\n");
}

/// A stop must also work while videos and pictures are written.
TEST(Comparer, StopsWhereItGoesOverTheFramesOnceMore) {
    const test::TempFolder folder;
    for (const char* side : {"a", "b"}) {
        std::filesystem::create_directory(folder / side);
        for (int i = 0; i < 3; ++i) write_png(folder / side / fmt::format("{}.png", i), Image(16, 16));
    }
    std::stop_source stop;
    Observer observer;
    Comparer comparer(
        folder / "a", folder / "b", {}, observer, [](std::string_view, double, double) {}, stop.get_token());
    const Comparison found = comparer.measure();
    ASSERT_EQ(found.frames.size(), 3u);
    std::vector<std::size_t> shown;
    const auto show = [&] {
        comparer.show(found, "writing", [&](std::size_t i, const Image&, const Image&) {
            shown.push_back(i);
            if (i == 1) stop.request_stop();
            return true;
        });
    };
    EXPECT_THROW(show(), Cancelled);
    EXPECT_EQ(shown, (std::vector<std::size_t>{0, 1}));
}

TEST(SettingDifferences, AreThoseOfBothSides) {
    const auto found =
        setting_differences(Json{{"seed", 1}, {"steps", 2}, {"same", 3}}, Json{{"same", 3}, {"seed", 4}, {"shift", 5}});
    std::string said;
    for (const SettingDifference& d : found) said += d.key + ":" + d.a + ":" + d.b + " ";
    EXPECT_EQ(said, "seed:1:4 steps:2: shift::5 ");
}

} // namespace
} // namespace denoir

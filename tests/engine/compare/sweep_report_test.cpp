// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_report.h"

#include <gtest/gtest.h>

#include "engine/compare/sweep_grid.h"
#include "engine/report/html.h"
#include "tests/engine/text_search.h"

namespace denoir {
namespace {

using test::count;
using test::holds;

/// A sweep in which all cells are done.
SweepRecord record_of(std::string_view json) {
    SweepRecord record;
    record.sweep = sweep_from_json(parse_json(json, "s.json"), {"s.json", "/sweeps"});
    record.cells.resize(record.sweep.size());
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        record.cells[i].state = SweepCell::State::done;
        record.cells[i].seconds = 1 + double(i);
        if (const auto reference = record.sweep.reference_of(i))
            record.cells[i].figures = SweepCell::Figures{*reference, 20 + double(i), 0.9, 3, ""};
    }
    return record;
}

std::string report_of(std::string_view json) { return sweep_report(record_of(json), {}); }

/// The page from this heading on.
std::string from(const std::string& page, const std::string& heading) {
    return page.substr(std::min(page.size(), page.find("<h2>" + heading)));
}

TEST(SweepReport, SettingsThatVaryAreNotListedAsCommon) {
    const std::string page = report_of(
        R"({"schema": 1, "request": {"prompt": "nobody's", "width": 256, "height": 144, "frames": 9, "steps": 3, "seed": 77,
                                     "cache": {"threshold": 0.25, "ret_steps": true}, "noise": {"kind": "torch-cpu"}},
            "axes": {"prompt": ["one", "two"], "steps": [4, 8], "size": ["64x48", "80x48"], "cache.threshold": [0, 0.5],
                     "noise.kind": ["torch-cpu", "torch-cuda:2"], "seed": [5]}})");
    EXPECT_FALSE(holds(page, "nobody")); // neither in the table nor below the title
    const std::string common = from(page, "What all have in common");
    for (const char* key : {"steps", "width", "height", "prompt", "noise"})
        EXPECT_FALSE(holds(common, std::string("<td>") + key)) << key;
    EXPECT_TRUE(holds(common, "<td>frames</td><td>9</td>"));
    EXPECT_TRUE(holds(common, "<td>seed</td><td>5</td>")); // an axis with one value
    EXPECT_FALSE(holds(common, "threshold"));
    EXPECT_TRUE(holds(common, "ret_steps"));
}

TEST(SweepReport, OtherLorasThanTheOneThatVariesAreInCommon) {
    const std::string page = report_of(
        R"({"schema": 1, "request": {"steps": 3, "seed": 77, "loras": [{"file": "/a.safetensors", "strength": 1},
                                                                      {"file": "/b.safetensors", "strength": 0.5}]},
            "axes": {"loras.0.file": ["/a.safetensors", "/c.safetensors"], "loras.0.strength": [0.25, 1]}})");
    const std::string common = from(page, "What all have in common");
    EXPECT_TRUE(holds(common, "/b.safetensors"));
    EXPECT_FALSE(holds(common, "/a.safetensors"));
}

TEST(SweepReport, ChartsSayHowManyCombinationsTheyDraw) {
    const std::string nine =
        report_of(R"({"schema": 1, "axes": {"seed": [1, 2, 3, 4, 5, 6, 7, 8, 9], "steps": [2, 3]}})");
    EXPECT_EQ(count(nine, "<path class=\"line s0\""), 1u); // the chart of the seconds
    EXPECT_EQ(count(nine, "<path class=\"line s0 dashed\""), 1u);
    EXPECT_EQ(count(nine, "<path class=\"line"), 9u);
    EXPECT_FALSE(holds(nine, "are drawn"));
    std::string seeds = "1";
    for (int i = 2; i <= 20; ++i) seeds += ", " + std::to_string(i);
    const std::string many = report_of(R"({"schema": 1, "axes": {"steps": [2, 3], "seed": [)" + seeds + "]}}");
    EXPECT_EQ(count(many, "<path class=\"line"), 12u);
    EXPECT_TRUE(holds(many, "12 of 20 combinations are drawn"));
}

TEST(SweepReport, ACurveHasTwoPoints) {
    const char* base = R"({"schema": 1, "axes": {"guidance": [1, 3], "steps": )";
    const std::string two = report_of(std::string(base) + "[2, 8]}}"),
                      three = report_of(std::string(base) + "[2, 4, 8]}}");
    EXPECT_FALSE(holds(two, "PSNR over steps"));
    EXPECT_TRUE(holds(two, "PSNR over guidance"));
    EXPECT_TRUE(holds(three, "PSNR over steps"));
}

TEST(SweepReport, CurvesGoFromLeftToRight) {
    const std::string page = report_of(R"({"schema": 1, "axes": {"steps": [8, 2, 4]}, "reference": null})");
    // The values of the axis are sorted: two steps took two seconds, eight took one.
    EXPECT_TRUE(holds(page, report::escaped(R"("x":[2.0,4.0,8.0])"))) << page;
    EXPECT_TRUE(holds(page, report::escaped(R"("y":[2.0,3.0,1.0])")));
}

TEST(SweepReport, RunsThatWereTakenOverAreMarked) {
    SweepRecord record = record_of(R"({"schema": 1, "axes": {"seed": [1, 2, 3]}})");
    record.cells[1].reused = true;
    const std::string page = sweep_report(record, {});
    EXPECT_EQ(count(page, "<td>was there</td>"), 1u);
    EXPECT_EQ(count(page, "<td>done</td>"), 2u);
    EXPECT_TRUE(holds(page, "4.0 s")); // 1 and 3 seconds; the run that was there took none
}

TEST(SweepReport, NearestAndFurthestOfAnyOrder) {
    SweepRecord record = record_of(R"({"schema": 1, "axes": {"steps": [2, 3, 4, 8]}})");
    const double psnr[] = {25, 22, 30};
    for (std::size_t i = 0; i < 3; ++i) record.cells[i].figures.value().psnr = psnr[i];
    const std::string page = sweep_report(record, {});
    EXPECT_TRUE(holds(page, "<dt>Nearest to its reference</dt><dd>30")) << page;
    EXPECT_TRUE(holds(page, "<dt>Furthest</dt><dd>22"));
    for (const char* column : {"steps", "held against", "seconds"})
        EXPECT_TRUE(holds(page, std::string(column) + "</th>")) << column;
}

TEST(SweepReport, FailuresSayWhy) {
    SweepRecord record = record_of(R"({"schema": 1, "axes": {"seed": [1, 2]}})");
    record.cells[1].state = SweepCell::State::failed;
    record.cells[1].error = Error("model", "", "no <room> is left", "close something");
    const std::string page = sweep_report(record, {});
    EXPECT_TRUE(holds(page, "<td>failed: model: no &lt;room&gt; is left; close something</td>")) << page;
    EXPECT_TRUE(holds(page, "1 failed"));
}

TEST(SweepReport, NamesReferencesAndTheDay) {
    SweepRecord record = record_of(R"({"schema": 1, "axes": {"steps": [2, 8]}})");
    record.created = "2026-11-27T15:23:52.248Z";
    const std::string page = sweep_report(record, Image(4, 2));
    EXPECT_EQ(count(page, "<td>is the reference</td>"), 1u);
    EXPECT_TRUE(holds(page, "2 clips, begun 2026-11-27 15:23 UTC."));
    EXPECT_TRUE(holds(page, "<img class=\"own\"")); // shown at its own size
    EXPECT_FALSE(holds(report_of(R"({"schema": 1, "axes": {"seed": [2, 8]}})"), "is the reference"));
}

TEST(SweepReport, TextsThatTheGridCannotWriteHaveNumbers) {
    const auto drawn = [](const char* prompts) {
        const SweepRecord record =
            record_of(std::string(R"({"schema": 1, "axes": {"prompt": [)") + prompts + R"(], "seed": [7, 8]}})");
        return SweepGrid(record, 160, 90).image().rgb;
    };
    EXPECT_EQ(drawn(R"("東京", "é", "大阪")"), drawn(R"("no. 1", "é", "no. 3")"));
    const std::string page = report_of(R"({"schema": 1, "axes": {"prompt": ["fox", "大阪"], "seed": [7]}})");
    EXPECT_TRUE(holds(page, "<td>no. 2: 大阪</td>"));
    EXPECT_TRUE(holds(page, "<td>fox</td>"));
}

TEST(SweepReport, APromptOfAllClipsIsBelowTheTitle) {
    EXPECT_TRUE(holds(report_of(R"({"schema": 1, "request": {"prompt": "a fox"}, "axes": {"seed": [1, 2]}})"),
                      "<p class=\"lead\">a fox</p>"));
    EXPECT_TRUE(holds(report_of(R"({"schema": 1, "request": {"prompt": "a fox"}, "axes": {"prompt": ["a cat"]}})"),
                      "<p class=\"lead\">a cat</p>"));
}

} // namespace
} // namespace denoir

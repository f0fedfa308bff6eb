// SPDX-License-Identifier: Apache-2.0
#include "engine/report/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <cmath>

#include "tests/engine/text_search.h"

namespace denoir::report {
namespace {

using test::count;

Chart chart(std::vector<std::optional<double>> values) {
    Chart c;
    c.title = "Title";
    c.x_name = "frame";
    for (std::size_t i = 0; i < values.size(); ++i) c.x.push_back(double(i));
    c.series = {{"values", 0, std::move(values)}};
    return c;
}

TEST(Chart, TicksAreRound) {
    EXPECT_EQ(ticks(0, 100, 5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
    const std::vector<double> fine = ticks(0.981, 0.997, 5);
    ASSERT_EQ(fine.size(), 3u); // the ticks are 0.005 apart
    EXPECT_NEAR(fine.front(), 0.985, 1e-12);
    EXPECT_EQ(ticks(-3, 3, 6), (std::vector<double>{-3, -2, -1, 0, 1, 2, 3}));
    EXPECT_EQ(ticks(5, 5, 4), std::vector<double>{5});
}

TEST(Chart, MissingValuesBreakTheLine) {
    const std::string svg = figure(chart({1, 2, std::nullopt, 3, 4, std::nullopt, 5}));
    EXPECT_EQ(count(svg, "class=\"line s0\""), 1u);
    const std::size_t path = svg.find("class=\"line s0\"");
    EXPECT_EQ(count(svg.substr(path, svg.find('>', path) - path), "M"), 2u);
    EXPECT_EQ(count(svg, "class=\"dot s0\""), 1u); // the last value has no neighbour, so it is drawn as a dot
}

/// The vertical positions of a line's points, which count from the top.
std::vector<double> heights(const std::string& svg) {
    const std::size_t path = svg.find("class=\"line s0\"");
    const std::string line = svg.substr(path, svg.find("/>", path) - path);
    std::vector<double> out;
    for (std::size_t at = line.find(','); at != std::string::npos; at = line.find(',', at + 1))
        out.push_back(std::stod(line.substr(at + 1)));
    return out;
}

TEST(Chart, IsToldInWordsToThoseWhoCannotSeeIt) {
    Chart c = chart({31.25, std::nullopt, 28, 40.5});
    c.unit = "dB";
    c.series.push_back({"none", 1, {std::nullopt, std::nullopt, std::nullopt, std::nullopt}});
    EXPECT_EQ(count(figure(c), "Title; values from 28 to 40.5 dB; none: no values"), 1u);
}

TEST(Chart, MissingValuesCanStandAboveAllOthers) {
    Chart c = chart({30, std::nullopt, 31});
    c.missing_on_top = true;
    const std::string svg = figure(c);
    EXPECT_EQ(count(svg, ">equal</text>"), 1u);
    EXPECT_EQ(count(svg, "class=\"dot"), 0u);
    const std::vector<double> y = heights(svg);
    ASSERT_EQ(y.size(), 3u);
    EXPECT_LT(y[1], y[2] - 20); // what is infinite is drawn above every number
    c.series[0].y[1] = 32;
    EXPECT_EQ(count(figure(c), ">equal</text>"), 0u);
}

TEST(Chart, AnAxisEndsWhereValuesMust) {
    for (const double worst : {0.2, 0.97, 0.9999, 1.0}) {
        Chart c = chart({worst, 1});
        c.most = 1;
        EXPECT_EQ(heights(figure(c))[1], 10) << worst; // the upper edge of the plot
    }
}

/// The labels at the ticks of the horizontal axis.
std::vector<std::string> across(const std::string& svg) {
    std::vector<std::string> texts;
    for (std::size_t at = svg.find("\"middle\">"); at != std::string::npos; at = svg.find("\"middle\">", at + 1))
        texts.push_back(svg.substr(at + 9, svg.find('<', at) - at - 9));
    return texts;
}

/// Steps and frames are whole numbers: an axis of them must not say "2.0" nor have a tick between two of them.
TEST(Chart, AnAxisOfStepsShowsWholeNumbers) {
    for (const std::size_t values : {2, 3, 4, 5, 9, 33}) {
        Chart c = chart(std::vector<std::optional<double>>(values, 1.0));
        c.width = 1600;
        const std::string svg = figure(c);
        for (const std::string& text : across(svg)) EXPECT_EQ(text.find('.'), std::string::npos) << text;
        EXPECT_GE(across(svg).size(), 2u) << values;
    }
}

TEST(Chart, AxesOfHugeAndOfTinyNumbersCanBeRead) {
    Chart c = chart({1, 2, 3});
    c.width = 560;
    c.x = {-2.5e30, 0, 4.1e30};
    EXPECT_EQ(across(figure(c)), (std::vector<std::string>{"-2e30", "0", "2e30", "4e30"}));
    c.x = {-2.5e-12, 0, 2.5e-12};
    EXPECT_EQ(across(figure(c)), (std::vector<std::string>{"-2e-12", "-1e-12", "0", "1e-12", "2e-12"}));
    c.x = {1e8, 1.0004e8, 1.0006e8};
    EXPECT_EQ(across(figure(c)), (std::vector<std::string>{"1.0000e8", "1.0002e8", "1.0004e8", "1.0006e8"}));
    c.x = {-2.5, 0, 40};
    EXPECT_EQ(across(figure(c)), (std::vector<std::string>{"0", "10", "20", "30", "40"}));
}

TEST(Chart, ASinglePlaceOnAnAxisIsNotRoundedAway) {
    Chart c = chart({1});
    c.x = {0.125};
    EXPECT_EQ(across(figure(c)), std::vector<std::string>{"0.1250"});
    c.x = {12};
    EXPECT_EQ(across(figure(c)), std::vector<std::string>{"12"});
}

TEST(Chart, EmptyAndFlatAndSingle) {
    for (const auto& values :
         {std::vector<std::optional<double>>{}, {std::nullopt}, {1.0}, {0.0, 0.0}, {5.0, 5.0, 5.0}}) {
        for (const bool logarithmic : {false, true}) {
            Chart c = chart(values);
            c.logarithmic = logarithmic;
            const std::string svg = figure(c);
            EXPECT_EQ(svg.find("nan"), std::string::npos);
            EXPECT_EQ(svg.find("inf"), std::string::npos);
        }
    }
}

TEST(Chart, ZerosStandBelowALogarithmicAxis) {
    Chart c = chart({100, 0, 10, 0});
    c.logarithmic = true;
    const std::string svg = figure(c);
    EXPECT_EQ(count(svg, ">0</text>"), 2u); // one on each axis
    const std::vector<double> y = heights(svg);
    ASSERT_EQ(y.size(), 4u);
    EXPECT_EQ(y[1], c.height - 40);
    EXPECT_EQ(y[3], y[1]);
    EXPECT_LT(y[2], y[1] - 20); // zeros are drawn below the lowest decade
    EXPECT_LT(y[0], y[2]);
    c.series[0].y = {100, 20, 10, 30};
    EXPECT_EQ(count(figure(c), ">0</text>"), 1u);
}

TEST(Chart, TheOnlyValueIsNotTheGroundOfALogarithmicAxis) {
    Chart c = chart({100, 100});
    c.logarithmic = true;
    const std::string svg = figure(c);
    EXPECT_LT(heights(svg)[0], c.height - 60);
    EXPECT_NE(svg.find(">10</text>"), std::string::npos);
    EXPECT_EQ(svg.find(">1000</text>"), std::string::npos);
}

TEST(Chart, LongSeriesAreThinnedAndKeepTheirExtremes) {
    std::vector<std::optional<double>> values(20000, 10.0);
    values[12345] = 1.0;
    const std::string svg = figure(chart(values));
    const std::size_t path = svg.find("class=\"line s0\"");
    const std::string line = svg.substr(path, svg.find("/>", path) - path);
    EXPECT_LT(count(line, ","), 2000u);
    // The one dip in the series still reaches the bottom of the plot.
    double lowest = 0;
    for (std::size_t at = line.find(','); at != std::string::npos; at = line.find(',', at + 1))
        lowest = std::max(lowest, std::stod(line.substr(at + 1)));
    EXPECT_GT(lowest, 200);
}

/// Where a value and a missing one fall onto the same place, the value is drawn and so is the gap.
TEST(Chart, LongSeriesKeepTheirExtremesBesideWhatIsMissing) {
    for (const std::optional<double> gap : {std::optional<double>(), std::optional(std::nan(""))}) {
        std::vector<std::optional<double>> values(20000, 10.0);
        values[12300] = gap;
        values[12301] = 90.0;
        const std::string svg = figure(chart(values));
        const std::vector<double> y = heights(svg);
        EXPECT_LT(*std::min_element(y.begin(), y.end()), 60);
        const std::size_t path = svg.find("class=\"line s0\"");
        EXPECT_EQ(count(svg.substr(path, svg.find('>', path) - path), "M"), 2u);
    }
}

TEST(Chart, ReadingsKeepTheirDecimalsUnderAnyLocale) {
    const std::string before = std::setlocale(LC_NUMERIC, nullptr);
    bool comma = false;
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"})
        comma = comma || std::setlocale(LC_NUMERIC, name) != nullptr;
    const std::string svg = figure(chart({36.25, 37.5}));
    std::setlocale(LC_NUMERIC, before.c_str());
    EXPECT_NE(svg.find("[36.25,37.5]"), std::string::npos);
    if (!comma) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

TEST(Chart, NamesAreText) {
    Chart c = chart({1, 2});
    c.title = "<b>\"x\"";
    c.series[0].name = "</svg>'&\"";
    c.levels = {{1.5, "<i>level"}};
    const std::string svg = figure(c);
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    EXPECT_EQ(svg.find("<i>level"), std::string::npos);
    EXPECT_EQ(count(svg, "</svg>"), 1u);
}

} // namespace
} // namespace denoir::report

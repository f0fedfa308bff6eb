// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_report.h"

#include <gtest/gtest.h>

namespace denoir {
namespace {

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A sweep whose cells are all done.
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

/// The page from a heading on.
std::string from(const std::string& page, const std::string& heading) {
    return page.substr(std::min(page.size(), page.find("<h2>" + heading)));
}

TEST(SweepReport, WhatVariesIsNotInCommon) {
    const std::string page = report_of(
        R"({"schema": 1, "request": {"prompt": "nobody's", "width": 256, "height": 144, "frames": 9, "steps": 3, "seed": 77,
                                     "cache": {"threshold": 0.25, "ret_steps": true}, "noise": {"kind": "torch-cpu"}},
            "axes": {"prompt": ["one", "two"], "steps": [4, 8], "size": ["64x48", "80x48"], "cache.threshold": [0, 0.5],
                     "noise.kind": ["torch-cpu", "torch-cuda:2"], "seed": [5]}})");
    EXPECT_FALSE(holds(page, "nobody")); // neither there nor below the title
    const std::string common = from(page, "What all have in common");
    for (const char* key : {"steps", "width", "height", "prompt", "noise"})
        EXPECT_FALSE(holds(common, std::string("<td>") + key)) << key;
    EXPECT_TRUE(holds(common, "<td>frames</td><td>9</td>"));
    EXPECT_TRUE(holds(common, "<td>seed</td><td>5</td>")); // an axis of one value
    EXPECT_FALSE(holds(common, "threshold"));
    EXPECT_TRUE(holds(common, "ret_steps"));
}

TEST(SweepReport, APromptOfAllClipsIsBelowTheTitle) {
    EXPECT_TRUE(holds(report_of(R"({"schema": 1, "request": {"prompt": "a fox"}, "axes": {"seed": [1, 2]}})"),
                      "<p class=\"lead\">a fox</p>"));
    EXPECT_TRUE(holds(report_of(R"({"schema": 1, "request": {"prompt": "a fox"}, "axes": {"prompt": ["a cat"]}})"),
                      "<p class=\"lead\">a cat</p>"));
}

} // namespace
} // namespace denoir

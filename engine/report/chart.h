// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace denoir::report {

/// One line of a chart. `colour` 0 … 5: A, B, green, violet, grey, red. A value that does not exist breaks the line, or
/// runs along the top, at a mark "equal", where the chart says so (`missing_on_top`: the PSNR of equal frames).
struct Series {
    std::string name;
    int colour = 0;
    std::vector<std::optional<double>> y; ///< as many as the chart's x
    bool area = false;                    ///< filled down to the bottom
    bool dashed = false;                  ///< where there are more lines than colours
};

/// A level that means something, drawn across: 35, "very good".
struct Level {
    double y;
    std::string name;
};

struct Chart {
    std::string title, unit; ///< of the values: "dB"
    std::string x_name;      ///< "frame"
    std::vector<double> x;   ///< ascending
    std::vector<Series> series;
    std::vector<Level> levels;                             ///< shown where they lie in the range of the values
    std::optional<double> low, high;                       ///< of the vertical axis; empty: as the values ask
    double most = std::numeric_limits<double>::infinity(); ///< no value can be above it: the axis ends there
    int digits = 3;                                        ///< of values read with the pointer
    int height = 260;                                      ///< of 1120 wide
    int width = 1120;
    bool logarithmic = false; ///< values of 0 stand below the axis, at a mark of their own
    bool missing_on_top = false;
    bool legend = true;
};

/// A <figure> with an inline <svg>: axes, grid, lines, a text for those who cannot see it. Long series are thinned to
/// what the width can show, extremes kept.
std::string figure(const Chart& chart);

/// Round numbers, at most `count` + 1 of them, that cover low … high: 0, 0.2, 0.4.
std::vector<double> ticks(double low, double high, int count);

} // namespace denoir::report

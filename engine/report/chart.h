// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace denoir::report {

/// One line of a chart. A missing value breaks the line or, with Chart::missing_on_top (for the PSNR of equal frames),
/// lies at the top, at a mark "equal".
struct Series {
    std::string name;
    int colour = 0;                       ///< 0 … 5: A, B, green, violet, grey, red
    std::vector<std::optional<double>> y; ///< as many as the chart's x
    bool area = false;                    ///< fills the area below the line
    bool dashed = false;                  ///< for charts with more lines than colours
};

/// A level with a meaning, drawn as a line across the chart: 35, "very good".
struct Level {
    double y;
    std::string name;
};

struct Chart {
    std::string title, unit; ///< `unit` of the values: "dB"
    std::string x_name;      ///< "frame"
    std::vector<double> x;   ///< ascending
    std::vector<Series> series;
    std::vector<Level> levels;                             ///< those in the range of the values are shown
    std::optional<double> low, high;                       ///< ends of the vertical axis; empty: by the values
    double most = std::numeric_limits<double>::infinity(); ///< the largest possible value, where the axis ends
    int digits = 3;                                        ///< of the values shown below the pointer
    int height = 260;                                      ///< in pixels of the drawing
    int width = 1120;
    bool logarithmic = false; ///< values of 0 lie below the axis, at a mark of their own
    bool missing_on_top = false;
    bool legend = true;
};

/// A <figure> with an inline <svg>: axes, grid, lines, and a text for those who cannot see it. Long series are thinned
/// to what the width can show, without losing extremes.
std::string figure(const Chart& chart);

/// Round numbers at equal distances within low … high, at most `count` + 1 of them: 0, 0.2, 0.4.
std::vector<double> ticks(double low, double high, int count);

} // namespace denoir::report

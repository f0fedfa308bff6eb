// SPDX-License-Identifier: Apache-2.0
#include "engine/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "engine/core/json.h"
#include "engine/report/html.h"

namespace denoir::report {
namespace {

// Lengths are in pixels of the drawing.
constexpr int left_margin = 58, right_margin = 14, top_margin = 10, bottom_margin = 40;
constexpr std::size_t most_points = 1600;
constexpr double apart = 26; ///< distance from the end of the axis to marks for values without a place on it

/// The drawing area of a chart and its two scales.
struct Area {
    const Chart& chart;
    double left, right, top, bottom, x_low, x_high, low, high;
    double floor, ceiling; ///< ends of the axis. Zeros may be drawn below it, at the bottom, missing values at the top

    double across(double x) const {
        return x_high > x_low ? left + (x - x_low) / (x_high - x_low) * (right - left) : (left + right) / 2;
    }
    double scaled(double y) const { return chart.logarithmic ? std::log10(std::max(y, low)) : y; }
    double level(double y) const {
        if (chart.logarithmic && y <= 0) return bottom;
        const double from = scaled(low), to = scaled(high);
        return floor - std::clamp((scaled(y) - from) / (to - from), 0.0, 1.0) * (floor - ceiling);
    }
};

/// Whether is(value) is true for any value.
template <class Is> bool any(const Chart& chart, Is&& is) {
    return std::any_of(chart.series.begin(), chart.series.end(),
                       [&](const Series& s) { return std::any_of(s.y.begin(), s.y.end(), is); });
}

/// The lowest and the highest value; for a logarithmic axis of those above 0. 0 and 1 if there are none.
std::pair<double, double> range_of(const Chart& chart) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Series& s : chart.series)
        for (const auto& v : s.y)
            if (v && std::isfinite(*v) && (!chart.logarithmic || *v > 0))
                low = std::min(low, *v), high = std::max(high, *v);
    if (low > high) return {0, 1};
    return {low, high};
}

Area area_of(const Chart& chart) {
    auto [low, high] = range_of(chart);
    if (chart.logarithmic) {
        const double decade = std::pow(10, std::floor(std::log10(low > 0 ? low : 1)));
        low = low == high && low == decade ? decade / 10 : decade; // a single value must not lie on the axis' end
        high = std::pow(10, std::ceil(std::log10(std::max(high, low * 10))));
    } else {
        const double pad = high > low ? 0.06 * (high - low) : std::max(1e-3, 0.02 * std::abs(high));
        if (!chart.low && low >= 0 && low < pad) low = pad; // padding does not extend the axis below 0
        low -= pad;
        high += pad;
    }
    low = chart.low.value_or(low);
    high = std::max(chart.high.value_or(std::min(high, chart.most)), low + 1e-9);
    const double bottom = chart.height - bottom_margin;
    const bool zeros = chart.logarithmic && any(chart, [](const auto&v) { return v && *v <= 0; }),
               missing = chart.missing_on_top && any(chart, [](const auto&v) { return !v; });
    return {chart,
            double(left_margin),
            double(chart.width - right_margin),
            double(top_margin),
            bottom,
            chart.x.empty() ? 0 : chart.x.front(),
            chart.x.empty() ? 1 : chart.x.back(),
            low,
            high,
            zeros ? bottom - apart : bottom,
            missing ? top_margin + apart : double(top_margin)};
}

/// The labels of ticks, with as many digits as neighbouring ticks need to differ: "0.985", "40", "2.5". Very large or
/// small numbers, which would be a row of zeros, are written as "2e30".
std::vector<std::string> tick_texts(const std::vector<double>& all) {
    if (all.empty()) return {};
    const double largest = std::max(std::abs(all.front()), std::abs(all.back()));
    const double alone = largest == std::floor(largest) ? 1 : largest / 1000; // the step if there is only one tick
    const double step = all.size() > 1 ? all[1] - all[0] : alone;
    const bool by_powers = largest >= 1e7 || (largest > 0 && largest < 1e-4);
    const auto exponent = [](double v) { return int(std::floor(std::log10(v) + 1e-9)); };
    const auto text = [&](double v) {
        if (v == 0 && by_powers) return std::string("0");
        const int power = by_powers ? exponent(std::abs(v)) : 0, digits = std::clamp(power - exponent(step), 0, 8);
        const std::string mantissa = fmt::format("{:.{}f}", v == 0 ? 0.0 : v / std::pow(10, power), digits);
        return by_powers ? fmt::format("{}e{}", mantissa, power) : mantissa;
    };
    std::vector<std::string> texts;
    for (const double v : all) texts.push_back(text(v));
    return texts;
}

/// A line across the drawing at `y`, and its label beside the axis.
std::string grid_line(const Area& a, double y, const std::string& text) {
    constexpr double from_axis = 8, half_a_text = 4; // half of the text's height
    return fmt::format("<line class=\"grid\" x1=\"{:g}\" x2=\"{:g}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
                       "<text x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                       a.left, a.right, y, y, a.left - from_axis, y + half_a_text, text);
}

/// The lines of the grid, one for each tick of the vertical axis.
std::string grid(const Area& a) {
    std::string out;
    if (a.floor < a.bottom) out += grid_line(a, a.level(0), "0");
    if (a.ceiling > a.top) out += grid_line(a, a.top, "equal");
    if (a.chart.logarithmic) {
        constexpr int most_lines = 6;
        const int decades = int(std::lround(std::log10(a.high / a.low)));
        const int stride = std::max(1, (decades + most_lines - 1) / most_lines);
        for (int d = 0; d <= decades; d += stride) {
            const double v = a.low * std::pow(10, d);
            const bool plain = v >= 1e-3 && v < 1e6;
            out += grid_line(a, a.level(v),
                             plain ? fmt::format("{:g}", v) : fmt::format("1e{}", int(std::lround(std::log10(v)))));
        }
        return out;
    }
    constexpr int about = 5;
    const std::vector<double> all = ticks(a.low, a.high, about);
    const std::vector<std::string> texts = tick_texts(all);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] >= a.low && all[i] <= a.high) out += grid_line(a, a.level(all[i]), texts[i]);
    return out;
}

/// The horizontal axis with its numbers and its name.
std::string x_axis(const Area& a) {
    constexpr double numbers_below = 18, name_below = 34;
    constexpr int width_of_a_tick = 110, fewest_ticks = 3;
    // Frames and steps need whole numbers.
    const bool whole = std::all_of(a.chart.x.begin(), a.chart.x.end(), [](double v) { return v == std::floor(v); });
    const int most = std::max(fewest_ticks, a.chart.width / width_of_a_tick);
    const std::vector<double> across =
        ticks(a.x_low, a.x_high, whole ? int(std::clamp(a.x_high - a.x_low, 1.0, double(most))) : most);
    const std::vector<std::string> texts = tick_texts(across);
    std::string out;
    for (std::size_t i = 0; i < across.size(); ++i)
        if (across[i] >= a.x_low && across[i] <= a.x_high)
            out += fmt::format("<text x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", a.across(across[i]),
                               a.bottom + numbers_below, texts[i]);
    out += fmt::format("<line class=\"axis\" x1=\"{:g}\" x2=\"{:g}\" y1=\"{:g}\" y2=\"{:g}\"/>", a.left, a.right,
                       a.bottom, a.bottom);
    out += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{}</text>\n", a.right, a.bottom + name_below,
                       escaped(a.chart.x_name));
    return out;
}

/// The named levels, each with its name above it.
std::string levels(const Area& a) {
    constexpr double gap = 4;
    std::string out;
    for (const Level& level : a.chart.levels) {
        if (level.y <= a.low || level.y >= a.high) continue;
        const double y = a.level(level.y);
        out += fmt::format("<line class=\"mark\" x1=\"{:g}\" x2=\"{:g}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", a.left,
                           a.right, y, y);
        out += fmt::format("<text class=\"marktext\" x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                           a.right - gap, y - gap, escaped(level.name));
    }
    return out;
}

/// The indices that are drawn: all or, if there are too many, the lowest, the highest and the first missing value of
/// each stretch.
std::vector<std::size_t> drawn(const std::vector<std::optional<double>>& y) {
    std::vector<std::size_t> keep;
    if (y.size() <= most_points) {
        for (std::size_t i = 0; i < y.size(); ++i) keep.push_back(i);
        return keep;
    }
    const std::size_t buckets = most_points / 2;
    for (std::size_t b = 0; b < buckets; ++b) {
        const std::size_t begin = b * y.size() / buckets, end = (b + 1) * y.size() / buckets;
        std::optional<std::size_t> low, high, missing;
        for (std::size_t i = begin; i < end; ++i) {
            if (!y[i] || std::isnan(*y[i])) {
                if (!missing) missing = i;
                continue;
            }
            if (!low || *y[i] < *y[*low]) low = i;
            if (!high || *y[i] > *y[*high]) high = i;
        }
        std::set<std::size_t> kept;
        for (const auto& i : {low, high, missing})
            if (i) kept.insert(*i);
        keep.insert(keep.end(), kept.begin(), kept.end());
    }
    return keep;
}

std::string lines(const Area& a) {
    std::string out;
    for (const Series& s : a.chart.series) {
        std::string path, stretch;
        double first = 0, last = 0;
        int points = 0;
        const auto end_stretch = [&] {
            if (points == 1)
                out += fmt::format("<circle class=\"dot s{}\" cx=\"{:.1f}\" cy=\"{}\" r=\"3\"/>\n", s.colour, first,
                                   stretch.substr(stretch.find(',') + 1));
            if (points > 1 && s.area)
                out += fmt::format("<path class=\"area s{}\" d=\"M{:.1f},{:g} L{} L{:.1f},{:g} Z\"/>\n", s.colour,
                                   first, a.bottom, stretch, last, a.bottom);
            if (points > 1) path += "M" + stretch;
            stretch.clear();
            points = 0;
        };
        for (const std::size_t i : drawn(s.y)) {
            const std::optional<double>& v = s.y[i];
            if (v ? std::isnan(*v) : !a.chart.missing_on_top) {
                end_stretch();
                continue;
            }
            last = a.across(a.chart.x[i]);
            if (points++ == 0) first = last;
            stretch += fmt::format("{}{:.1f},{:.1f}", points > 1 ? " " : "", last, v ? a.level(*v) : a.top);
        }
        end_stretch();
        if (!path.empty())
            out += fmt::format("<path class=\"line s{}{}\" d=\"{}\"/>\n", s.colour, s.dashed ? " dashed" : "", path);
    }
    return out;
}

/// The values that are shown below the pointer, as JSON in an attribute.
std::string readings(const Chart& chart) {
    // Only a few digits, since nobody reads more, and a long video has many frames.
    const auto value = [&](const std::optional<double>& v) {
        if (!v || !std::isfinite(*v)) return Json();
        const std::string text = fmt::format("{:.{}g}", *v, chart.digits + 3);
        double rounded = 0;
        std::from_chars(text.data(), text.data() + text.size(), rounded); // does not depend on the locale
        return Json(rounded);
    };
    Json series = Json::array();
    for (const Series& s : chart.series) {
        Json y = Json::array();
        for (const auto& v : s.y) y.push_back(value(v));
        series.push_back({{"name", s.name}, {"y", std::move(y)}});
    }
    const Json all{
        {"width", chart.width},       {"left", left_margin}, {"right", chart.width - right_margin},
        {"axis", chart.x_name},       {"x", chart.x},        {"none", chart.missing_on_top ? "equal" : "none"},
        {"series", std::move(series)}};
    std::string quoted;
    for (const char c : all.dump(-1, ' ', true, Json::error_handler_t::replace))
        quoted += c == '"' ? "&quot;" : c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
    return quoted;
}

/// A text for those who cannot see the chart.
std::string told(const Chart& chart) {
    std::string out = chart.title;
    for (const Series& s : chart.series) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const auto& v : s.y)
            if (v) low = std::min(low, *v), high = std::max(high, *v);
        out += low <= high ? fmt::format("; {} from {:.4g} to {:.4g} {}", s.name, low, high, chart.unit)
                           : "; " + s.name + ": no values";
    }
    return out;
}

} // namespace

std::vector<double> ticks(double low, double high, int count) {
    assert(count > 0);
    if (!(high > low)) return {low};
    const double raw = (high - low) / count, magnitude = std::pow(10, std::floor(std::log10(raw)));
    double step = 10 * magnitude;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * magnitude >= raw * (1 - 1e-9)) {
            step = factor * magnitude;
            break;
        }
    std::vector<double> all;
    for (auto k = std::int64_t(std::ceil(low / step - 1e-9)); double(k) * step <= high + 1e-9 * step; ++k)
        all.push_back(double(k) * step);
    return all;
}

std::string figure(const Chart& chart) {
    for ([[maybe_unused]] const Series& s : chart.series) assert(s.y.size() == chart.x.size());
    const Area area = area_of(chart);
    std::string out =
        fmt::format("<figure class=\"chart\" data-chart=\"{}\">\n<figcaption><span>{}{}</span>", readings(chart),
                    escaped(chart.title),
                    chart.unit.empty() ? "" : fmt::format(" <span class=\"faint\">{}</span>", escaped(chart.unit)));
    for (const Series& s : chart.series)
        if (chart.legend && chart.series.size() > 1)
            out += fmt::format("<span class=\"legend\"><i class=\"s{}{}\"></i>{}</span>", s.colour,
                               s.dashed ? " dashed" : "", escaped(s.name));
    out += fmt::format("<span class=\"readout\"></span></figcaption>\n<svg viewBox=\"0 0 {0} {1}\" "
                       "style=\"--wide:{0}px\" role=\"img\" "
                       "aria-label=\"{2}\">\n",
                       chart.width, chart.height, escaped(told(chart)));
    out += grid(area) + x_axis(area) + levels(area) + lines(area);
    out += fmt::format("<line class=\"pointer\" x1=\"0\" x2=\"0\" y1=\"{:g}\" y2=\"{:g}\"/>\n</svg>\n</figure>\n",
                       area.top, area.bottom);
    return out;
}

} // namespace denoir::report

// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/trace_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/compare/trace_map.h"
#include "engine/report/html.h"

namespace denoir {
namespace {

using metrics::LayerError;
using metrics::TraceComparison;
using report::escaped;

std::string colour(double error) {
    const auto [red, green, blue] = error_colour(error_level(error));
    return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue);
}

/// A mark of the scale from 1e-8 to 1. Errors beyond its ends, among them 0, are drawn at the ends.
std::string power_of_ten(int exponent) {
    return exponent == -8 ? "≤1e-8" : exponent == 0 ? "≥1" : fmt::format("1e{}", exponent);
}

std::string described(const LayerError& l) {
    const auto& d = l.difference;
    const std::string column = l.parts.column();
    return fmt::format("{}{}: relative {}, largest {:.3g} ({} of the mean norm), cosine {:.7f}, {} | {}{}",
                       l.parts.row(), column.empty() ? "" : ", " + column, error_text(d.relative()), d.max_abs,
                       error_text(d.normalised()), d.cosine, info(d.dtype_a).name, info(d.dtype_b).name,
                       l.generated ? "; error made here" : "");
}

/// The column of the first error; else that of the first layer of a transformer that has a step; else the first.
std::string plotted_column(const TraceComparison& c) {
    if (c.first) return c.layers[*c.first].parts.column();
    for (const LayerError& l : c.layers)
        if (l.parts.step && l.parts.component.starts_with("transformer")) return l.parts.column();
    return c.layers.empty() ? std::string() : c.layers.front().parts.column();
}

struct Axis {
    double left, right, top, bottom;
    double y(double error) const { return bottom + (top - bottom) * error_level(error); }
};

/// The layers of one column from left to right, each as wide as the others.
struct LayerPlot {
    static constexpr double width = 1120, height = 330;
    std::vector<const LayerError*> layers;
    Axis axis{52, width - 14, 14, height - 58};

    double step() const { return (axis.right - axis.left) / double(std::max<std::size_t>(layers.size(), 2)); }
    double x(std::size_t i) const { return axis.left + (double(i) + 0.5) * step(); }

    std::string powers_of_ten() const;
    /// A line where each block begins, with the block's name if there is room for it.
    std::string blocks() const;
    std::string curves() const;
    std::string points(const LayerError* first) const;
};

std::string LayerPlot::powers_of_ten() const {
    std::string svg;
    for (int e = -8; e <= 0; ++e) {
        const double y = axis.y(std::pow(10.0, e));
        svg += fmt::format(
            "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text x=\"{}\" y=\"{:.1f}\" "
            "text-anchor=\"end\">{}</text>\n",
            axis.left, axis.right, y, y, axis.left - 8, y + 4, power_of_ten(e));
    }
    return svg;
}

std::string LayerPlot::blocks() const {
    std::string svg, block;
    double labelled = 0; // where the last label ends
    constexpr double letter = 7.4;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::string here = block_name(layers[i]->parts.layer);
        const double edge = x(i) - step() / 2, wide = letter * double(std::min<std::size_t>(here.size(), 15)),
                     label = std::min(edge + 2, width - wide);
        if (here != block && label > labelled + 12) {
            svg += fmt::format(
                "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{3:.1f}\" "
                "y=\"{4}\">{5}</text>\n",
                edge, axis.top, axis.bottom + 5, label, axis.bottom + 18,
                escaped(here.size() > 15 ? here.substr(0, 14) + "…" : here));
            labelled = label + wide;
        }
        block = here;
    }
    return svg;
}

std::string LayerPlot::curves() const {
    std::string line = "M", expected = "M";
    for (std::size_t i = 0; i < layers.size(); ++i) {
        line += fmt::format("{}{:.1f} {:.1f}", i ? "L" : "", x(i), axis.y(layers[i]->difference.relative()));
        expected += fmt::format("{}{:.1f} {:.1f}", i ? "L" : "", x(i), axis.y(layers[i]->expected));
    }
    return fmt::format(
        "<path class=\"line s4\" stroke-dasharray=\"5 4\" d=\"{}\"/>\n<path class=\"line s0\" d=\"{}\"/>\n", expected,
        line);
}

std::string LayerPlot::points(const LayerError* first) const {
    std::string svg;
    const double radius = layers.size() > 400 ? 1.6 : 2.8;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const LayerError& l = *layers[i];
        svg += fmt::format("<circle class=\"dot {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>\n",
                           l.generated ? "bad" : "s0", x(i), axis.y(l.difference.relative()),
                           l.generated ? radius + 1.2 : radius, escaped(described(l)));
        if (&l == first) {
            const bool left_half = x(i) < width / 2;
            svg += fmt::format("<line class=\"bad\" stroke=\"currentColor\" stroke-width=\"1.5\" x1=\"{0:.1f}\" "
                               "x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text class=\"bad\" style=\"fill:currentColor;"
                               "font-weight:600\" x=\"{3:.1f}\" y=\"{4}\" text-anchor=\"{5}\">begins in {6}</text>\n",
                               x(i), axis.top, axis.bottom, x(i) + (left_half ? 6 : -6), axis.top + 12,
                               left_half ? "start" : "end", escaped(l.parts.layer));
        }
    }
    return svg;
}

} // namespace

std::string layer_plot(const TraceComparison& c) {
    const std::string column = plotted_column(c);
    LayerPlot plot;
    for (const LayerError& l : c.layers)
        if (l.parts.column() == column) plot.layers.push_back(&l);
    if (plot.layers.empty()) return {};
    std::string svg = fmt::format("<svg viewBox=\"0 0 {0} {1}\" style=\"--wide:{0}px\" role=\"img\" "
                                  "aria-label=\"relative error of {2} layers in the "
                                  "order of execution, logarithmic\">\n",
                                  plot.width, plot.height, plot.layers.size());
    svg += plot.powers_of_ten() + plot.blocks() + plot.curves() + plot.points(c.first ? &c.layers[*c.first] : nullptr);
    svg +=
        fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">layers in the order of execution</text>\n</svg>\n",
                    (plot.axis.left + plot.axis.right) / 2, plot.height - 10);
    return fmt::format("<figure class=\"chart\"><figcaption>Relative error, layer by layer{}"
                       "<span class=\"legend\"><i class=\"s0\"></i>found</span><span class=\"legend\"><i "
                       "class=\"s4\"></i>explained by rounding and "
                       "by the inputs' error</span></figcaption>\n{}</figure>\n",
                       column.empty() ? "" : ": " + escaped(column), svg);
}

namespace {

constexpr std::size_t most_rows = 170;

/// Cells without error are hollow: the pale end of the scale looks like the bare page, which means that there is no
/// layer.
std::string filling(const TraceMap::Cell& cell) {
    if (cell.generated) return fmt::format("fill=\"{}\" stroke=\"#e0245e\" stroke-width=\"1.6\"", colour(cell.error));
    if (cell.error == 0) return "class=\"grid\" style=\"fill:transparent;stroke:var(--faint)\"";
    return fmt::format("fill=\"{}\"", colour(cell.error));
}

std::string draw(const TraceComparison& c, const TraceMap& m) {
    std::size_t longest = 4, longest_column = 4;
    for (const std::string& row : m.rows) longest = std::max(longest, row.size());
    for (const std::string& column : m.columns) longest_column = std::max(longest_column, column.size());
    const double left = std::min(330.0, 10 + 6.4 * double(longest)), top = 14 + 4.6 * double(longest_column);
    const double cell = std::clamp((1120 - left) / double(m.columns.size()), 2.0, 46.0), high = 13;
    const double width = std::max(420.0, left + cell * double(m.columns.size()) + 60),
                 height = top + high * double(m.rows.size()) + 8;
    std::string svg =
        fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:{0:.0f}px;--wide:{0:.0f}px\" role=\"img\" "
                    "aria-label=\"error of {2} layers in {3} columns\">\n",
                    width, height, m.rows.size(), m.columns.size());
    const std::size_t every = std::max<std::size_t>(1, std::size_t(std::ceil(13 / cell)));
    for (std::size_t i = 0; i < m.columns.size(); i += every)
        svg +=
            fmt::format("<text style=\"font-size:10px\" transform=\"translate({:.1f} {:.1f}) rotate(-50)\">{}</text>\n",
                        left + (double(i) + 0.6) * cell, top - 5, escaped(m.columns[i]));
    for (std::size_t i = 0; i < m.rows.size(); ++i)
        svg += fmt::format("<text style=\"font-size:10.5px\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                           left - 7, top + (double(i) + 0.78) * high, escaped(m.rows[i]));
    for (const auto& [at, value] : m.cells)
        svg +=
            fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}><title>{}</title>"
                        "</rect>\n",
                        left + double(at.second) * cell + 0.5, top + double(at.first) * high + 0.5,
                        std::max(cell - 2, 1.0), high - 2, filling(value), escaped(described(c.layers[value.layer])));
    return svg + "</svg>\n";
}

/// The colours and what they mean.
std::string scale() {
    std::string svg =
        "<svg viewBox=\"0 0 424 34\" style=\"max-width:424px\" role=\"img\" aria-label=\"scale of the colours, "
        "1e-8 to 1\">\n";
    for (int i = 0; i < 80; ++i)
        svg += fmt::format("<rect x=\"{:.1f}\" y=\"2\" width=\"5.2\" height=\"12\" fill=\"{}\"/>", 14 + i * 5.0,
                           colour(std::pow(10.0, -8 + i / 10.0)));
    for (int e = -8; e <= 0; e += 2)
        svg += fmt::format("<text x=\"{}\" y=\"28\" text-anchor=\"middle\" style=\"font-size:11px\">{}</text>",
                           14 + (e + 8) * 50, power_of_ten(e));
    return svg + "</svg>\n";
}

} // namespace

std::string layer_maps(const TraceComparison& c) {
    std::string out =
        "<div class=\"panel\">" + scale() +
        "<p class=\"small faint\">Length of the difference over the length of B. Framed in red: the error is made "
        "there. Hollow: equal to the bit. Nothing: no such layer there.</p></div>\n";
    for (const std::string& component : components_of(c)) {
        TraceMap m = trace_map(c, component, false);
        if (m.rows.size() > most_rows) m = trace_map(c, component, true);
        out += fmt::format("<figure class=\"chart\" style=\"margin-top:14px\"><figcaption>{}{}</figcaption>\n{}"
                           "</figure>\n",
                           escaped(component.empty() ? "layers" : component),
                           m.by_block ? "<span class=\"legend\">each block with its largest error</span>" : "",
                           draw(c, m));
    }
    return out;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/trace_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "engine/compare/report_parts.h"
#include "engine/compare/step_divergence.h"
#include "engine/compare/trace_map.h"
#include "engine/compare/trace_plots.h"
#include "engine/core/error.h"
#include "engine/report/chart.h"
#include "engine/report/html.h"

namespace denoir {
namespace {

using metrics::LayerError;
using metrics::TraceComparison;
using report::escaped;

constexpr std::size_t most_names = 60, most_table_rows = 3000;

std::string about(const std::map<std::string, std::string>& metadata) {
    std::string out;
    for (const char* key : {"source", "device"}) {
        const auto it = metadata.find(key);
        if (it == metadata.end()) continue;
        out += (out.empty() ? "" : ", ") + printable(it->second, 80);
    }
    return out.empty() ? "no description in the file" : out;
}

std::string head(const TraceComparison& c) {
    const char* mood = c.first || !c.shapes.empty() || c.missing() > 0 ? "bad" : c.mixed ? "fair" : "good";
    const char* word = c.first             ? "they part"
                       : !c.shapes.empty() ? "sizes differ"
                       : c.missing() > 0   ? "tensors are missing"
                       : c.identical()     ? "identical"
                       : !c.begins         ? "equal in value"
                       : c.mixed           ? "apart by rounding alone"
                                           : "they agree";
    std::string heading = "Layer by layer";
    if (c.first) {
        const metrics::TraceKey& at = c.layers[*c.first].parts;
        heading = (metrics::is_given(at) ? "They are given different " : "The error begins in ") + escaped(at.layer);
    }
    const auto side = [](const char* key, const std::string& letter, const std::string& name,
                         const std::map<std::string, std::string>& metadata) {
        return fmt::format(
            "<div class=\"panel side\"><span class=\"key {}\">{}</span><div>{}<br><span class=\"small faint\">{}"
            "</span></div></div>\n",
            key, letter, escaped(name),
            escaped(about(metadata) + (letter == "B" ? "; errors are measured against it" : "")));
    };
    return fmt::format(
        "<p class=\"eyebrow\">Denoir: two traces compared</p>\n<h1>{}</h1>\n<p><span class=\"badge {}\">{}</span>"
        "</p>\n<p class=\"lead\">{}</p>\n<section class=\"pair\">{}{}</section>\n",
        heading, mood, word, escaped(c.verdict), side("a", "A", c.name_a, c.about_a),
        side("b", "B", c.name_b, c.about_b));
}

std::string figures(const TraceComparison& c) {
    std::size_t equal = 0, made = 0;
    double lowest = 1;
    for (const LayerError& l : c.layers) {
        equal += l.difference.same_bits;
        made += l.generated;
        lowest = std::min(lowest, l.difference.cosine);
    }
    std::vector<report::Tile> tiles{
        {"Tensors compared", fmt::format("{}", c.layers.size()), fmt::format("{} equal to the bit", equal)},
        {"Largest normalised error", error_text(c.worst_normalised()),
         c.begins ? c.layers[*c.worst].parts.layer : std::string()},
        {"Lowest cosine", fmt::format("{:.{}f}", lowest, lowest < 0.99 ? 4 : 7), ""},
        {"Layers that make error", fmt::format("{}", made), "more than rounding and inputs explain"},
        {"In one trace alone", fmt::format("{}", c.only_a.size() + c.only_b.size()),
         fmt::format("{} in A, {} in B", c.only_a.size(), c.only_b.size())}};
    return "<section>" + report::tiles(tiles) + "</section>\n";
}

std::string requests(const TraceComparison& c) {
    std::vector<std::vector<std::string>> rows{{"setting", "A", "B"}};
    for (const SettingDifference& s : request_differences(c)) rows.push_back({s.key, s.a, s.b});
    if (rows.size() == 1) return {};
    return report::section("Made with different settings",
                           "<div class=\"panel\">" + report::table(rows, 3) + "</div>\n");
}

std::vector<std::string> table_head() {
    return {"layer", "where", "dtypes", "largest", "normalised", "relative", "of inputs", "cosine"};
}

std::vector<std::string> table_row(const LayerError& l) {
    const auto& d = l.difference;
    return {l.parts.row(),
            l.parts.column(),
            d.dtype_a == d.dtype_b ? std::string(info(d.dtype_a).name)
                                   : fmt::format("{} | {}", info(d.dtype_a).name, info(d.dtype_b).name),
            fmt::format("{:.3g}", d.max_abs),
            error_text(d.normalised()),
            error_text(d.relative()),
            error_text(l.inherited),
            fmt::format("{:.7f}", d.cosine)};
}

/// Error that a layer adds to that of its inputs.
double made(const LayerError& l) {
    if (!std::isfinite(l.relative)) return l.relative;
    return std::sqrt(std::max(0.0, l.relative * l.relative - l.inherited * l.inherited));
}

std::string makers(const TraceComparison& c) {
    std::map<std::string, const LayerError*> worst; // each layer where it makes most
    for (const LayerError& l : c.layers) {
        const LayerError*& place = worst[l.parts.row()];
        if (made(l) > 0 && (!place || made(l) > made(*place))) place = &l;
    }
    std::vector<const LayerError*> order;
    for (const auto& [row, l] : worst)
        if (l) order.push_back(l);
    std::ranges::stable_sort(order, std::greater(), [](const LayerError* l) { return made(*l); });
    if (order.empty()) return {};
    std::vector<std::vector<std::string>> rows{{"layer", "where", "error of inputs", "of the result", "made here"}};
    bool any_too_much = false;
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 15); ++i) {
        const LayerError& l = *order[i];
        any_too_much |= l.generated;
        rows.push_back({l.parts.row(), l.parts.frame ? "all frames" : l.parts.column(), error_text(l.inherited),
                        error_text(l.relative), error_text(made(l)) + (l.generated ? ", too much" : "")});
    }
    return report::section("Where most of the error is made",
                           "<div class=\"panel\">" + report::table(rows, 2) +
                               "<p class=\"small faint\">Lengths of differences over lengths of B." +
                               (any_too_much ? " Too much: more than rounding and the inputs explain." : "") +
                               "</p></div>\n");
}

/// Each layer once, at its worst.
std::string every_layer(const TraceComparison& c) {
    std::vector<const LayerError*> order;
    std::map<std::string, std::size_t> known;
    for (const LayerError& l : c.layers) {
        const auto [it, is_new] = known.try_emplace(l.parts.row(), order.size());
        if (is_new)
            order.push_back(&l);
        else if (l.difference.normalised() > order[it->second]->difference.normalised())
            order[it->second] = &l;
    }
    std::vector<std::vector<std::string>> rows{table_head()};
    for (std::size_t i = 0; i < std::min(order.size(), most_table_rows); ++i) rows.push_back(table_row(*order[i]));
    const std::string note = order.size() > most_table_rows
                                 ? fmt::format("<p class=\"small faint\">The first {} of {}; --csv has all.</p>",
                                               most_table_rows, order.size())
                                 : "";
    return report::section("Every layer at its worst",
                           fmt::format("<div class=\"panel\"><details{}><summary>{} layers</summary>"
                                       "{}{}</details></div>\n",
                                       order.size() <= 40 ? " open" : "", order.size(), note, report::table(rows, 3)));
}

std::string spread(const TraceComparison& c, const TraceFiles& files) {
    const std::optional<std::size_t> which = c.first ? c.first : c.worst;
    if (!which || c.layers[*which].difference.elements == 0) return {};
    const LayerError& l = c.layers[*which];
    const metrics::PairHistograms h = files.histograms(l.key);
    report::Chart values, errors;
    values.title = "Values of " + l.parts.layer;
    values.unit = "% of values";
    values.x_name = "value";
    values.width = errors.width = 560;
    values.low = 0;
    for (std::size_t i = 0; i < h.a.size(); ++i)
        values.x.push_back(h.low + (h.high - h.low) * (double(i) + 0.5) / double(h.a.size()));
    values.series = {{"A", 0, report::shares(h.a), true}, {"B", 1, report::shares(h.b), false}};
    errors.title = "Differences";
    errors.unit = "% of those that differ";
    errors.x_name = "power of ten";
    errors.low = 0;
    std::vector<std::uint64_t> counts = h.error; // without the powers of ten above the largest
    while (counts.size() > 2 && counts.back() == 0) counts.pop_back();
    for (std::size_t i = 0; i < counts.size(); ++i) errors.x.push_back(double(h.error_low) + double(i));
    errors.series = {{"|a - b|", 2, report::shares(counts), true}};
    errors.legend = false;
    const auto& d = l.difference;
    return report::section(
        c.first ? "The layer in which the error begins" : "The layer with the largest error",
        fmt::format("<p>{} {}: largest difference {:.4g} at element {} ({:.6g} in A, {:.6g} in B); {} of {} "
                    "values are equal.</p>\n<div class=\"two\">\n{}{}</div>\n",
                    escaped(l.parts.row()), escaped(l.parts.column()), d.max_abs, d.worst, d.worst_a, d.worst_b,
                    h.equal, d.elements, figure(values), figure(errors)));
}

/// How the latents of the two runs drift apart.
std::string steps(const TraceComparison& c) {
    std::map<int, std::pair<std::optional<double>, std::optional<double>>> found;
    for (const LayerError& l : c.layers) {
        if (l.parts.component != "sampler" || !l.parts.step || !std::isfinite(l.difference.relative())) continue;
        if (l.parts.layer == "latent") found[*l.parts.step].first = l.difference.relative();
        if (l.parts.layer == "x0") found[*l.parts.step].second = l.difference.relative();
    }
    std::vector<double> numbers;
    std::vector<std::optional<double>> latent, x0;
    for (const auto& [step, values] : found) {
        numbers.push_back(step);
        latent.push_back(values.first);
        x0.push_back(values.second);
    }
    const report::Chart chart = step_chart(numbers, latent, x0);
    return chart.series.empty() ? std::string() : figure(chart);
}

std::string names(const char* what, const std::vector<std::string>& all) {
    if (all.empty()) return {};
    std::string out = fmt::format("<details><summary>{} {}</summary><ul class=\"notes small\">", all.size(), what);
    for (std::size_t i = 0; i < std::min(all.size(), most_names); ++i) out += "<li>" + escaped(all[i]) + "</li>";
    if (all.size() > most_names) out += fmt::format("<li>and {} more</li>", all.size() - most_names);
    return out + "</ul></details>\n";
}

std::string not_compared(const TraceComparison& c) {
    if (c.only_a.empty() && c.only_b.empty() && c.shapes.empty()) return {};
    std::string body = names("tensors are missing in A", c.missing_in_a) +
                       names("tensors are missing in B", c.missing_in_b) + names("tensors in A alone", c.alone_in_a()) +
                       names("tensors in B alone", c.alone_in_b());
    if (!c.shapes.empty()) {
        std::vector<std::vector<std::string>> rows{{"tensor", "shape in A", "shape in B"}};
        for (std::size_t i = 0; i < std::min(c.shapes.size(), most_names); ++i)
            rows.push_back({c.shapes[i].key, to_string(c.shapes[i].a), to_string(c.shapes[i].b)});
        body += fmt::format("<p>{} tensors have other shapes:</p>", c.shapes.size()) + report::table(rows, 3);
    }
    return report::section("Not compared", "<div class=\"panel\">" + body + "</div>\n");
}

std::string pictures(const PicturePart& p) {
    report::Chart psnr;
    psnr.title = "PSNR of each frame";
    psnr.unit = "dB";
    psnr.x_name = "frame";
    psnr.height = 200;
    psnr.missing_on_top = true;
    psnr.legend = false;
    report::Series series{"PSNR", 0, {}, false};
    for (std::size_t i = 0; i < p.frames.size(); ++i) psnr.x.push_back(double(i)), series.y.push_back(p.frames[i].psnr);
    psnr.series = {series};
    std::string body =
        fmt::format("<p class=\"lead\">{}</p>\n", escaped(p.verdict)) + (p.frames.size() > 1 ? figure(psnr) : "");
    for (const auto& pair : p.shown)
        body += report::pair_panel(
            std::to_string(pair.index), p.frames[pair.index],
            {pair.a, pair.b, pair.difference, "A: " + p.label_a, "B: " + p.label_b, double(p.amplified)});
    return report::section("What it means in the picture", body);
}

} // namespace

std::string trace_report(const TraceComparison& c, const TraceFiles* files, const std::optional<PicturePart>& shown) {
    std::string body = head(c) + figures(c);
    body += requests(c);
    if (shown) body += pictures(*shown);
    if (c.begins) {
        body += report::section("Where they part", layer_plot(c) + steps(c));
        if (files) body += spread(c, *files);
        body += makers(c);
    }
    body += report::section("Map of layers and steps", layer_maps(c));
    body += not_compared(c) + every_layer(c);
    body +=
        "<footer>Relative: length of the difference over the length of B. Normalised: largest difference over the mean "
        "absolute value of B. Made here: more than five times (mixed dtypes: four times) what rounding and the inputs' "
        "error "
        "explain.</footer>\n";
    return report::page("Traces compared", body);
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/compare/report_parts.h"
#include "engine/compare/sweep_grid.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/report/chart.h"
#include "engine/report/html.h"

namespace denoir {
namespace {

using report::escaped;
using report::figure_text;

constexpr std::size_t colours = 6, most_lines = 2 * colours; ///< of a chart: whole lines, then dashed ones

bool measured(const SweepCell& c) { return c.figures && c.figures->measured(); }

bool varies(const SweepAxis& axis) { return axis.values.size() > 1; }

/// The request's fields that no axis varies, as they were asked for.
Json common(const Sweep& sweep) {
    Request base = sweep.request;
    for (const SweepAxis& axis : sweep.axes)
        if (!varies(axis)) set_axis_value(base, axis.field, axis.values[0], {});
    Json request = asked_json(base);
    request.erase("schema");
    for (const SweepAxis& axis : sweep.axes) {
        if (!varies(axis)) continue;
        if (axis.field == "size") request.erase("width"), request.erase("height");
        std::string place = "/" + axis.field;
        std::ranges::replace(place, '.', '/');
        const Json::json_pointer pointer(place);
        if (!request.contains(pointer)) continue;
        Json& whole = request[pointer.parent_pointer()];
        whole.erase(pointer.back());
        if (axis.field == "start.step") whole.erase("sha256"); // the checksum of that step's latents
        const std::string top(top_key(axis.field));
        // The whole object is left out if nothing else is in it. Of several LoRAs the others stay.
        if (whole.empty() && std::ranges::all_of(request[top], [](const Json& part) { return part.empty(); }))
            request.erase(top);
    }
    return request;
}

/// "2026-11-27 15:23 UTC" of "2026-11-27T15:23:52.248Z"
std::string moment(std::string iso) {
    if (iso.size() < 16 || iso[10] != 'T') return iso;
    iso[10] = ' ';
    return iso.substr(0, 16) + " UTC";
}

std::string head(const SweepRecord& record) {
    const Sweep& sweep = record.sweep;
    std::string axes;
    for (const SweepAxis& axis : sweep.axes)
        axes += fmt::format("{}{} {}", axes.empty() ? "" : ", ", axis_title(axis.field), axis_text(axis));
    std::string out =
        fmt::format("<p class=\"eyebrow\">Denoir sweep</p>\n<h1>{}</h1>\n", escaped(printable(axes, 300)));
    if (const Json settings = common(sweep); settings.contains("prompt"))
        out += fmt::format("<p class=\"lead\">{}</p>\n",
                           escaped(printable(settings["prompt"].get_ref<const std::string&>(), 600)));
    return out + fmt::format("<p class=\"faint\">{}, begun {}.</p>\n", counted(sweep.size(), "clip"),
                             escaped(moment(record.created)));
}

std::string tiles(const SweepRecord& record) {
    std::size_t done = 0, reused = 0, failed = 0;
    double seconds = 0;
    std::optional<std::size_t> best, worst;
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const SweepCell& c = record.cells[i];
        done += c.state == SweepCell::State::done;
        failed += c.state == SweepCell::State::failed;
        reused += c.state == SweepCell::State::done && c.reused;
        seconds += c.reused ? 0 : c.seconds;
        if (!measured(c) || !c.figures->psnr) continue;
        if (!best || *c.figures->psnr > *record.cells[*best].figures->psnr) best = i;
        if (!worst || *c.figures->psnr < *record.cells[*worst].figures->psnr) worst = i;
    }
    std::vector<report::Tile> all{{"Done", fmt::format("{} of {}", done, record.cells.size()),
                                   failed   ? fmt::format("{} failed", failed)
                                   : reused ? fmt::format("{} were there before", reused)
                                            : ""},
                                  {"Rendering", fmt::format("{:.1f} s", seconds), "in all"}};
    if (best) {
        all.push_back({"Nearest to its reference", report::decibels(record.cells[*best].figures->psnr),
                       record.sweep.label(*best)});
        all.push_back({"Furthest", report::decibels(record.cells[*worst].figures->psnr), record.sweep.label(*worst)});
    }
    return "<section>\n" + report::tiles(all) + "</section>\n";
}

std::string picture(const Image& grid) {
    if (grid.rgb.empty()) return {};
    return report::section(
        "Side by side",
        fmt::format("<div class=\"worst panel\"><img class=\"own\" alt=\"every clip's frame in the middle\" "
                    "src=\"{}\"></div>\n<p class=\"small faint\">The frame in the middle of each "
                    "clip.</p>\n",
                    report::png_uri(encode_png(grid))));
}

std::string table(const SweepRecord& record) {
    std::vector<std::vector<std::string>> rows{{}};
    for (const SweepAxis& axis : record.sweep.axes) rows[0].push_back(axis_title(axis.field));
    const std::size_t values = rows[0].size();
    std::set<std::size_t> references;
    for (std::size_t i = 0; i < record.cells.size(); ++i)
        if (const auto reference = record.sweep.reference_of(i)) references.insert(*reference);
    for (const char* column : {"state", "held against", "PSNR, dB", "SSIM", "worst frame", "seconds"})
        rows[0].push_back(column);
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const SweepCell& c = record.cells[i];
        std::vector<std::string> row;
        const std::vector<std::size_t> at = record.sweep.place(i);
        for (std::size_t a = 0; a < values; ++a) {
            const std::string number = SweepGrid::number(record.sweep.axes[a], at[a]);
            row.push_back((number.empty() ? "" : number + ": ") + value_text(record.sweep.axes[a], at[a], 120));
        }
        std::string state(name(c.state));
        if (c.error) state += ": " + std::string(c.error->what());
        if (c.state == SweepCell::State::done && c.reused) state = "was there";
        row.push_back(state);
        row.push_back(c.figures ? record.sweep.label(c.figures->reference) +
                                      (c.figures->note.empty() ? "" : " (" + c.figures->note + ")")
                      : references.contains(i) ? "is the reference"
                                               : "");
        const bool figures = measured(c);
        row.push_back(figures ? figure_text(c.figures->psnr, 2, "equal") : "");
        row.push_back(figures ? figure_text(c.figures->ssim, 4) : "");
        row.push_back(figures && c.figures->worst_frame ? std::to_string(*c.figures->worst_frame) : "");
        row.push_back(c.seconds > 0 ? fmt::format("{:.1f}", c.seconds) : "");
        rows.push_back(std::move(row));
    }
    return report::section("Every clip", "<div class=\"panel\">" + report::table(rows, values + 2) + "</div>\n");
}

/// A chart of one value of the cells over an axis of numbers, with a line for each combination of the other axes.
report::Chart over_axis(const SweepRecord& record, std::size_t axis, std::string title, std::string unit, int digits,
                        const std::function<std::optional<double>(const SweepCell&)>& value) {
    const Sweep& sweep = record.sweep;
    std::vector<std::size_t> order(sweep.axes[axis].values.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto number = [&](std::size_t i) { return sweep.axes[axis].values[i].get<double>(); };
    std::ranges::sort(order, {}, number);
    report::Chart chart;
    chart.title = std::move(title);
    chart.unit = std::move(unit);
    chart.x_name = axis_title(sweep.axes[axis].field);
    chart.digits = digits;
    for (const std::size_t i : order) chart.x.push_back(number(i));
    std::vector<std::size_t> others;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a)
        if (a != axis) others.push_back(a);
    std::size_t more = 0;
    for (std::size_t cell = 0; cell < sweep.size(); ++cell) {
        std::vector<std::size_t> at = sweep.place(cell);
        if (at[axis] != 0) continue;
        report::Series line;
        line.name = sweep.label(cell, 24, others);
        line.colour = int(chart.series.size() % colours);
        line.dashed = chart.series.size() >= colours;
        for (const std::size_t i : order) {
            at[axis] = i;
            line.y.push_back(value(record.cells[sweep.cell(at)]));
        }
        if (std::ranges::none_of(line.y, [](const auto& v) { return v.has_value(); })) continue;
        if (chart.series.size() < most_lines)
            chart.series.push_back(std::move(line));
        else
            ++more;
    }
    if (more > 0)
        chart.unit += fmt::format("; {} of {} combinations are drawn", chart.series.size(), chart.series.size() + more);
    chart.legend = chart.series.size() > 1;
    return chart;
}

/// Whether a line has two points. With less, the table says as much.
bool has_curve(const report::Chart& chart) {
    return std::ranges::any_of(chart.series, [](const report::Series& s) {
        return std::ranges::count_if(s.y, [](const auto& v) { return v.has_value(); }) > 1;
    });
}

std::string curves(const SweepRecord& record) {
    std::string out;
    for (std::size_t a = 0; a < record.sweep.axes.size(); ++a) {
        const SweepAxis& axis = record.sweep.axes[a];
        // A line over seeds would mean nothing.
        if (axis.field == "seed" || axis.values.size() < 2 ||
            !std::ranges::all_of(axis.values, [](const Json& v) { return v.is_number(); }))
            continue;
        const std::string title = axis_title(axis.field);
        const report::Chart psnr = over_axis(record, a, "PSNR over " + title, "dB, higher is nearer to the reference",
                                             2, [](const SweepCell& c) -> std::optional<double> {
                                                 if (!measured(c)) return std::nullopt;
                                                 return c.figures->psnr;
                                             });
        const report::Chart seconds =
            over_axis(record, a, "Seconds over " + title, "s", 1, [](const SweepCell& c) -> std::optional<double> {
                if (c.seconds <= 0) return std::nullopt;
                return c.seconds;
            });
        for (const report::Chart& chart : {psnr, seconds})
            if (has_curve(chart)) out += figure(chart);
    }
    return out.empty() ? out : report::section("Over the axes", out);
}

std::string base(const SweepRecord& record) {
    std::vector<std::vector<std::string>> rows{{"setting", "all clips"}};
    const Json settings = common(record.sweep);
    for (const auto& [key, value] : settings.items()) rows.push_back({key, printable(one_line(value), 400)});
    return report::section("What all have in common",
                           "<div class=\"panel\">" + report::table(rows, 2) +
                               "<p class=\"small faint\">What is not named varies, or is the "
                               "model's default.</p></div>\n");
}

} // namespace

std::string sweep_report(const SweepRecord& record, const Image& grid) {
    std::string body = head(record) + tiles(record) + picture(grid) + curves(record) + table(record) + base(record);
    body += "<footer>PSNR and SSIM over RGB in 0 … 255, over all frames of a clip. Made by Denoir.</footer>\n";
    return report::page("Denoir sweep", body);
}

} // namespace denoir

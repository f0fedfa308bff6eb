// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/values.h"
#include "engine/core/json_fields.h"
#include "engine/core/memory.h"

namespace denoir::cli {
namespace {

/// Rows in columns as wide as they need; those from `numbers_from` on are numbers, aligned to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers_from) {
    std::vector<std::size_t> widths(rows[0].size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string out;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += i < numbers_from ? fmt::format("{:<{}}  ", row[i], widths[i])
                                     : fmt::format("{:>{}}  ", row[i], widths[i]);
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

std::vector<std::string> names_of(const Sweep& sweep) {
    std::vector<std::string> out;
    for (const SweepAxis& axis : sweep.axes) out.push_back(axis_title(axis.field));
    return out;
}

std::vector<std::string> values_of(const Sweep& sweep, std::size_t cell) {
    std::vector<std::string> out;
    const std::vector<std::size_t> at = sweep.place(cell);
    for (std::size_t i = 0; i < at.size(); ++i) out.push_back(value_text(sweep.axes[i], at[i], 40));
    return out;
}

/// "64.8 GFLOP", "2.5 PFLOP"
std::string flop_text(double flop) {
    static constexpr const char* units[]{"GFLOP", "TFLOP", "PFLOP", "EFLOP"};
    std::size_t unit = 0;
    for (flop /= 1e9; flop >= 1000 && unit + 1 < std::size(units); ++unit) flop /= 1000;
    return fmt::format("{:.1f} {}", flop, units[unit]);
}

std::string figure(const SweepCell& c, bool psnr) {
    if (!c.figures || !c.figures->measured()) return "";
    if (psnr) return c.figures->psnr ? fmt::format("{:.2f}", *c.figures->psnr) : "equal";
    return c.figures->ssim ? fmt::format("{:.4f}", *c.figures->ssim) : "";
}

/// "warning in 3 cells (steps 8, steps 12, …): TEXT" for each warning about more than one cell.
std::string said_again(const Sweep& sweep, const Warnings& warnings) {
    constexpr std::size_t most = 4;
    std::string out;
    for (const auto& [text, cells] : warnings) {
        if (cells.size() < 2) continue;
        std::vector<std::string> labels;
        for (const std::size_t cell : cells)
            if (labels.size() < most) labels.push_back(sweep.label(cell, 24));
        if (cells.size() > most) labels.emplace_back("…");
        const bool all = cells.size() == sweep.size();
        out += all ? fmt::format("warning in all {} cells", cells.size())
                   : fmt::format("warning in {} cells ({})", cells.size(), fmt::join(labels, ", "));
        out += ": " + printable(text, 400) + "\n";
    }
    return out;
}

Json to_json(const Warnings& warnings) {
    Json out = Json::array();
    for (const auto& [text, cells] : warnings) out.push_back({{"message", printable(text, 400)}, {"cells", cells}});
    return out;
}

} // namespace

void list(const Sweep& sweep, const SweepPlan& plan, const Console& console) {
    std::vector<std::vector<std::string>> rows{names_of(sweep)};
    for (const char* name : {"", "work"}) rows[0].emplace_back(name);
    Json cells = Json::array();
    double flop = 0;
    std::size_t rendered = 0;
    for (std::size_t i = 0; i < sweep.size(); ++i) {
        const SweepPlan::Cell& cell = plan.cells[i];
        const bool renders = plan.renders(i);
        std::vector<std::string> row = values_of(sweep, i);
        row.push_back(cell.same ? "as " + sweep.label(*cell.same) : renders ? "to render" : "is there");
        row.push_back(renders ? flop_text(cell.work.flop) : "");
        rows.push_back(std::move(row));
        if (renders) flop += cell.work.flop, ++rendered;
        cells.push_back({{"values", sweep.values(i)},
                         {"same_as", or_null(cell.same)},
                         {"run", cell.found.empty() ? Json() : Json(cell.found.string())},
                         {"flop", renders ? cell.work.flop : 0.0},
                         {"request", to_json(cell.request)}});
    }
    console.say(table(rows, sweep.axes.size() + 1) +
                fmt::format("{} of {} to render, {}", rendered, sweep.size(), flop_text(flop)));
    console.report(Json{{"cells", cells}, {"order", plan.order}, {"to_render", rendered}, {"flop", flop}});
}

std::optional<Error> failure(const SweepFolder& folder) {
    const SweepRecord& record = folder.record();
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const SweepCell& c = record.cells[i];
        if (c.state != SweepCell::State::failed) continue;
        return Error("", record.sweep.label(i, 24), c.error ? as_given(*c.error).what() : "failed",
                     "try again with: " + command_with("denoir-cli sweep --resume", folder.path().string()));
    }
    return std::nullopt;
}

void report(const SweepFolder& folder, const SweepOutputs& outputs, const Warnings& warnings, double seconds,
            const Console& console) {
    const SweepRecord& record = folder.record();
    const bool any = !outputs.video.empty(); // without a clip there is no grid
    const bool figures =
        std::any_of(record.cells.begin(), record.cells.end(), [](const SweepCell& c) { return c.figures.has_value(); });
    std::vector<std::vector<std::string>> rows{names_of(record.sweep)};
    rows[0].insert(rows[0].end(), {"state", "seconds"});
    if (figures) rows[0].insert(rows[0].end(), {"PSNR, dB", "SSIM"});
    std::size_t rendered = 0, failed = 0;
    const Json stored = to_json(record, folder.path());
    Json cells = stored.at("cells");
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
        const SweepCell& c = record.cells[i];
        const bool done = c.state == SweepCell::State::done;
        rendered += done && !c.reused;
        failed += c.state == SweepCell::State::failed;
        std::vector<std::string> row = values_of(record.sweep, i);
        row.emplace_back(done && c.reused ? "was there" : std::string(name(c.state)));
        row.push_back(c.seconds > 0 ? fmt::format("{:.1f}", c.seconds) : "");
        if (figures) row.insert(row.end(), {figure(c, true), figure(c, false)});
        rows.push_back(std::move(row));
        cells[i]["run"] = c.run.empty() ? Json() : Json(c.run.string());
    }
    console.say(fmt::format("{}\n\n{}\n{}{}report: {}\nall: {}", printable(folder.path().string(), 4096),
                            table(rows, record.sweep.axes.size() + 1), said_again(record.sweep, warnings),
                            any ? fmt::format("grid: {}\n", printable(outputs.video.string(), 4096)) : "",
                            printable(outputs.report.string(), 4096), duration(seconds)));
    Json document{{"out", folder.path().string()},
                  {"cells", cells},
                  {"rendered", rendered},
                  {"failed", failed},
                  {"warnings", to_json(warnings)},
                  {"seconds", seconds},
                  {"video", any ? Json(outputs.video.string()) : Json()},
                  {"picture", any ? Json(outputs.picture.string()) : Json()},
                  {"report", outputs.report.string()},
                  {"csv", outputs.csv.string()},
                  {"peak_memory_bytes", peak_memory_bytes()}};
    if (const auto error = failure(folder)) document["error"] = Console::error_json(*error);
    console.report(document);
}

} // namespace denoir::cli

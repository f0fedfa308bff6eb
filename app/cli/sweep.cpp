// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/request_options.h"
#include "app/cli/values.h"
#include "engine/compare/sweep_figures.h"
#include "engine/compare/sweep_outputs.h"
#include "engine/core/memory.h"
#include "engine/core/own_folders.h"
#include "engine/pipeline/seed.h"
#include "engine/session/inputs.h"
#include "engine/session/output_check.h"
#include "engine/session/render.h"
#include "engine/session/sweep_run.h"

namespace denoir::cli {
namespace {

namespace fs = std::filesystem;

/// FIELD and what follows the first `=`.
std::pair<std::string, std::string> assignment(std::string_view option, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw UsageError("", std::string(option), fmt::format("'{}' is not FIELD=VALUES", printable(text, 60)),
                         "write it like steps=4,8,20");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

/// FIELD and VALUES of each, as they were written. The same field twice is a slip: one of them would go unheard.
std::vector<std::pair<std::string, std::string>> assignments(const Arguments& args, std::string_view option) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const std::string& text : args.all(option)) {
        out.push_back(assignment(option, text));
        const auto same = [&](const auto& other) { return other.first == out.back().first; };
        if (std::count_if(out.begin(), out.end(), same) > 1)
            throw UsageError("", std::string(option), printable(out.back().first, 60) + " is given twice", "keep one");
    }
    return out;
}

/// `run`, whose refusals name "axes.FIELD": they name the option instead, where no file holds it.
template <class Run> auto naming_axis(std::string_view option, Run&& run) {
    try {
        return run();
    } catch (const UsageError& e) {
        if (!e.file().empty() || !e.field().starts_with("axes.")) throw;
        throw UsageError("", std::string(option), e.field().substr(5) + ": " + e.message(), e.hint());
    }
}

void apply_axes(Sweep& sweep, const Arguments& args) {
    for (const auto& [field, values] : assignments(args, "--axis")) {
        SweepAxis axis = naming_axis("--axis", [&, &f = field, &v = values] { return parse_axis(f, v); });
        const auto there = std::ranges::find(sweep.axes, field, &SweepAxis::field);
        if (there == sweep.axes.end())
            sweep.axes.push_back(std::move(axis));
        else
            *there = std::move(axis);
    }
}

void apply_reference(Sweep& sweep, const Arguments& args) {
    if (!args.has("--reference")) {
        if (args.has("--axis") || sweep.reference.size() != sweep.axes.size())
            sweep.reference = usual_reference(sweep.axes);
        return;
    }
    sweep.reference.assign(sweep.axes.size(), std::nullopt);
    const std::vector<std::string> words = args.all("--reference");
    if (words.size() == 1 && words[0] == "none") return;
    for (const auto& [field, value] : assignments(args, "--reference")) {
        const SweepAxis wanted = naming_axis("--reference", [&, &f = field, &v = value] { return parse_axis(f, v); });
        const auto axis = std::ranges::find(sweep.axes, field, &SweepAxis::field);
        if (axis == sweep.axes.end())
            throw UsageError("", "--reference", printable(field, 60) + " is not an axis of this sweep",
                             "name one of --axis");
        const auto found = std::find(axis->values.begin(), axis->values.end(), wanted.values.front());
        if (wanted.values.size() != 1 || found == axis->values.end())
            throw UsageError("", "--reference", fmt::format("{} is not among {}", printable(value, 40), axis->field),
                             fmt::format("use one of {}", printable(axis_text(*axis), 100)));
        sweep.reference[std::size_t(axis - sweep.axes.begin())] = std::size_t(found - axis->values.begin());
    }
}

Sweep sweep_of(const Arguments& args) {
    Sweep sweep;
    std::string file;
    if (!args.words().empty()) {
        file = request_word(args, "SWEEP.json").string();
        sweep = read_sweep(file);
    }
    apply_request_options(sweep.request, args);
    apply_axes(sweep, args);
    if (sweep.axes.empty())
        throw UsageError(file, file.empty() ? "--axis" : "axes", "is missing: nothing varies",
                         "give --axis steps=8,20 or a SWEEP.json with axes");
    apply_reference(sweep, args);
    naming_axis("--axis", [&] { check(sweep, file); });
    return sweep;
}

/// What was said, of which cells; of none in particular where it was said before the first was begun.
using Warnings = std::map<std::string, std::set<std::size_t>>;

/// Which cell is at work, and when all will be done: measured on what was rendered so far.
class SweepProgress : public Progress {
public:
    explicit SweepProgress(ProgressStyle style) : Progress(style), plain_(style == ProgressStyle::plain) {}

    /// Once, of however many clips it is said: of the first. warnings() has the others.
    void warning(std::string_view text) override {
        const auto [said, is_new] = warnings_.try_emplace(std::string(text));
        if (cell_) said->second.insert(*cell_);
        if (is_new)
            Progress::warning(cell_ ? fmt::format("with {}: {}", folder_->record().sweep.label(*cell_, 24), text)
                                    : std::string(text));
    }
    const Warnings& warnings() const { return warnings_; }

    void at(const SweepFolder& folder, const SweepPlan& plan) {
        folder_ = &folder;
        plan_ = &plan;
        resume_ = command_with("denoir-cli sweep --resume", folder.path().string());
        Interrupt::set_last_words(words());
    }
    void begins(std::size_t cell, std::size_t number, std::size_t of) {
        cell_ = cell;
        number_ = number;
        of_ = of;
        Interrupt::set_last_words(words());
        if (plain_) {
            prefix_.clear();
            show(fmt::format("cell {} of {}: {}", number, of, label(cell)));
        }
        const std::string left = seconds_ > 0 && flop_ > 0
                                     ? fmt::format(", all in about {}", duration(flop_to_do() * seconds_ / flop_))
                                     : "";
        prefix_ = fmt::format("cell {}/{}{} · ", number, of, left);
    }
    void ends(std::size_t cell) {
        const SweepCell& c = folder_->record().cells[cell];
        if (c.reused || c.state != SweepCell::State::done) return;
        seconds_ += c.seconds;
        flop_ += plan_->cells[cell].work.flop;
    }
    void over() {
        prefix_.clear();
        cell_.reset();
    }
    /// Also when the folder is gone.
    std::string words() const {
        if (resume_.empty()) return "cancelled";
        const std::string where = of_ > 0 ? fmt::format(" in cell {} of {}", number_, of_) : ""; // all may be there
        return fmt::format("cancelled{}; resume with: {}", where, resume_);
    }

private:
    std::string label(std::size_t cell) const { return folder_->record().sweep.label(cell); }
    double flop_to_do() const {
        double sum = 0;
        for (const std::size_t cell : plan_->to_render())
            if (folder_->record().cells[cell].state != SweepCell::State::done) sum += plan_->cells[cell].work.flop;
        return sum;
    }

    bool plain_;
    Warnings warnings_;
    std::optional<std::size_t> cell_; ///< at work
    const SweepFolder* folder_ = nullptr;
    const SweepPlan* plan_ = nullptr;
    std::string resume_; ///< the command that goes on; empty: nothing to go on with yet
    std::size_t number_ = 0, of_ = 0;
    double seconds_ = 0, flop_ = 0;
};

/// Columns as wide as they need, the first ones of text to the left.
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

/// What would be done, without doing it.
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
                         {"same_as", cell.same ? Json(*cell.same) : Json()},
                         {"run", cell.found.empty() ? Json() : Json(cell.found.string())},
                         {"flop", renders ? cell.work.flop : 0.0},
                         {"request", to_json(cell.request)}});
    }
    console.say(table(rows, sweep.axes.size() + 1) +
                fmt::format("{} of {} to render, {}", rendered, sweep.size(), flop_text(flop)));
    console.report(Json{{"cells", cells}, {"order", plan.order}, {"to_render", rendered}, {"flop", flop}});
}

std::string figure(const SweepCell& c, bool psnr) {
    if (!c.figures || !c.figures->measured()) return "";
    if (psnr) return c.figures->psnr ? fmt::format("{:.2f}", *c.figures->psnr) : "equal";
    return c.figures->ssim ? fmt::format("{:.4f}", *c.figures->ssim) : "";
}

/// Of the first cell that failed; nothing where none did.
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

/// "warning in 3 cells (steps 8, steps 12, …): TEXT", of what was said of more than one.
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

/// A cell's figures, where what it is held against is done.
void measure(SweepFolder& folder, std::size_t cell, SweepMeter& meter) {
    SweepRecord& record = folder.record();
    SweepCell& c = record.cells[cell];
    const auto reference = record.sweep.reference_of(cell);
    if (c.state != SweepCell::State::done || !reference) return;
    const SweepCell& other = record.cells[*reference];
    if (other.state == SweepCell::State::done) // else when that is tried again
        c.figures = meter.figures(c.run, other.run, *reference, {}, interrupt_token());
}

/// Refuses a folder that cannot be the sweep's.
void check_out(const fs::path& out, const Sweep& sweep, const Arguments& args) {
    std::error_code code;
    if (fs::exists(out / SweepFolder::record_name, code))
        throw Error(out.string(), "", "already holds a sweep", "resume it with sweep --resume, or give another --out");
    std::vector<fs::path> inputs = all_inputs_of(sweep.request);
    if (!args.words().empty()) inputs.push_back(request_word(args, "SWEEP.json"));
    check_output_folder(out, inputs);
}

int work(SweepFolder& folder, const SweepPlan& plan, SweepProgress& progress, Console& console) {
    const auto begin = std::chrono::steady_clock::now();
    SweepRecord& record = folder.record();
    Engine engine(Residency::Span::runs);
    SweepMeter meter(record.sweep.request.threads);
    SweepCalls calls;
    calls.begins = [&](std::size_t cell, std::size_t number, std::size_t of) { progress.begins(cell, number, of); };
    calls.ends = [&](std::size_t cell) {
        progress.ends(cell);
        measure(folder, cell, meter);
    };
    run_sweep(folder, plan, engine, calls, progress, interrupt_token());
    engine.clear();
    // Ended between a clip and its figures, or there was no memory for them beside the engine's.
    for (std::size_t cell = 0; cell < record.cells.size(); ++cell)
        if (const auto& figures = record.cells[cell].figures; !figures || !figures->measured())
            measure(folder, cell, meter);
    folder.save();
    progress.over();
    SweepOutputs outputs = usual_outputs(folder.path());
    if (std::none_of(record.cells.begin(), record.cells.end(),
                     [](const SweepCell& c) { return c.state == SweepCell::State::done; }))
        outputs.video.clear(), outputs.picture.clear(); // there is nothing to show
    const std::vector<std::string> notes = write_outputs(
        record, outputs,
        [&](std::string_view what, double done, double total) { progress.work(what, "frame", done, total); },
        interrupt_token());
    for (const std::string& note : notes) progress.warning(note);
    progress.clear();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report(folder, outputs, progress.warnings(), seconds, console);
    const auto error = failure(folder);
    if (error) console.note(error->what());
    return error ? 1 : 0;
}

int run_sweep_command(const Arguments& args, Console& console) {
    SweepProgress progress(progress_style(args));
    try {
        std::optional<SweepFolder> folder;
        std::optional<Sweep> sweep;
        std::vector<fs::path> done; // the run of each cell that is
        if (args.has("--resume")) {
            check_resume(args, sweep_command(), {"--list"}, "sweep", "begin a new sweep");
            refuse_empty(args, "--resume", "name a sweep's folder");
            folder =
                args.has("--list") ? SweepFolder::open(args.get("--resume")) : SweepFolder::take(args.get("--resume"));
            sweep = folder->record().sweep;
            for (const SweepCell& cell : folder->record().cells)
                done.push_back(cell.state == SweepCell::State::done ? cell.run : fs::path());
        } else {
            sweep = sweep_of(args);
            if (!sweep->request.seed && !sweep->request.start) sweep->request.seed = draw_seed(); // one for all
        }
        const fs::path out = args.get("--out");
        refuse_empty(args, "--out", "name a folder");
        if (args.has("--out")) check_out(out, *sweep, args);
        const bool reuse = !args.has("--no-reuse") && !folder;
        const SweepPlan plan = plan_sweep(*sweep, PlanDepth::all, reuse ? FinishedRuns::of_history() : FinishedRuns(),
                                          progress, interrupt_token(), done);
        if (args.has("--list")) {
            check_devices(*sweep, plan); // what the sweep would refuse is not "to render"
            list(*sweep, plan, console);
            return 0;
        }
        if (!folder) {
            check_means(*sweep, plan, out.empty() ? data_folder() : resolved_path(out.native(), fs::current_path()),
                        interrupt_token());
            folder = SweepFolder::create(out, *sweep);
        }
        progress.at(*folder, plan);
        return work(*folder, plan, progress, console);
    } catch (const Cancelled&) {
        progress.clear();
        console.cancelled(progress.words());
        return 130;
    }
}

int run(const Arguments& args, Console& console) {
    return naming_arguments(args, [&] { return run_sweep_command(args, console); });
}

} // namespace

Command sweep_command() {
    return {"sweep",
            "[SWEEP.json] [--axis FIELD=VALUES]… [--prompt T] [--model DIR|FILE|NAME] … [--out DIR]",
            "A clip for every combination of values, side by side: grid.mp4, grid.png, report.html, sweep.csv.\n"
            "Weights and encoded prompts are shared, clips of the history that are equal are taken over.\nAlso:\n"
            "  denoir-cli sweep --resume DIR    resumes after an interruption; failed cells are tried again",
            0,
            1,
            with_request_options(
                {{"--axis", "FIELD=VALUES",
                  "what varies: steps=4,8,20  seed=1..8  guidance=1..6:0.5  size=256x144,512x288  prompt='a|b'  "
                  "cache.threshold=0,0.1; the first axis runs down, the second across (default: those of SWEEP.json)",
                  Option::Count::repeated},
                 {"--reference", "FIELD=VALUE",
                  "what each clip is measured against: the one with this value and its own others; or none "
                  "(default: most steps, least cache threshold, f32)",
                  Option::Count::repeated},
                 {"--out", "DIR", "the sweep's folder, new or empty (default: one below the data folder's sweeps)"},
                 {"--latents", "L", "steps to keep of each clip after success: all, last or none (default all)"},
                 {"--no-reuse", "", "render clips again that are in the history (default: they are reused)"},
                 {"--list", "", "say what would be rendered, and do nothing (default: render)"},
                 {"--resume", "DIR", "resume this sweep (default: a new one)"},
                 progress_option,
                 json_option}),
            run};
}

} // namespace denoir::cli

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/request_options.h"
#include "app/cli/sweep_arguments.h"
#include "app/cli/sweep_progress.h"
#include "app/cli/sweep_text.h"
#include "app/cli/values.h"
#include "engine/compare/sweep_figures.h"
#include "engine/compare/sweep_outputs.h"
#include "engine/core/own_folders.h"
#include "engine/pipeline/seed.h"
#include "engine/session/inputs.h"
#include "engine/session/output_check.h"
#include "engine/session/sweep_run.h"

namespace denoir::cli {
namespace {

namespace fs = std::filesystem;

/// Measures a finished cell, if the cell that it is measured against is finished as well.
void measure(SweepFolder& folder, std::size_t cell, SweepMeter& meter) {
    SweepRecord& record = folder.record();
    SweepCell& c = record.cells[cell];
    const auto reference = record.sweep.reference_of(cell);
    if (c.state != SweepCell::State::done || !reference) return;
    const SweepCell& other = record.cells[*reference];
    if (other.state == SweepCell::State::done)
        c.figures = meter.figures(c.run, other.run, *reference, {}, interrupt_token());
}

/// Throws Error if `out` cannot become the sweep's folder.
void check_out(const fs::path& out, const Sweep& sweep, const Arguments& args) {
    std::error_code code;
    if (fs::exists(out / SweepFolder::record_name, code))
        throw Error(out.string(), "", "already holds a sweep", "resume it with sweep --resume, or give another --out");
    std::vector<fs::path> inputs = all_inputs_of(sweep.request);
    if (!args.words().empty()) inputs.push_back(request_path(args, "SWEEP.json"));
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
    // Some cells may lack figures: the process was killed before it measured them, or the engine had used the memory.
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

/// The folder of the sweep to resume: locked, unless its cells are only listed.
SweepFolder resumed(const Arguments& args) {
    check_resume(args, sweep_command(), {"--list", "--threads"}, "sweep", "begin a new sweep");
    refuse_empty(args, "--resume", "name a sweep's folder");
    const fs::path path = args.get("--resume");
    SweepFolder folder = args.has("--list") ? SweepFolder::open(path) : SweepFolder::take(path);
    int& threads = folder.record().sweep.request.threads;
    threads = threads_of(args, threads);
    return folder;
}

Sweep new_sweep(const Arguments& args, Observer& observer) {
    Sweep sweep = sweep_of(args);
    for (const std::string& warning : options_without_effect(args, sweep)) observer.warning(warning);
    if (!sweep.request.seed && !sweep.request.start) sweep.request.seed = draw_seed(); // one for all cells
    return sweep;
}

/// The run of each cell that is done; an empty path for any other.
std::vector<fs::path> finished_runs(const SweepRecord& record) {
    std::vector<fs::path> out;
    for (const SweepCell& cell : record.cells)
        out.push_back(cell.state == SweepCell::State::done ? cell.run : fs::path());
    return out;
}

int run_sweep_command(const Arguments& args, Console& console) {
    SweepProgress progress(progress_style(args));
    try {
        std::optional<SweepFolder> folder;
        if (args.has("--resume")) folder = resumed(args);
        const Sweep sweep = folder ? folder->record().sweep : new_sweep(args, progress);
        const fs::path out = args.get("--out");
        refuse_empty(args, "--out", "name a folder");
        if (args.has("--out")) check_out(out, sweep, args);
        const bool reuse = !args.has("--no-reuse") && !folder;
        const SweepPlan plan =
            plan_sweep(sweep, PlanDepth::all, reuse ? FinishedRuns::of_history() : FinishedRuns(), progress,
                       interrupt_token(), folder ? finished_runs(folder->record()) : std::vector<fs::path>());
        if (args.has("--list")) {
            // A sweep that would be refused is not listed as one "to render".
            check_devices(sweep, plan);
            if (!folder) SweepFolder::record_of(sweep);
            list(sweep, plan, console);
            return 0;
        }
        if (!folder) {
            check_means(sweep, plan, out.empty() ? data_folder() : resolved_path(out), interrupt_token());
            folder = SweepFolder::create(out, sweep);
        }
        progress.at(*folder, plan);
        return work(*folder, plan, progress, console);
    } catch (const Cancelled&) {
        progress.clear();
        console.cancelled(progress.words());
        return exit_code::cancelled;
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

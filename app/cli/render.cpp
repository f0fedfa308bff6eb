// SPDX-License-Identifier: Apache-2.0
#include "engine/session/render.h"

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/request_options.h"
#include "app/cli/values.h"
#include "engine/core/text.h"
#include "engine/session/branch.h"
#include "engine/session/request_json.h"

namespace denoir::cli {
namespace {

Request request_of(const Arguments& args) {
    Request r;
    if (args.has("--from"))
        r = naming_option("start.step", "--step", [&] {
            return branch_of(named_run(args.get("--from")), int(whole_number(args, "--step", 0, 1000000, 0)));
        });
    apply_request_arguments(r, args);
    return r;
}

std::string resume_command(const std::filesystem::path& run) {
    return "resume with: " + command_with("denoir-cli render --resume", run.string());
}

void report(const RenderResult& result, const Console& console) {
    const std::filesystem::path out = as_given(result.out);
    Json stages = Json::object();
    // printable(), since all this comes from run.json if the run was finished before.
    std::string text = fmt::format("{}\nrun: {}\nseed: {}\n", printable(out.string(), 4096),
                                   printable(result.run.string(), 4096), result.seed);
    for (const auto& [stage, seconds] : result.stages) {
        stages[stage] = seconds;
        text += fmt::format("{:>18}  {:>9}\n", printable(stage, 60), duration(seconds));
    }
    if (result.forwards > 0)
        text += fmt::format("{:>18}  {:>9} of {} forwards\n", "reused", result.reused, result.forwards);
    console.say(text + fmt::format("{:>18}  {:>9}\n{:>18}  {:>9}", "all", duration(result.seconds), "peak memory",
                                   bytes_text(double(result.peak_memory_bytes))));
    Json report{{"out", out.string()}, {"run", result.run.string()},
                {"seed", result.seed}, {"seconds", result.seconds},
                {"stages", stages},    {"peak_memory_bytes", result.peak_memory_bytes}};
    if (result.forwards > 0) report["cache"] = {{"forwards", result.forwards}, {"reused", result.reused}};
    console.report(report);
}

/// Progress that keeps the line that an interrupted render ends with up to date.
class RenderProgress : public Progress {
public:
    using Progress::Progress;
    void begin(const RunFolder& run) {
        const RunRecord& record = run.record();
        run_ = run.path();
        steps_ = record.total_steps;
        step_ = !record.steps.empty()  ? record.steps.back().step
                : record.request.start ? record.request.start->step
                                       : 0;
        Interrupt::set_last_words(words());
        Interrupt::set_output(record.out);
    }
    void step_done(const StepInfo& info) override {
        step_ = info.step;
        Interrupt::set_last_words(words());
    }
    std::string words() const {
        return run_.empty() ? "cancelled"
                            : fmt::format("cancelled after step {} of {}; {}", step_, steps_, resume_command(run_));
    }
    /// `e`, with a hint how to resume if any steps are done.
    Error with_resuming(const Error& e) const {
        if (step_ == 0) return e;
        const std::string resume = resume_command(run_);
        return {e.file(), e.field(), e.message(), e.hint().empty() ? resume : fmt::format("{} ({})", e.hint(), resume)};
    }

private:
    std::filesystem::path run_;
    int step_ = 0, steps_ = 0;
};

RenderResult resumed(const Arguments& args, RenderProgress& progress, Engine& engine) {
    check_resume(args, render_command(), {"--threads"}, "request", "branch with --from RUN --step N");
    refuse_empty(args, "--resume", "name a run folder");
    const int threads = threads_of(args, -1);
    const auto on_run = [&](const RunFolder& folder) { progress.begin(folder); };
    RenderResult result = resume(named_run(args.get("--resume")), on_run, threads, engine, progress, interrupt_token());
    result.run = resolved_path(result.run); // absolute, as that of a new run
    return result;
}

RenderResult rendered(const Arguments& args, RenderProgress& progress, Engine& engine) {
    if (!args.has("--from")) refuse_no_request(args, "render");
    if (!args.has("--out")) {
        Request none;
        apply_request_options(none, args); // a wrong value is reported first
        throw UsageError("", "--out", "is missing", "give --out FILE.mp4, FILE.mkv or a folder");
    }
    if (args.has("--from") != args.has("--step"))
        throw UsageError("", args.has("--from") ? "--step" : "--from", "is missing",
                         "a branch needs --from RUN --step N");
    RenderOptions options;
    options.out = output_file(args, "--out");
    refuse_empty(args, "--out", "give --out FILE.mp4, FILE.mkv or a folder");
    Interrupt::set_output(options.out);
    refuse_empty(args, "--run-dir", "name a folder");
    options.run_dir = args.get("--run-dir");
    options.metadata = !args.has("--no-metadata");
    if (!args.words().empty()) options.inputs.push_back(request_path(args, "REQUEST.json"));
    options.on_run = [&](const RunFolder& folder) {
        warn_without_prompt(args);
        progress.begin(folder);
    };
    return render(request_of(args), options, engine, progress, interrupt_token());
}

int run_request(const Arguments& args, Console& console) {
    RenderProgress progress(progress_style(args));
    Engine engine(Residency::Span::run);
    try {
        const RenderResult result =
            args.has("--resume") ? resumed(args, progress, engine) : rendered(args, progress, engine);
        progress.clear();
        report(result, console);
        return 0;
    } catch (const Cancelled&) {
        progress.clear();
        console.cancelled(progress.words());
        return exit_code::cancelled;
    } catch (const UsageError&) {
        throw;
    } catch (const Error& e) {
        throw progress.with_resuming(e);
    }
}

int run(const Arguments& args, Console& console) {
    return naming_arguments(args, [&] { return run_request(args, console); });
}

} // namespace

Command render_command() {
    return {"render",
            "[REQUEST.json] [--prompt T] [--image FILE] [--model DIR|FILE|NAME] … --out FILE.mp4|FILE.mkv|DIR",
            "A video from a request, options, or both (options win).\nAlso:\n"
            "  denoir-cli render --resume RUNDIR              resumes after the last whole step\n"
            "  denoir-cli render --from RUN --step N … --out  a branch: keeps the latents up to step N, computes what "
            "follows",
            0,
            1,
            with_request_options(
                {{"--out", "FILE",
                  ".mp4 (H.264), .mkv (FFV1, lossless) or a new or empty folder for PNG frames (required)"},
                 {"--run-dir", "DIR", "run folder, new or empty (default: one below the data folder's runs)"},
                 {"--latents", "L", "steps to keep after success: all, last or none (default all)"},
                 {"--no-metadata", "", "do not store the request in the video (default: it is stored)"},
                 {"--resume", "RUNDIR",
                  "resume this run: its folder, its name in the history, or last (default: a new run)"},
                 {"--from", "RUN", "branch from this run, named likewise (default: none)"},
                 {"--step", "N", "the step of --from after which the branch begins, 0 is the noise (no default)"},
                 progress_option,
                 json_option}),
            run};
}

} // namespace denoir::cli

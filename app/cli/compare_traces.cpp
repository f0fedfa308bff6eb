// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "engine/compare/trace_compare.h"
#include "engine/compare/trace_report.h"
#include "engine/core/file.h"
#include "engine/session/output_check.h"

namespace denoir::cli {
namespace {

namespace fs = std::filesystem;

int run(const Arguments& args, Console& console) {
    const Json limit = args.has("--max-error") ? number_value("--max-error", args.get("--max-error")) : Json();
    if (args.has("--max-error") && (!limit.is_number() || limit.get<double>() < 0))
        throw UsageError("", "--max-error", "is no number from 0 on", "write it like 1e-4");
    const fs::path a = args.words()[0], b = args.words()[1];
    const std::vector<fs::path> inputs{a, b};
    for (const fs::path& input : inputs)
        if (input.empty()) throw UsageError("", &input == inputs.data() ? "A" : "B", "is empty", "name a trace");
    for (const char* option : {"--report", "--csv"})
        if (args.has(option)) {
            if (args.get(option).empty()) throw UsageError("", option, "is empty", "name a file");
            check_output_file(args.get(option), inputs);
        }
    if (args.has("--report") && args.has("--csv") &&
        fs::absolute(args.get("--report")).lexically_normal() == fs::absolute(args.get("--csv")).lexically_normal())
        throw UsageError("", "--csv", "is the same file as --report", "give two names");

    Progress progress(progress_style(args.get("--progress", "auto")));
    const TraceFiles files(a, b);
    const metrics::TraceComparison found = files.compare(
        [&](double done, double total) { progress.work("comparing", "", done, total); }, interrupt_token());
    if (args.has("--csv")) write_file(args.get("--csv"), to_csv(found));
    if (args.has("--report")) write_file(args.get("--report"), trace_report(found, &files));
    progress.clear();
    console.say(to_text(found));
    console.report(to_json(found));
    if (limit.is_null()) return 0;
    const bool fits = found.worst_normalised() <= limit.get<double>() && found.shapes.empty();
    if (!fits)
        console.note(fmt::format("{}: the largest normalised error is {:.2e}, above --max-error {:g}",
                                 printable(a.native(), 120), found.worst_normalised(), limit.get<double>()));
    return fits ? 0 : 1;
}

} // namespace

Command compare_traces_command() {
    return {"compare-traces",
            "A B [--report FILE.html] [--csv FILE] [--json]",
            "How far two traces are apart, layer by layer, and in which layer the error begins.\nB is the reference. "
            "Traces "
            "come from denoir-cli trace, or from PyTorch through tests/reference/trace_hooks.py.",
            2,
            2,
            {{"--report", "FILE", "a page with plots, layer x step map and tables; opens from disk (default: none)"},
             {"--csv", "FILE", "every tensor's figures, one line each (default: none)"},
             {"--max-error", "X",
              "exit with 1 where any tensor's largest difference over its mean norm is above this (default: no limit)"},
             progress_option,
             json_option},
            run};
}

} // namespace denoir::cli

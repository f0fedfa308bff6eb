// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/tables.h"
#include "app/cli/values.h"
#include "engine/compare/trace_compare.h"
#include "engine/compare/trace_report.h"
#include "engine/core/text.h"

namespace denoir::cli {
namespace {

namespace fs = std::filesystem;

/// A sentence as part of another: without its capital and its full stop.
std::string as_part(std::string sentence) {
    sentence.front() = lower_ascii(sentence.front());
    sentence.pop_back();
    return sentence;
}

int run(const Arguments& args, Console& console) {
    const Json limit = args.has("--max-error") ? number_value(args.get("--max-error")) : Json();
    if (args.has("--max-error") && (!limit.is_number() || limit.get<double>() < 0))
        throw UsageError("", "--max-error", "must be a number of 0 or more", "write it like 1e-4");
    const fs::path a = args.words()[0], b = args.words()[1];
    const std::vector<fs::path> inputs{a, b};
    for (const fs::path& input : inputs)
        if (input.empty()) throw UsageError("", &input == inputs.data() ? "A" : "B", "is empty", "name a trace");
    check_tables(args, inputs);

    Progress progress(progress_style(args));
    std::optional<TraceFiles> files(std::in_place, a, b);
    metrics::TraceComparison found = files->compare(
        [&](double done, double total) { progress.work("comparing", "", done, total); }, interrupt_token());
    write_tables(
        args, [&] { return to_csv(found); }, [&] { return trace_report(found, &*files); });
    progress.clear();
    files.reset(); // with hundreds of thousands of tensors each of these is large, so only one is kept at a time
    console.say(console.json() ? "" : to_text(found));
    std::optional<Error> above;
    if (!limit.is_null() &&
        !(found.worst_normalised() <= limit.get<double>() && found.shapes.empty() && found.missing() == 0)) {
        const double worst = found.worst_normalised();
        const bool larger = !(worst <= limit.get<double>());
        above.emplace(a.native(), "",
                      larger ? fmt::format("the largest normalised error is {:.2e}, above --max-error {:g}", worst,
                                           limit.get<double>())
                      : !found.shapes.empty()
                          ? fmt::format("{} tensor(s) have another shape than in B", found.shapes.size())
                          : as_part(metrics::missing_text(found)),
                      larger ? "look at the layers with --report, or allow more" : "compare traces of one request");
        console.note(above->what());
    }
    if (!console.json()) return above ? 1 : 0;
    Json document = to_json(found);
    found = {};
    if (above) document["error"] = Console::error_json(*above);
    console.report(document);
    return above ? 1 : 0;
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
              "exit with 1 where any tensor's largest difference over its mean norm is above this, or one is missing "
              "that both were asked for (default: no limit)"},
             progress_option,
             json_option},
            run};
}

} // namespace denoir::cli

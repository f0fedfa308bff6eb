// SPDX-License-Identifier: Apache-2.0
#include "engine/session/trace.h"

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/request_options.h"
#include "app/cli/trace_options.h"
#include "app/cli/values.h"
#include "engine/core/text.h"

namespace denoir::cli {
namespace {

void list(const Request& r, const Arguments& args, const Console& console, Observer& observer) {
    Json layers = Json::array();
    std::string text;
    for (const TraceLayer& l : list_traceable(r, trace_selection(args), observer, interrupt_token())) {
        layers.push_back({{"component", l.component}, {"layer", l.layer}, {"tensors", l.tensors}});
        text += fmt::format("{}{}/{}", text.empty() ? "" : "\n", l.component, l.layer);
    }
    console.say(text);
    console.report(Json{{"layers", layers}});
}

int run_request(const Arguments& args, Console& console) {
    refuse_no_request(args, "trace");
    Request r;
    apply_request_arguments(r, args, solver_steps);
    Progress progress(progress_style(args));
    if (args.has("--list")) {
        list(r, args, console, progress);
        return 0;
    }
    if (!args.has("--out")) throw UsageError("", "--out", "is missing", "give --out FILE.safetensors");
    TraceOptions options;
    options.out = output_file(args, "--out");
    options.select = trace_selection(args);
    if (!args.words().empty()) options.inputs.push_back(request_path(args, "REQUEST.json"));
    warn_without_prompt(args);
    const TraceResult result = trace(r, options, progress, interrupt_token());
    progress.clear();
    console.say(fmt::format("{}\n{} tensors, {}, {} of {} steps computed, seed {}, {}",
                            printable(args.get("--out"), 1000), result.tensors, bytes_text(double(result.bytes)),
                            result.steps, result.total_steps, *result.request.seed, duration(result.seconds)));
    console.report(Json{{"out", args.get("--out")},
                        {"tensors", result.tensors},
                        {"bytes", result.bytes},
                        {"steps_computed", result.steps},
                        {"steps", result.total_steps},
                        {"seed", *result.request.seed},
                        {"seconds", result.seconds}});
    return 0;
}

int run(const Arguments& args, Console& console) {
    return naming_arguments(
        args, [&] { return run_request(args, console); }, solver_steps);
}

} // namespace

Command trace_command() {
    return {
        "trace",
        "[REQUEST.json] [--prompt T] [--model DIR|FILE|NAME] … --out FILE.safetensors [--layers GLOB] [--steps LIST]",
        "The activations of a run, named as in the original repositories, one tensor for each layer, step and guidance "
        "branch.\nNo video is made; steps after the last one that is traced are not computed. Compare with "
        "compare-traces;\ntests/reference/trace_hooks.py writes the same names from PyTorch.",
        0,
        1,
        with_request_options(
            {{"--out", "FILE", "safetensors to write (required but for --list)"},
             layers_option,
             traced_steps_option,
             {"--list", "", "print the layers that would be traced, and compute nothing (default: trace)"},
             progress_option,
             json_option},
            solver_steps),
        run};
}

} // namespace denoir::cli

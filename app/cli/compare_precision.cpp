// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/precision.h"

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/request_options.h"
#include "app/cli/tables.h"
#include "app/cli/trace_options.h"
#include "app/cli/values.h"
#include "engine/core/json_fields.h"
#include "engine/session/inputs.h"

namespace denoir::cli {
namespace {

namespace fs = std::filesystem;

Json frames_json(const PicturePart& p) {
    Json frames = Json::array();
    for (std::size_t i = 0; i < p.frames.size(); ++i)
        frames.push_back({{"index", i},
                          {"mse", p.frames[i].mse},
                          {"psnr", or_null(p.frames[i].psnr)},
                          {"ssim", or_null(p.frames[i].ssim)}});
    return {{"frames", frames},
            {"mean", {{"mse", p.mean.mse}, {"psnr", or_null(p.mean.psnr)}, {"ssim", or_null(p.mean.ssim)}}},
            {"verdict", p.verdict}};
}

int run_request(const Arguments& args, Console& console) {
    if (args.words().empty() && !args.has("--prompt") && !args.has("--image"))
        throw UsageError("", "compare-precision", "no request", "give a REQUEST.json or --prompt TEXT");
    PrecisionOptions options;
    options.a = args.get("--a", "f32");
    options.b = args.get("--b", "bf16");
    options.select = trace_selection(args);
    options.keep = args.get("--keep");
    refuse_empty(args, "--keep", "name a folder");
    Request request;
    apply_request_arguments(request, args, solver_steps);
    std::vector<fs::path> inputs = all_inputs_of(request);
    if (!args.words().empty()) inputs.push_back(request_path(args, "REQUEST.json"));
    check_tables(args, inputs);
    if (args.has("--report")) options.work = fs::absolute(output_file(args, "--report")).parent_path();

    Progress progress(progress_style(args));
    const auto begins = [&](const std::string& side) {
        progress.work(side == "A" ? "first run" : "second run", "", 0, 0);
    };
    for (const std::string_view field : fields_of_the_sides(options))
        if (const std::string option = fmt::format("--{}", field); args.has(option))
            progress.warning(fmt::format("{} has no effect: --a {} and --b {} name their own", option,
                                         printable(options.a, 40), printable(options.b, 40)));
    const PrecisionResult found = compare_precision(
        request, options, begins, progress,
        [&](double done, double total) { progress.work("comparing", "", done, total); }, interrupt_token());
    write_tables(
        args, [&] { return to_csv(found.traces); }, [&] { return found.report; });
    progress.clear();
    console.say(fmt::format("{}\npicture: {}", to_text(found.traces), found.pictures.verdict));
    Json document = to_json(found.traces);
    document["pictures"] = frames_json(found.pictures);
    document["seed"] = *found.a.seed;
    console.report(document);
    return 0;
}

int run(const Arguments& args, Console& console) {
    return naming_arguments(
        args, [&] { return run_request(args, console); }, solver_steps);
}

} // namespace

Command compare_precision_command() {
    return {"compare-precision",
            "[REQUEST.json] [--prompt T] … [--a f32] [--b bf16] [--report FILE.html]",
            "One request computed twice, in two precisions or on two devices: where the runs part, layer by layer, and "
            "what it "
            "means in the picture.\nBoth runs are traced and decoded; the traces need room beside the report.",
            0,
            1,
            with_request_options(
                {{"--a", "P", "f32, bf16, wan, skyreels, cpu or cuda:N, joined by + (default f32)"},
                 {"--b", "P", "the same for the other run, the reference of the errors (default bf16)"},
                 {"--report", "FILE", "a page with pictures, plots, layer x step map and tables (default: none)"},
                 {"--csv", "FILE", "every tensor's figures, one line each (default: none)"},
                 {"--keep", "DIR", "keep the two traces in this new or empty folder (default: they are removed)"},
                 layers_option,
                 traced_steps_option,
                 progress_option,
                 json_option},
                solver_steps),
            run};
}

} // namespace denoir::cli

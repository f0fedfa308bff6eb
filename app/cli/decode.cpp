// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/values.h"
#include "engine/session/decode_run.h"

namespace denoir::cli {
namespace {

int run(const Arguments& args, Console& console) {
    if (!args.has("--out")) throw UsageError("", "--out", "is missing", "give --out FILE.mp4, FILE.mkv or a folder");
    const std::string out = output_file(args, "--out").string(), given = args.get("--out");
    if (args.words()[0].empty()) throw UsageError("", "RUN", "is empty", "name a run folder");
    const std::string run = named_run(args.words()[0]);
    Interrupt::set_output(out);
    std::optional<int> step;
    if (args.has("--step")) step = int(whole_number(args, "--step", 0, 1000000, 0));
    Progress progress(progress_style(args));
    const int threads = threads_of(args);
    const int decoded = naming_option("step", "--step",
                                      [&] { return decode_run(run, step, out, threads, progress, interrupt_token()); });
    progress.clear();
    console.say(fmt::format("{}: step {}", printable(given, 1000), decoded));
    console.report(Json{{"out", given}, {"run", run}, {"step", decoded}});
    return 0;
}

} // namespace

Command decode_command() {
    return {"decode",
            "RUN [--step N] --out FILE.mp4|FILE.mkv|DIR",
            "The video of a run's final latents, or a draft of any step.\nRUN is a run's folder, its name in the "
            "history, or last.",
            1,
            1,
            {{"--step", "N", "the step to show, 0 is the noise (default: the last)"},
             {"--out", "FILE", ".mp4, .mkv or a new or empty folder for PNG frames (required)"},
             threads_option,
             progress_option,
             json_option},
            run};
}

} // namespace denoir::cli

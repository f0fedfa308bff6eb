// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/values.h"
#include "engine/core/json_fields.h"
#include "engine/session/verify.h"

namespace denoir::cli {
namespace {

int run(const Arguments& args, Console& console) {
    if (args.words()[0].empty()) throw UsageError("", "RUN", "is empty", "name a run folder");
    const std::string path = named_run(args.words()[0]);
    Progress progress(progress_style(args));
    const Verification found = verify_run(path, threads_of(args), progress, interrupt_token());
    progress.clear();
    std::string what = fmt::format("identical ({} steps compared)", found.steps);
    std::string hint = "model, machine or program are not those of the run";
    if (!found.changed_files.empty() && !found.first_difference) {
        what = fmt::format("{} no longer has its checksum", found.changed_files.front());
        hint = "the file was changed after the run; put the old one back, or render again";
    }
    if (found.first_difference) {
        what = fmt::format("step {} is the first that differs", *found.first_difference);
        if (!found.changed_files.empty())
            hint = fmt::format("{} is not what it was then", printable(found.changed_files.front(), 160));
    }
    Json document{{"run", path},
                  {"identical", found.identical()},
                  {"steps", found.steps},
                  {"first_difference", or_null(found.first_difference)},
                  {"changed_files", found.changed_files}};
    if (found.identical()) {
        console.say(fmt::format("{}: {}", printable(path, 4096), what));
        console.report(document);
        return 0;
    }
    const Error error(path, "latents", what, hint);
    console.note(error.what());
    document["error"] = Console::error_json(error);
    console.report(document);
    return 1;
}

} // namespace

Command verify_command() {
    return {"verify",
            "RUN",
            "Renders the stored request of a run again, compares the checksums of every step and names the first that "
            "differs.\nRUN is a run's folder, its name in the history, or last.",
            1,
            1,
            {threads_option, progress_option, json_option},
            run};
}

} // namespace denoir::cli

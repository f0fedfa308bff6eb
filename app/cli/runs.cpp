// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "engine/session/history.h"
#include "engine/session/request_json.h"

namespace denoir::cli {
namespace {

Json describe(const HistoryEntry& e) {
    const RunRecord& r = e.record;
    const int step = r.steps.empty() ? 0 : r.steps.back().step;
    return {{"run", e.path.string()},
            {"state", e.state},
            {"created", r.created},
            {"prompt", r.request.prompt},
            {"seed", r.request.seed.value_or(0)},
            {"step", step},
            {"steps", r.total_steps},
            {"seconds", r.seconds},
            {"out", r.out.string()},
            {"request", to_json(r.request)}};
}

int run(const Arguments& args, Console& console) {
    const auto entries = list_runs(args.get("--search"));
    Json all = Json::array();
    std::string text;
    for (const HistoryEntry& e : entries) {
        all.push_back(describe(e));
        const RunRecord& r = e.record;
        text += fmt::format("{} UTC  {:<11}  {:>3}/{:<3}  {:>8}  seed {}  {}\n    {}\n",
                            printable(r.created.substr(0, 19), 19), e.state, r.steps.empty() ? 0 : r.steps.back().step,
                            r.total_steps, duration(r.seconds), r.request.seed.value_or(0),
                            printable(r.request.prompt, 60), printable(e.path.string(), 130));
    }
    if (entries.empty()) text = "no runs\n";
    text.pop_back();
    console.say(text);
    console.report(Json{{"runs", all}});
    return 0;
}

} // namespace

Command runs_command() {
    return {"runs",
            "[--search T]",
            "The history, newest first.",
            0,
            0,
            {{"--search", "T",
              "words that all occur in prompt, model, mode, state, seed or path, case ignored (default: every run)"},
             json_option},
            run};
}

} // namespace denoir::cli

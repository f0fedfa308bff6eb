// SPDX-License-Identifier: Apache-2.0
#include "engine/session/take_over.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/atomic_file.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/branch.h"
#include "engine/session/stored_run.h"
#include "engine/session/unchanged.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Makes `to` a hard link to `from`, which is safe since files of a run are never changed in place. False if the file
/// system cannot do it.
bool linked(const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::create_hard_link(from, to, code);
    if (code != std::errc::file_exists) return !code;
    // A killed process left `to`: the same link, or something unfinished.
    if (fs::equivalent(from, to, code)) return true;
    fs::remove(to, code);
    fs::create_hard_link(from, to, code);
    return !code;
}
void same_bytes(const fs::path& from, const fs::path& to) {
    if (!linked(from, to)) copy_file_atomically(from, to);
}

/// Takes over the encoded prompt and images of another run, unless they are missing or damaged.
void take_conditioning(RunFolder& run, const RunFolder& from) {
    if (!from.load_conditioning()) return;
    same_bytes(from.file(run_file::conditioning), run.file(run_file::conditioning));
    run.record().conditioning_sha256 = from.record().conditioning_sha256;
}

} // namespace

void take_conditioning_of(const fs::path& other, RunFolder& run, const ModelFolder& model) try {
    const RunFolder from = RunFolder::open(other);
    check_resolved(from); // same_conditioning() needs a resolved request
    const RunRecord &now = run.record(), &before = from.record();
    // Warnings of encoding would otherwise be lost with it.
    const auto said = [&](const std::string& warning) {
        return std::ranges::find(now.warnings, warning) != now.warnings.end();
    };
    if (!std::ranges::all_of(before.warnings, said) || !same_conditioning(now.request, before.request, model) ||
        !inputs_unchanged(before, from.path()))
        return;
    if (!stored_conditioning(from, now.request, model)) return;
    take_conditioning(run, from);
    run.save();
} catch (const Error&) {
}

void take_over(RunFolder& run, const RunFolder& parent, bool conditioning) {
    const int last = run.record().request.start->step;
    run.record().steps.clear();
    for (int step = 0; step <= last; ++step) {
        const StepRecord* s = parent.record().find(step);
        if (!s) continue;
        same_bytes(parent.latents_file(step), run.latents_file(step));
        run.record().steps.push_back(*s);
        // The solver states of earlier steps let later branches begin there: they are linked, but not worth a copy.
        const bool needed = parent.needs_solver(*s);
        if (needed && step == last)
            same_bytes(parent.solver_file(step), run.solver_file(step));
        else if (!needed || !linked(parent.solver_file(step), run.solver_file(step)))
            run.record().steps.back().solver_sha256.clear();
    }
    if (conditioning) take_conditioning(run, parent);
    run.save();
}

void check_steps_before(const RunFolder& parent, int last) {
    for (int step = 0; step < last; ++step) {
        std::error_code code;
        const fs::path file = parent.latents_file(step);
        if (parent.record().find(step) && !fs::is_regular_file(file, code))
            throw Error(file.string(), "", "is missing, but a branch needs the steps before its start",
                        "put it back, or render again");
    }
}

void take_over_again(RunFolder& run, const ModelFolder& model) {
    const Request& r = run.record().request;
    const Request::Start& start = *r.start;
    if (branch_of(start.run, start.step).start->sha256 != start.sha256)
        throw Error(start.run.string(), "start.sha256", fmt::format("step {} there has other latents", start.step),
                    "render the branch again");
    const RunFolder parent = RunFolder::open(start.run);
    stored_state(parent, start.step, r, model);
    check_steps_before(parent, start.step);
    take_over(run, parent, shares_conditioning(r, parent.record().request, model));
}

} // namespace denoir

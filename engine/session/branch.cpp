// SPDX-License-Identifier: Apache-2.0
#include "engine/session/branch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/pipeline/variant.h"
#include "engine/session/request_json.h"
#include "engine/session/stored_run.h"

namespace denoir {
namespace {

/// What may differ from the run that a branch starts from. Everything else decides the latents that are taken over, or
/// what the solver's state means.
constexpr std::array<std::string_view, 12> free_keys{"prompt",         "negative_prompt", "guidance", "guidance_low",
                                                     "guidance_until", "loras",           "fps",      "device",
                                                     "threads",        "latents",         "cache",    "start"};
/// What the text encoder and the image encoders depend on.
constexpr std::array<std::string_view, 9> conditioning_keys{"model", "parts",      "mode",  "prompt", "negative_prompt",
                                                            "image", "last_image", "width", "height"};
/// What no encoder ever sees.
constexpr std::array<std::string_view, 14> unconditional_keys{
    "guidance", "guidance_low", "guidance_until", "shift",   "seed",    "sampler", "steps",
    "loras",    "fps",          "noise",          "threads", "latents", "cache",   "start"};

/// Null also where the key is not written.
Json value_of(const Json& request, std::string_view key) { return request.value(std::string(key), Json()); }

[[noreturn]] void refuse_change(const RunFolder& parent, std::string_view key, const Json& kept) {
    throw UsageError(parent.path().string(), std::string(key),
                     kept.is_null() ? "the run that it branches from has none"
                                    : fmt::format("a branch keeps it as {}", printable(kept.dump(), 60)),
                     "leave it out, or render again");
}

} // namespace

Request branch_of(const std::filesystem::path& path, int step) {
    const RunFolder run = RunFolder::open(path);
    const RunRecord& record = run.record();
    if (record.state == RunState::done && record.request.latents != KeepLatents::all)
        throw Error(path.string(), "latents", "this run kept only the last latents, or none",
                    "branch from a run that was rendered with --latents all");
    if (step < 0 || step >= record.total_steps || !record.find(step)) {
        const int last = std::min(record.steps.empty() ? -1 : record.steps.back().step, record.total_steps - 1);
        throw UsageError(path.string(), "start.step", fmt::format("cannot start from step {}", step),
                         last < 0 ? "the run has no steps yet" : fmt::format("use 0 to {}", last));
    }
    if (step > 0 && record.find(step)->solver_sha256.empty() && !run.final_steps().contains(step))
        throw UsageError(
            path.string(), "start.step", fmt::format("the solver's state after step {} was not kept", step),
            record.request.start && step < record.request.start->step ? "branch from the run that this one began from"
                                                                      : "use another step");
    check_resolved(run);
    run.state(step); // throws if its files are not whole
    Request r = record.request;
    r.start = Request::Start{resolved_path(path), step, record.find(step)->sha256};
    return r;
}

void leave_as_in_parent(Request& branch, const Request& parent) {
    std::vector<Lora> apart = parent.loras;
    if (parent.guidance_low) tell_pairs_apart(apart); // a model of two experts
    for (std::size_t i = 0; i < apart.size(); ++i)
        for (Lora& lora : branch.loras)
            if (apart[i].expert != parent.loras[i].expert && !lora.expert &&
                lora.file.lexically_normal() == apart[i].file.lexically_normal())
                lora.expert = Expert::none;
    if (!parent.forcing) return;
    if (!branch.forcing) branch.forcing = parent.forcing;
    if (!branch.forcing->base) branch.forcing->base = parent.forcing->base;
}

RunFolder open_start(Request& branch) {
    branch_of(branch.start->run, branch.start->step); // refuses what is not there
    RunFolder parent = RunFolder::open(branch.start->run);
    const Request& before = parent.record().request;
    const Json now = to_json(branch), then = to_json(before);
    for (const char* key : {"dtype", "precision"})
        if (!now.at(key).is_null() && now.at(key) != then.at(key)) refuse_change(parent, key, then.at(key));
    leave_as_in_parent(branch, before);
    return parent;
}

void check_branch(Request& branch, const RunFolder& parent, Observer& observer) {
    Request whole = branch; // with absolute paths, as the parent's record has them
    make_paths_absolute(whole);
    const Json now = to_json(whole), before = to_json(parent.record().request);
    for (const std::string_view key : request_keys()) {
        if (std::find(free_keys.begin(), free_keys.end(), key) != free_keys.end() ||
            value_of(now, key) == value_of(before, key))
            continue;
        if (key == "seed") {
            observer.warning("seed has no effect in a branch: its noise was drawn by the run it starts from");
            continue;
        }
        if (key == "width" || key == "height") // asked for together
            throw UsageError(
                parent.path().string(), std::string(key),
                fmt::format("a branch keeps the size of {}x{}", before.at("width").dump(), before.at("height").dump()),
                "leave it out, or render again");
        refuse_change(parent, key, value_of(before, key));
    }
    Request::Start& start = *branch.start;
    const StepRecord* step = parent.record().find(start.step);
    if (!start.sha256.empty() && (!step || step->sha256 != start.sha256))
        throw Error(parent.path().string(), "start.sha256", fmt::format("step {} there has other latents", start.step),
                    "leave sha256 out, or name the run it came from");
    branch.seed = parent.record().request.seed;
    if (step) start.sha256 = step->sha256;
}

bool shares_conditioning(const Request& branch, const Request& parent, const ModelFolder& model) {
    const Json now = to_json(branch), before = to_json(parent);
    const bool same = std::all_of(conditioning_keys.begin(), conditioning_keys.end(),
                                  [&](std::string_view key) { return value_of(now, key) == value_of(before, key); });
    return same && (uses_negative(parent, model) || !uses_negative(branch, model));
}

bool same_conditioning(const Request& request, const Request& other, const ModelFolder& model) {
    Json now = to_json(request), before = to_json(other);
    for (const std::string_view key : unconditional_keys) {
        now.erase(std::string(key));
        before.erase(std::string(key));
    }
    return now == before && (uses_negative(other, model) || !uses_negative(request, model));
}

} // namespace denoir

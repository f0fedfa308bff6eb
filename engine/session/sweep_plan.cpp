// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "engine/backend/backend.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/pipeline/model_headers.h"
#include "engine/pipeline/run_layout.h"
#include "engine/pipeline/seed.h"
#include "engine/session/branch.h"
#include "engine/session/history.h"
#include "engine/session/inputs.h"
#include "engine/session/model_lookup.h"
#include "engine/session/preflight.h"
#include "engine/session/render.h"
#include "engine/session/request_json.h"
#include "engine/session/unchanged.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// A key that is the same for equal resolved requests with absolute paths; `threads` and `latents`, which decide
/// nothing, do not count.
std::string request_identity(const Request& resolved) {
    Request r = resolved;
    r.threads = 0;
    r.latents = KeepLatents::all;
    return to_json(r).dump();
}

/// Whether an axis of the sweep decides the field that an error names.
bool on_an_axis(const Sweep& sweep, std::string field) {
    field.erase(0, field.find_first_not_of('-'));
    std::replace(field.begin(), field.end(), '-', '_');
    const std::string_view top = top_key(field);
    return std::any_of(sweep.axes.begin(), sweep.axes.end(), [&](const SweepAxis& axis) {
        const std::string_view axis_top = top_key(axis.field);
        return axis_top == top || (axis_top == "size" && (top == "width" || top == "height"));
    });
}

/// run(), with errors made to name the cell if an axis decides the field that they are about.
template <class Run> void in_cell(const Sweep& sweep, std::size_t cell, Run&& run) {
    const auto message = [&](const Error& e) { return fmt::format("with {}: {}", sweep.label(cell), e.message()); };
    try {
        run();
    } catch (const UsageError& e) {
        if (!on_an_axis(sweep, e.field())) throw;
        throw UsageError(e.file(), e.field(), message(e), e.hint());
    } catch (const Error& e) {
        if (!on_an_axis(sweep, e.field())) throw;
        throw Error(e.file(), e.field(), message(e), e.hint());
    }
}

/// The models of a sweep: each is opened once, and its headers are read once.
class Models {
public:
    explicit Models(const std::stop_token& stop) : stop_(stop) {}
    /// The model of a request, whose `model` is a path. Throws Error, Cancelled.
    const ModelHeaders& of(const Request& r, Observer& observer) {
        const std::pair key(r.model, r.parts);
        auto it = models_.find(key);
        if (it == models_.end()) {
            it = models_.emplace(key, std::make_unique<Opened>(r, stop_)).first;
            for (const std::string& warning : it->second->folder.warnings) observer.warning(warning);
        }
        return it->second->headers;
    }

private:
    struct Opened {
        Opened(const Request& r, const std::stop_token& stop)
            : folder(ModelFolder::open(r.model, r.parts, stop)), headers(folder) {}
        ModelFolder folder;
        ModelHeaders headers;
    };
    const std::stop_token& stop_;
    std::map<std::pair<fs::path, ModelParts>, std::unique_ptr<Opened>> models_;
};

/// The resolved request of a cell. Its paths, and those in messages, are as the user wrote them.
Request resolved_cell(const Sweep& sweep, std::size_t cell, std::uint64_t seed, Models& models, Observer& observer) {
    Request r = sweep.request_of(cell);
    if (!r.seed && !r.start) r.seed = seed;
    std::optional<RunFolder> parent;
    if (r.start) parent = open_start(r);
    r.model = find_model(r.model);
    r = Pipeline::resolve(r, models.of(r, observer));
    if (parent) {
        Observer quiet;
        check_branch(r, *parent, quiet);
    }
    return r;
}

/// Whether a run agrees with everything that a request says. What the request leaves open does not count: by now it may
/// resolve differently, or not at all.
bool may_be_of(const RunFolder& run, const Request& asked) try {
    const Request& stored = run.record().request;
    Request r = stored;
    apply_request(r, asked_json(asked), {});
    if (r.start && stored.start) { // decided by the run that the branch starts from
        r.seed = stored.seed;
        r.start->sha256 = stored.start->sha256;
    }
    // What resolving fills in within fields that a request replaces as a whole.
    if (r.cache && stored.cache && r.cache->coefficients.empty()) r.cache->coefficients = stored.cache->coefficients;
    if (r.forcing && stored.forcing && !r.forcing->base) r.forcing->base = stored.forcing->base;
    for (std::size_t i = 0; i < std::min(r.loras.size(), stored.loras.size()); ++i)
        if (!r.loras[i].expert) r.loras[i].expert = stored.loras[i].expert;
    return is_of(run, r);
} catch (const Error&) { // the request contradicts the stored one
    return false;
}

/// Whether a cell's run can be kept: it is the run of the resolved request, or differs from it only in a device that
/// nobody asked for, since it was rendered on another machine.
bool can_be_kept(const RunFolder& run, const Request& resolved, const Request& asked) {
    if (is_of(run, resolved)) return true;
    return !asked.device && run.record().request.device != resolved.device && may_be_of(run, asked);
}

/// A branch's request takes what it leaves open from the run that it names, and keeps it for all runs on an axis. Warns
/// if these runs differ in it.
void warn_of_one_start_for_all(const Sweep& sweep, Observer& observer) {
    static constexpr std::array<const char*, 8> kept{"prompt",         "negative_prompt", "guidance", "guidance_low",
                                                     "guidance_until", "loras",           "fps",      "cache"};
    const auto axis = std::ranges::find(sweep.axes, "start.run", &SweepAxis::field);
    if (axis == sweep.axes.end() || !sweep.request.start) return;
    const auto named = open_run(sweep.request.start->run);
    if (!named) return;
    const Json asked = to_json(sweep.request), of_named = to_json(named->record().request);
    std::set<std::string> otherwise;
    for (const Json& value : axis->values) {
        const auto run = value.is_string() ? open_run(value.get<std::string>()) : std::nullopt;
        const Json its = run ? to_json(run->record().request) : of_named;
        for (const char* key : kept) {
            const Json of_all = of_named.value(key, Json());
            if (asked.value(key, Json()) == of_all && its.value(key, Json()) != of_all && !on_an_axis(sweep, key))
                otherwise.insert(key);
        }
    }
    if (!otherwise.empty())
        observer.warning(fmt::format("every run of axes.start.run goes on with {} of {}", fmt::join(otherwise, ", "),
                                     printable(sweep.request.start->run.string(), 160)));
}

/// A key that is the same for requests which preflight() need not check twice.
std::string preflight_key(const Request& r) {
    Json json = to_json(r);
    for (const char* key :
         {"guidance", "guidance_low", "guidance_until", "shift", "seed", "sampler", "steps", "prompt"})
        json.erase(key);
    return one_line(json);
}

/// Plans the cells of a sweep one by one, in the order of rendering.
class CellPlanner {
public:
    CellPlanner(const Sweep& sweep, PlanDepth depth, FinishedRuns& finished, Observer& observer,
                const std::stop_token& stop)
        : sweep_(sweep),
          depth_(depth),
          finished_(finished),
          observer_(observer),
          stop_(stop),
          seed_(sweep.request.seed ? *sweep.request.seed : draw_seed()),
          models_(stop) {}

    /// Plans one cell. `own`: the run that this sweep has already made of it. Throws Error.
    void plan(std::size_t i, const std::optional<RunFolder>& own, SweepPlan::Cell& cell) {
        const auto own_may_serve = [&] { return own && may_be_of(*own, sweep_.request_of(i)) && has_clip(*own); };
        const auto take_own = [&] {
            cell.request = own->record().request;
            cell.found = own->path(), cell.found_seconds = own->record().seconds;
        };
        try {
            prepare(i, cell);
        } catch (const Error&) { // the model, an input or the run that it starts from may be gone
            if (!own_may_serve()) throw;
            return take_own();
        }
        const auto [first, is_new] = first_.try_emplace(request_identity(cell.request), i);
        if (!is_new)
            cell.same = first->second;
        else if (own && can_be_kept(*own, cell.request, sweep_.request_of(i)) && has_clip(*own))
            take_own();
        else if (const auto found = finished_.find(cell.request))
            cell.found = found->run, cell.found_seconds = found->seconds;
        else if (own_may_serve())
            ++otherwise_;
    }

    void warn_of_others() const {
        if (otherwise_ > 0)
            observer_.warning(
                fmt::format("what the request leaves open is filled in otherwise by now for {}: rendered again, "
                            "beside what is there",
                            counted(std::uint64_t(otherwise_), "clip")));
    }

private:
    /// Sets the cell's resolved request and its work, after checking it.
    void prepare(std::size_t i, SweepPlan::Cell& cell) {
        cell.request = resolved_cell(sweep_, i, seed_, models_, observer_);
        const ModelHeaders& headers = models_.of(cell.request, observer_);
        if (const std::string key = preflight_key(cell.request); depth_ == PlanDepth::all && !checked_.contains(key)) {
            preflight(cell.request, headers.model(), Needs::everything, stop_);
            checked_.insert(key);
        }
        make_paths_absolute(cell.request);
        check_storable(inputs_of(cell.request));
        cell.work = Pipeline::estimate(cell.request, headers);
    }

    const Sweep& sweep_;
    PlanDepth depth_;
    FinishedRuns& finished_;
    Observer& observer_;
    const std::stop_token& stop_;
    std::uint64_t seed_; ///< for cells whose request names none
    Models models_;
    std::unordered_map<std::string, std::size_t> first_; ///< the first cell of each request, by request_identity()
    std::set<std::string> checked_;                      ///< keys of preflight_key()
    int otherwise_ = 0; ///< cells whose run agrees with what is asked, but not with how that resolves now
};

} // namespace

std::optional<RunFolder> open_run(const fs::path& run) try {
    if (run.empty() || !is_run_folder(run)) return std::nullopt;
    return RunFolder::open(run);
} catch (const Error&) {
    return std::nullopt;
}

bool is_of(const RunFolder& run, Request request) {
    const auto& stored = run.record().request.cache;
    if (request.cache && stored && stored->coefficients.empty()) request.cache->coefficients.clear();
    return request_identity(run.record().request) == request_identity(request);
}

bool has_clip(const RunFolder& run) try {
    const fs::path video = run.path() / run_file::video;
    return run.record().state == RunState::done && run.intact(video, run.record().video_sha256);
} catch (const Error&) { // it is gone
    return false;
}

FinishedRuns FinishedRuns::of_history() {
    FinishedRuns out;
    std::vector<HistoryEntry> runs;
    try {
        runs = list_runs("");
    } catch (const Error&) { // there can be no data folder, and so there is no history
    }
    for (const HistoryEntry& entry : runs) {
        const Request& r = entry.record.request;
        if (entry.record.state == RunState::done && r.seed && r.width && r.height && r.frames)
            out.add(entry.path, *r.seed, *r.width, *r.height, *r.frames, entry.record.total_steps);
    }
    return out;
}

void FinishedRuns::add(const fs::path& run, std::uint64_t seed, int width, int height, int frames, int steps) {
    unread_[{seed, std::uint64_t(width), std::uint64_t(height), std::uint64_t(frames), std::uint64_t(steps)}].push_back(
        run);
}

void FinishedRuns::read(const fs::path& run) try {
    const RunFolder folder = RunFolder::open(run);
    const RunRecord& record = folder.record();
    if (record.build == build_description() && inputs_unchanged(record, folder.path()))
        by_identity_[request_identity(record.request)].push_back({run, record.seconds});
} catch (const Error&) { // gone or damaged
}

std::optional<FinishedRuns::Found> FinishedRuns::find(const Request& r) {
    const auto alike = unread_.find({*r.seed, std::uint64_t(*r.width), std::uint64_t(*r.height),
                                     std::uint64_t(*r.frames), std::uint64_t(Pipeline::step_count(r))});
    if (alike == unread_.end()) return std::nullopt;
    for (const fs::path& run : alike->second) read(run);
    alike->second.clear();
    const auto equal = by_identity_.find(request_identity(r));
    if (equal == by_identity_.end()) return std::nullopt;
    for (const Found& found : equal->second) // reading the clip takes long: only of these
        if (const auto run = open_run(found.run); run && has_clip(*run)) return found;
    return std::nullopt;
}

std::vector<std::size_t> SweepPlan::to_render() const {
    std::vector<std::size_t> out;
    std::copy_if(order.begin(), order.end(), std::back_inserter(out),
                 [this](std::size_t cell) { return renders(cell); });
    return out;
}

SweepPlan plan_sweep(const Sweep& sweep, PlanDepth depth, FinishedRuns finished, Observer& observer,
                     const std::stop_token& stop, std::span<const fs::path> done) {
    check(sweep, "");
    SweepPlan plan;
    plan.order = rendering_order(sweep);
    plan.cells.resize(sweep.size());
    CellPlanner planner(sweep, depth, finished, observer, stop);
    warn_of_one_start_for_all(sweep, observer);
    for (const std::size_t i : plan.order) {
        if (stop.stop_requested()) throw Cancelled();
        const auto own = i < done.size() ? open_run(done[i]) : std::nullopt;
        in_cell(sweep, i, [&] { planner.plan(i, own, plan.cells[i]); });
    }
    planner.warn_of_others();
    return plan;
}

void check_devices(const Sweep& sweep, const SweepPlan& plan) {
    std::set<std::string> devices;
    for (const std::size_t cell : plan.to_render()) {
        const Device device = *plan.cells[cell].request.device;
        if (devices.insert(device.name()).second) in_cell(sweep, cell, [&] { require_device(device); });
    }
}

void check_means(const Sweep& sweep, const SweepPlan& plan, const fs::path& folder, const std::stop_token& stop) {
    Models models(stop);
    Observer quiet;
    check_storable({&folder, 1});
    check_devices(sweep, plan);
    std::set<std::string> checked;
    for (const std::size_t cell : plan.to_render()) {
        const Request& r = plan.cells[cell].request;
        if (!checked.insert(fmt::format("{} {}", preflight_key(r), *r.steps)).second) continue;
        const ModelFolder& model = models.of(r, quiet).model();
        check_storable(files_of_steps(model, r));
        check_disk_space(r, model, folder);
    }
}

} // namespace denoir

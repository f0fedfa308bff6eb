// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "engine/backend/backend.h"
#include "engine/core/file.h"
#include "engine/session/inputs.h"
#include "engine/session/model_lookup.h"
#include "engine/session/preflight.h"
#include "engine/session/render.h"
#include "engine/session/run_tools.h"
#include "engine/session/unchanged.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

bool is_there(const fs::path& path) {
    std::error_code code;
    return fs::exists(path, code);
}

/// Whether an axis of the sweep decides the field that an error names.
bool on_an_axis(const Sweep& sweep, std::string field) {
    field.erase(0, field.find_first_not_of('-'));
    std::replace(field.begin(), field.end(), '-', '_');
    const std::string top = field.substr(0, field.find('.'));
    return std::any_of(sweep.axes.begin(), sweep.axes.end(), [&](const SweepAxis& axis) {
        const std::string axis_top = axis.field.substr(0, axis.field.find('.'));
        return axis_top == top || (axis_top == "size" && (top == "width" || top == "height"));
    });
}

/// `run`, whose refusals say in which cell where an axis decides the field that they name.
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

/// The models of a sweep, each opened once.
class Models {
public:
    const ModelFolder& of(const fs::path& path, Observer& observer) {
        auto it = models_.find(path);
        if (it == models_.end()) {
            it = models_.emplace(path, ModelFolder::open(path)).first;
            for (const std::string& warning : it->second.warnings) observer.warning(warning);
        }
        return it->second;
    }

private:
    std::map<fs::path, ModelFolder> models_;
};

Request resolved_cell(const Sweep& sweep, std::size_t cell, Models& models, Observer& observer) {
    Request r = sweep.request_of(cell);
    r.model = find_model(r.model);
    const ModelFolder& model = models.of(r.model, observer);
    r = Pipeline::resolve(r, model);
    make_paths_absolute(r);
    if (r.start) {
        const RunFolder parent = RunFolder::open(r.start->run);
        branch_of(r.start->run, r.start->step); // refuses what is not there
        Observer quiet;
        check_branch(r, parent, quiet);
        r.seed = parent.record().request.seed;
        r.start->sha256 = parent.record().find(r.start->step)->sha256;
    }
    return r;
}

/// What preflight looks at: cells that share it are looked at once.
std::string preflight_key(const Request& r) {
    Json json = to_json(r);
    for (const char* key : {"guidance", "guidance_low", "shift", "seed", "sampler", "steps", "prompt"}) json.erase(key);
    return json.dump();
}

std::string slug(std::string_view text) {
    std::string out;
    for (const unsigned char c : text) {
        if (out.size() >= 60) break;
        if (c < 0x80 && (std::isalnum(c) || c == '.'))
            out += char(c);
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    while (!out.empty() && (out.back() == '-' || out.back() == '.')) out.pop_back();
    return out;
}

fs::path run_folder_of(const SweepFolder& folder, std::size_t cell) {
    return folder.path() / "runs" / fmt::format("{:03}-{}", cell, slug(folder.record().sweep.label(cell, 24)));
}

/// What a run says of itself; nothing where there is none that can be read.
std::optional<RunRecord> record_of(const fs::path& run) try {
    if (run.empty() || !is_there(run / "run.json")) return std::nullopt;
    return RunFolder::open(run).record();
} catch (const Error&) {
    return std::nullopt;
}

bool is_of(const RunRecord& run, const Request& request) {
    return request_identity(run.request) == request_identity(request);
}

bool finished(const fs::path& run, const Request& request) {
    const auto record = record_of(run);
    return record && record->state == RunState::done && is_of(*record, request) && is_there(run / "video.mp4");
}

/// Errors after which no other cell would fare better.
bool hopeless(const SweepFolder& folder) {
    std::error_code code;
    const fs::space_info space = fs::space(folder.path(), code);
    return code || space.available < (std::uintmax_t{64} << 20);
}

} // namespace

double SweepPlan::flop_to_do(const SweepRecord& record) const {
    double sum = 0;
    for (const std::size_t cell : order)
        if (renders(cell) && record.cells[cell].state != SweepCell::State::done) sum += flop[cell];
    return sum;
}

std::string request_identity(const Request& resolved) {
    Request r = resolved;
    r.threads = 0;
    r.latents = KeepLatents::all;
    return to_json(r).dump();
}

bool is_run_of(const RunRecord& run, const fs::path& folder, const Request& request) {
    if (run.state != RunState::done || request_identity(run.request) != request_identity(request) ||
        run.build != build_description() || !is_there(folder / "video.mp4"))
        return false;
    return inputs_unchanged(run, folder);
}

SweepPlan plan_sweep(const Sweep& sweep, bool reuse, Observer& observer) {
    check(sweep, "");
    SweepPlan plan;
    plan.order = rendering_order(sweep);
    const std::size_t cells = sweep.size();
    plan.requests.resize(cells);
    plan.same.resize(cells);
    plan.found.resize(cells);
    plan.flop.resize(cells);
    Models models;
    std::map<std::string, std::size_t> seen;
    std::map<std::string, bool> looked_at;
    for (const std::size_t cell : plan.order)
        in_cell(sweep, cell, [&] {
            Request& r = plan.requests[cell] = resolved_cell(sweep, cell, models, observer);
            const ModelFolder& model = models.of(find_model(r.model), observer);
            if (looked_at.emplace(preflight_key(r), true).second) preflight(r, model, Needs::everything);
            plan.flop[cell] = Pipeline::estimate(r, model).flop;
            const auto [it, is_new] = seen.emplace(request_identity(r), cell);
            if (!is_new) plan.same[cell] = it->second;
        });
    if (!reuse) return plan;
    for (const HistoryEntry& entry : list_runs(""))
        if (const auto it = seen.find(request_identity(entry.record.request));
            it != seen.end() && plan.found[it->second].empty() &&
            is_run_of(entry.record, entry.path, plan.requests[it->second]))
            plan.found[it->second] = entry.path;
    return plan;
}

void check_means(const Sweep& sweep, const SweepPlan& plan, const fs::path& folder) {
    Models models;
    Observer quiet;
    std::set<std::string> devices, looked_at;
    for (const std::size_t cell : plan.order) {
        if (!plan.renders(cell)) continue;
        const Request& r = plan.requests[cell];
        const Device device = r.device.value_or(Device{});
        if (devices.insert(device.name()).second) in_cell(sweep, cell, [&] { open_backend(device, 1); });
        if (looked_at.insert(fmt::format("{} {}", preflight_key(r), *r.steps)).second)
            check_disk_space(r, models.of(find_model(r.model), quiet), folder);
    }
}

void run_sweep(SweepFolder& folder, const SweepPlan& plan, Engine& engine, const SweepCalls& calls, Observer& observer,
               std::stop_token stop) {
    SweepRecord& record = folder.record();
    std::error_code code;
    fs::create_directory(folder.path() / "runs", code);
    const auto ended = [&](std::size_t cell) {
        if (calls.ends) calls.ends(cell);
        folder.save();
    };
    const std::size_t of = std::size_t(
        std::count_if(plan.order.begin(), plan.order.end(), [&](std::size_t cell) { return plan.renders(cell); }));
    std::size_t number = 0;
    fs::path before; // the run rendered last
    for (const std::size_t cell : plan.order) {
        if (stop.stop_requested()) throw Cancelled();
        SweepCell& c = record.cells[cell];
        const bool rendered_here = plan.renders(cell);
        if (rendered_here) ++number;
        if (c.state == SweepCell::State::done && finished(c.run, plan.requests[cell])) {
            before = c.run;
            continue;
        }
        if (!rendered_here) {
            const SweepCell* other = plan.same[cell] ? &record.cells[*plan.same[cell]] : nullptr;
            c.run = other ? other->run : plan.found[cell];
            c.state = other ? other->state : SweepCell::State::done;
            c.error = other ? other->error : std::nullopt;
            c.reused = true;
            ended(cell);
            continue;
        }
        if (calls.begins) calls.begins(cell, number, of);
        c = {};
        try {
            const auto on_run = [&](const RunFolder& run) {
                c.run = run.path();
                folder.save();
                if (calls.on_run) calls.on_run(run);
            };
            const fs::path own = run_folder_of(folder, cell);
            RenderResult result;
            if (const auto there = record_of(own)) {
                if (!is_of(*there, plan.requests[cell]))
                    throw Error(own.string(), "", "holds the run of another request", "move it elsewhere");
                result = resume(own, on_run, plan.requests[cell].threads, engine, observer, stop);
                if (!is_there(own / "video.mp4")) // removed since: resume() leaves a finished run as it is
                    decode_run(own, std::nullopt, own / "video.mp4", plan.requests[cell].threads, observer, stop);
                c.run = own; // a finished one tells nobody
            } else {
                RenderOptions options;
                options.run_dir = own;
                options.conditioning_of = before;
                options.on_run = on_run;
                result = render(plan.requests[cell], options, engine, observer, stop);
            }
            c.state = SweepCell::State::done;
            c.seconds = result.seconds;
            before = c.run;
        } catch (const Error& e) {
            c.state = SweepCell::State::failed;
            c.error = e;
            if (hopeless(folder)) throw;
        }
        ended(cell);
    }
}

} // namespace denoir

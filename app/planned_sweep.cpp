// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/planned_sweep.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "app/text.h"
#include "engine/session/model_lookup.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"
#include "engine/session/sweep_run.h"

namespace denoir::app {
namespace {

/// What of a request decides the rest of it: requests that differ in nothing else resolve to the same, but for what
/// they differ in. Whether it was said counts, and not what. Reading a model's headers takes many times longer.
std::string resolved_alike(const Request& request) {
    Request r = request;
    if (r.seed) r.seed = 0;
    r.prompt = r.prompt.empty() ? "" : "a";
    if (r.negative_prompt) r.negative_prompt = r.negative_prompt->empty() ? "" : "a";
    if (r.shift) r.shift = 1;
    return to_json(r).dump(-1, ' ', false, Json::error_handler_t::replace);
}

struct Found {
    QString run;
    double seconds = 0;
};

/// Finished runs by identity; each is read once, when a request could be its own.
class Finished {
public:
    explicit Finished(const std::vector<RunHistory::Done>& done) {
        for (const RunHistory::Done& one : done) by_numbers_[numbers(one)].push_back(one.run);
    }
    Found find(const Request& resolved, const std::string& wanted) {
        if (!resolved.seed || !resolved.width || !resolved.height || !resolved.frames) return {};
        RunHistory::Done like{
            {}, *resolved.seed, *resolved.width, *resolved.height, *resolved.frames, Pipeline::step_count(resolved)};
        const auto alike = by_numbers_.find(numbers(like));
        if (alike == by_numbers_.end()) return {};
        for (const QString& run : alike->second) read(run);
        alike->second.clear();
        const auto it = by_identity_.find(wanted);
        return it == by_identity_.end() ? Found() : it->second;
    }

private:
    using Numbers = std::array<quint64, 5>;
    static Numbers numbers(const RunHistory::Done& d) {
        return {d.seed, quint64(d.width), quint64(d.height), quint64(d.frames), quint64(d.steps)};
    }
    void read(const QString& run) try {
        const RunFolder folder = RunFolder::open(to_path(run));
        const RunRecord& record = folder.record();
        if (is_run_of(record, folder.path(), record.request))
            by_identity_.try_emplace(request_identity(record.request), Found{run, record.seconds});
    } catch (const Error&) { // gone or damaged: it serves nobody
    }
    std::map<Numbers, std::vector<QString>> by_numbers_;
    std::unordered_map<std::string, Found> by_identity_;
};

} // namespace

std::vector<std::size_t> PlannedSweep::to_render(const Sweep& sweep) const {
    std::vector<std::size_t> out;
    std::vector<bool> taken(cells.size(), false);
    for (const std::size_t cell : rendering_order(sweep)) {
        const std::size_t first = cells[cell].same_as;
        if (!cells[cell].run.isEmpty() || taken[first]) continue;
        taken[first] = true;
        out.push_back(cell);
    }
    return out;
}

PlannedSweep plan_cells(const Sweep& sweep, const std::vector<RunHistory::Done>& done, const std::stop_token& stop) {
    PlannedSweep plan;
    plan.cells.resize(sweep.size());
    std::map<std::filesystem::path, ModelFolder> models; // headers are read once
    std::unordered_map<std::string, std::size_t> first;
    Finished finished(done);
    struct Known {
        std::optional<Request> resolved;
        Estimate work;
    };
    std::unordered_map<std::string, Known> before; // what a seed or a prompt does not change
    const auto place = [&](PlannedSweep::Cell& cell, std::size_t i) {
        const std::string own = request_identity(*cell.resolved);
        cell.same_as = first.try_emplace(own, i).first->second;
        if (cell.same_as != i) {
            cell.run = plan.cells[cell.same_as].run;
            cell.run_seconds = plan.cells[cell.same_as].run_seconds;
            return;
        }
        const Found found = finished.find(*cell.resolved, own);
        cell.run = found.run;
        cell.run_seconds = found.seconds;
    };
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
        if (stop.stop_requested()) throw Cancelled();
        PlannedSweep::Cell& cell = plan.cells[i];
        cell.same_as = i;
        try {
            Request r = sweep.request_of(i);
            const std::filesystem::path asked = r.model;
            r.model = find_model(asked);
            const std::string alike = resolved_alike(r);
            if (const auto it = before.find(alike); it != before.end()) {
                cell.resolved = it->second.resolved;
                cell.work = it->second.work;
                cell.resolved->seed = r.seed;
                cell.resolved->prompt = r.prompt;
                if (r.negative_prompt) cell.resolved->negative_prompt = r.negative_prompt;
                if (r.shift) cell.resolved->shift = r.shift;
                place(cell, i);
                continue;
            }
            auto model = models.find(r.model);
            if (model == models.end()) model = models.emplace(r.model, ModelFolder::open(r.model)).first;
            cell.resolved = Pipeline::resolve(r, model->second);
            make_paths_absolute(*cell.resolved);
            cell.work = Pipeline::estimate(*cell.resolved, model->second);
            before.emplace(alike, Known{cell.resolved, cell.work});
            place(cell, i);
        } catch (...) {
            const Issue issue = Issue::from_current_exception();
            if (!plan.issue_cell) plan.issue = issue, plan.issue_cell = i;
        }
    }
    return plan;
}

} // namespace denoir::app

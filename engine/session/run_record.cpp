// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "engine/core/json_reader.h"
#include "engine/pipeline/windows.h"
#include "engine/session/request_json.h"

namespace denoir {
namespace {

constexpr std::array<std::string_view, 5> states{"waiting", "running", "done", "failed", "cancelled"};

Json sum_json(const std::string& sum) { return sum.empty() ? Json() : Json(sum); }

Json step_json(const StepRecord& s) {
    Json out{{"step", s.step},
             {"seconds", s.seconds},
             {"sha256", s.sha256},
             {"solver_sha256", sum_json(s.solver_sha256)},
             {"latent_mean", s.latent_mean},
             {"latent_std", s.latent_std},
             {"x0_std", s.x0_std},
             {"x0_change", s.x0_change}};
    if (s.forwards > 0) out["forwards"] = s.forwards, out["reused"] = s.reused;
    return out;
}

/// A string; null stands for the empty one.
std::string text_from(const JsonReader& in) { return in.value().is_null() ? std::string() : in.text(); }

StepRecord step_from(const JsonReader& in) {
    StepRecord s;
    s.step = int(in.at("step").integer(0, most_run_steps));
    s.seconds = in.at("seconds").number();
    s.sha256 = text_from(in.at("sha256"));
    s.solver_sha256 = text_from(in.at("solver_sha256"));
    s.latent_mean = in.at("latent_mean").number(), s.latent_std = in.at("latent_std").number();
    s.x0_std = in.at("x0_std").number(), s.x0_change = in.at("x0_change").number();
    if (in.value().contains("forwards")) {
        s.forwards = int(in.at("forwards").integer(0, 2));
        s.reused = int(in.at("reused").integer(0, s.forwards));
    }
    return s;
}

/// The record's request. An error about its `schema` is made to name "request.schema", since the record has a `schema`
/// of its own.
Request stored_request(const Json& json, const std::string& file) {
    try {
        return request_from_json(json, {file, {}});
    } catch (const Error& e) {
        if (e.field() != "schema") throw;
        throw Error(e.file(), "request.schema", e.message(), e.hint());
    }
}

} // namespace

std::string_view name(RunState state) { return states[std::size_t(state)]; }

void RunRecord::add_stage(Stage stage, double time) {
    for (auto& [name, sum] : stages)
        if (name == key(stage)) {
            sum += time;
            return;
        }
    stages.emplace_back(key(stage), time);
}

const StepRecord* RunRecord::find(int step) const {
    for (const StepRecord& s : steps)
        if (s.step == step) return &s;
    return nullptr;
}

Json to_json(const RunRecord& r) {
    Json files = Json::array(), stages = Json::object(), steps = Json::array();
    for (const ModelFile& f : r.files)
        files.push_back(
            {{"path", f.path}, {"bytes", f.bytes}, {"modified_ns", f.modified_ns}, {"sha256", sum_json(f.sha256)}});
    for (const auto& [stage, seconds] : r.stages) stages[stage] = seconds;
    for (const StepRecord& s : r.steps) steps.push_back(step_json(s));
    return {{"schema", 1},
            {"state", name(r.state)},
            {"request", to_json(r.request)},
            {"out", r.out.string()},
            {"metadata", r.metadata},
            {"created", r.created},
            {"updated", r.updated},
            {"model_files", files},
            {"build", r.build},
            {"device", r.device},
            {"stages", stages},
            {"total_steps", r.total_steps},
            {"steps", steps},
            {"conditioning_sha256", sum_json(r.conditioning_sha256)},
            {"video_sha256", sum_json(r.video_sha256)},
            {"seconds", r.seconds},
            {"peak_memory_bytes", r.peak_memory_bytes},
            {"error", r.error ? to_json(*r.error) : Json()},
            {"warnings", r.warnings}};
}

RunRecord record_from_json(const Json& json, const std::string& file) {
    const JsonSource source{file, {}, "this is not a run folder of Denoir, or it was changed", false};
    const JsonReader in(json, source);
    if (in.at("schema").integer(0, 1 << 20) != 1) in.at("schema").refuse("is of another version");
    RunRecord r;
    const std::string state = text_from(in.at("state"));
    const auto known = std::find(states.begin(), states.end(), state);
    if (known == states.end()) in.at("state").refuse("is unknown");
    r.state = RunState(known - states.begin());
    r.request = stored_request(in.at("request").value(), file);
    r.out = text_from(in.at("out"));
    r.metadata = in.at("metadata").boolean();
    r.created = text_from(in.at("created")), r.updated = text_from(in.at("updated"));
    const JsonReader files = in.at("model_files");
    for (std::size_t i = 0; i < files.items(); ++i) {
        const JsonReader f = files.item(i);
        r.files.push_back({text_from(f.at("path")), std::uint64_t(f.at("bytes").integer(0, INT64_MAX)),
                           f.at("modified_ns").integer(INT64_MIN, INT64_MAX), text_from(f.at("sha256"))});
    }
    r.build = in.at("build").value(), r.device = in.at("device").value();
    const JsonReader stages = in.at("stages");
    stages.check_object();
    for (const auto& [stage, seconds] : stages.value().items())
        r.stages.emplace_back(stage, stages.member(stage, seconds).number());
    r.total_steps = int(in.at("total_steps").integer(0, most_run_steps));
    const JsonReader steps = in.at("steps");
    if (steps.items() > std::size_t(r.total_steps) + 1) steps.refuse("are more than the run has");
    for (std::size_t i = 0; i < steps.items(); ++i) {
        r.steps.push_back(step_from(steps.item(i)));
        if (r.steps.back().step != int(i)) steps.refuse("must be 0, 1, 2, …");
    }
    r.conditioning_sha256 = text_from(in.at("conditioning_sha256")), r.video_sha256 = text_from(in.at("video_sha256"));
    r.seconds = in.at("seconds").number();
    r.peak_memory_bytes = std::uint64_t(in.at("peak_memory_bytes").integer(0, INT64_MAX));
    if (const JsonReader e = in.at("error"); !e.value().is_null()) r.error = error_from(e);
    const JsonReader warnings = in.at("warnings");
    for (std::size_t i = 0; i < warnings.items(); ++i) r.warnings.push_back(warnings.item(i).text());
    return r;
}

std::string utc_now() {
    using namespace std::chrono;
    const auto now = time_point_cast<milliseconds>(system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(system_clock::to_time_t(now)),
                       now.time_since_epoch().count() % 1000);
}

Json build_description() { return {{"version", DENOIR_VERSION}, {"compiler", __VERSION__}}; }

} // namespace denoir

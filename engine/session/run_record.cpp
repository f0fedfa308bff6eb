// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>

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

/// Members of a JSON object, each asked for with its type.
class Members {
public:
    Members(const Json& object, std::string file, std::string where)
        : object_(object), file_(std::move(file)), where_(std::move(where)) {
        if (!object.is_object()) refuse("", "must be an object");
    }
    const Json& at(const char* key) const {
        const auto it = object_.find(key);
        if (it == object_.end()) refuse(key, "is missing");
        return *it;
    }
    std::string text(const char* key) const {
        const Json& v = at(key);
        if (v.is_null()) return {};
        if (!v.is_string()) refuse(key, "must be text");
        return v.get<std::string>();
    }
    double number(const char* key) const {
        const Json& v = at(key);
        if (!v.is_number()) refuse(key, "must be a number");
        return v.get<double>();
    }
    std::int64_t whole(const char* key, std::int64_t low, std::int64_t high) const {
        const Json& v = at(key);
        const bool large = v.is_number_unsigned() && v.get<std::uint64_t>() > std::uint64_t(INT64_MAX);
        if (!v.is_number_integer() || large || v.get<std::int64_t>() < low || v.get<std::int64_t>() > high)
            refuse(key, fmt::format("must be a whole number from {} to {}", low, high));
        return v.get<std::int64_t>();
    }
    bool flag(const char* key) const {
        const Json& v = at(key);
        if (!v.is_boolean()) refuse(key, "must be true or false");
        return v.get<bool>();
    }
    const Json& list(const char* key) const {
        const Json& v = at(key);
        if (!v.is_array()) refuse(key, "must be a list");
        return v;
    }
    [[noreturn]] void refuse(const std::string& key, std::string what) const {
        throw Error(file_, where_ + key, std::move(what), "this is not a run folder of Denoir, or it was changed");
    }

private:
    const Json& object_;
    std::string file_, where_;
};

StepRecord step_from(const Json& json, const std::string& file, std::size_t index) {
    const Members m(json, file, fmt::format("steps[{}].", index));
    StepRecord s;
    s.step = int(m.whole("step", 0, most_run_steps));
    s.seconds = m.number("seconds");
    s.sha256 = m.text("sha256");
    s.solver_sha256 = m.text("solver_sha256");
    s.latent_mean = m.number("latent_mean"), s.latent_std = m.number("latent_std");
    s.x0_std = m.number("x0_std"), s.x0_change = m.number("x0_change");
    if (json.contains("forwards")) {
        s.forwards = int(m.whole("forwards", 0, 2));
        s.reused = int(m.whole("reused", 0, s.forwards));
    }
    return s;
}

/// A record has a `schema` of its own: of its request's fields that one alone could be mistaken.
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

std::string_view key(Stage stage) {
    switch (stage) {
    case Stage::load_text:
        return "load_text";
    case Stage::text:
        return "text";
    case Stage::load_clip:
        return "load_clip";
    case Stage::clip:
        return "clip";
    case Stage::load_vae:
        return "load_vae";
    case Stage::image:
        return "image";
    case Stage::load_transformer:
        return "load_transformer";
    case Stage::denoise:
        return "denoise";
    case Stage::decode:
        return "decode";
    }
    return "";
}

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
    Json error;
    if (r.error)
        error = {{"file", r.error->file()},
                 {"field", r.error->field()},
                 {"message", r.error->message()},
                 {"hint", r.error->hint()}};
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
            {"error", error},
            {"warnings", r.warnings}};
}

RunRecord record_from_json(const Json& json, const std::string& file) {
    const Members m(json, file, "");
    if (m.whole("schema", 0, 1 << 20) != 1) m.refuse("schema", "is of another version");
    RunRecord r;
    const std::string state = m.text("state");
    const auto known = std::find(states.begin(), states.end(), state);
    if (known == states.end()) m.refuse("state", "is unknown");
    r.state = RunState(known - states.begin());
    r.request = stored_request(m.at("request"), file);
    r.out = m.text("out");
    r.metadata = m.flag("metadata");
    r.created = m.text("created"), r.updated = m.text("updated");
    for (const Json& f : m.list("model_files")) {
        const Members one(f, file, "model_files.");
        r.files.push_back({one.text("path"), std::uint64_t(one.whole("bytes", 0, INT64_MAX)),
                           one.whole("modified_ns", INT64_MIN, INT64_MAX), one.text("sha256")});
    }
    r.build = m.at("build"), r.device = m.at("device");
    for (const auto& [stage, seconds] : m.at("stages").items()) {
        if (!seconds.is_number()) m.refuse("stages", "must hold numbers");
        r.stages.emplace_back(stage, seconds.get<double>());
    }
    r.total_steps = int(m.whole("total_steps", 0, most_run_steps));
    const Json& steps = m.list("steps");
    if (steps.size() > std::size_t(r.total_steps) + 1) m.refuse("steps", "are more than the run has");
    for (const Json& s : steps) {
        r.steps.push_back(step_from(s, file, r.steps.size()));
        if (r.steps.back().step != int(r.steps.size()) - 1) m.refuse("steps", "must be 0, 1, 2, …");
    }
    r.conditioning_sha256 = m.text("conditioning_sha256"), r.video_sha256 = m.text("video_sha256");
    r.seconds = m.number("seconds");
    r.peak_memory_bytes = std::uint64_t(m.whole("peak_memory_bytes", 0, INT64_MAX));
    if (!m.at("error").is_null()) {
        const Members e(m.at("error"), file, "error.");
        r.error = Error(e.text("file"), e.text("field"), e.text("message"), e.text("hint"));
    }
    for (const Json& w : m.list("warnings")) r.warnings.push_back(w.is_string() ? w.get<std::string>() : std::string());
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

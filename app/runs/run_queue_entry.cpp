// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/run_queue_entry.h"

#include <algorithm>
#include <filesystem>

#include "app/base/folder.h"
#include "app/base/text.h"
#include "engine/core/json_fields.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/request_json.h"
#include "engine/session/run_folder.h"

namespace denoir::app {
namespace {

/// The progress at which denoising begins and ends if there is no forecast: most of a run is denoising.
constexpr double before_denoise = 0.04, before_decode = 0.85;

constexpr const char* state_names[] = {"waiting", "running", "done", "failed", "cancelled", "interrupted"};

Json issue_json(const Issue& issue) {
    if (issue.isEmpty()) return {};
    return {{"file", issue.file.toStdString()},
            {"field", issue.field.toStdString()},
            {"message", issue.message.toStdString()},
            {"hint", issue.hint.toStdString()}};
}

Issue issue_from_json(const Json& json) {
    if (!json.is_object()) return {};
    const auto text = [&](const char* key) {
        const auto it = json.find(key);
        return it != json.end() && it->is_string() ? to_qstring(it->get_ref<const std::string&>()).left(400)
                                                   : QString();
    };
    return {text("file"), text("field"), text("message"), text("hint")};
}

} // namespace

double RunQueue::Entry::fraction() const {
    if (state == State::done) return 1;
    if (state != State::running) return -1;
    const double part = progress.total > 0 ? std::clamp(progress.done / progress.total, 0.0, 1.0) : 0;
    double low = before_denoise, high = before_decode;
    const double known = expected.before + expected.denoise + expected.decode;
    if (known > 0) low = expected.before / known, high = (expected.before + expected.denoise) / known;
    const bool denoising = progress.stage == Stage::denoise;
    if (steps > 0 && step >= steps) return progress.stage == Stage::decode ? high + part * (1 - high) : high;
    if (!denoising && step == 0) return low * part;
    // Between windows the clip so far is decoded and encoded again, during which no step is taken.
    return low + std::max(steps > 0 ? double(step) / steps : 0, denoising ? part : 0) * (high - low);
}

double RunQueue::Entry::seconds_left() const {
    if (state != State::running) return -1;
    const bool denoising = progress.stage == Stage::denoise, decoding = progress.stage == Stage::decode;
    if (denoising && progress.seconds_left >= 0) return progress.seconds_left + std::max(expected.decode, 0.0);
    if (decoding && step >= steps) return progress.seconds_left;
    if (denoising || decoding || expected.denoise <= 0) return -1;
    if (step == 0) return std::max(0.0, expected.before - progress.stage_seconds) + expected.denoise + expected.decode;
    return -1;
}

bool RunQueue::Entry::left_of_denoising() const { return progress.stage == Stage::denoise && expected.decode <= 0; }

void RunQueue::Entry::take(const RequestDocument::Snapshot& snapshot) {
    request = snapshot.request;
    prompt_template = snapshot.prompt_template;
    negative_template = snapshot.negative_template;
}

bool RunQueue::Entry::has_run() const {
    std::error_code code;
    return !run.isEmpty() && std::filesystem::is_regular_file(to_path(run) / run_file::record, code);
}

void RunQueue::Entry::drop_empty_run() {
    if (has_run()) return;
    std::error_code code;
    if (!run.isEmpty() && std::filesystem::is_empty(to_path(run), code) && !code)
        std::filesystem::remove(to_path(run), code);
    run.clear();
}

void RunQueue::Entry::after_crash() {
    // A run that is only out of reach, on a disk that is not mounted, must not begin anew.
    std::error_code code;
    if (!resume || (can_begin_anew() && std::filesystem::is_directory(to_path(run).parent_path(), code)))
        drop_empty_run();
    if (run.isEmpty()) {
        state = State::waiting;
        resume = !can_begin_anew();
        return;
    }
    state = State::interrupted;
    left_at_work = true;
    try {
        const RunState ended = RunFolder::open(to_path(run)).record().state;
        if (ended == RunState::done) state = State::done;
        if (ended == RunState::cancelled) state = State::cancelled; // the program was about to end
    } catch (const Error& error) {
        issue = Issue::from(error);
        state = State::failed;
    }
}

Json RunQueue::Entry::to_json() const {
    return {{"id", id},
            {"kind", resume ? "resume" : "render"},
            {"state", state_names[int(state)]},
            {"request", asked_json(request)},
            {"prompt_template", prompt_template.toStdString()},
            {"negative_template", negative_template.toStdString()},
            {"tag", tag.toStdString()},
            {"label", label.toStdString()},
            {"run", run.toStdString()},
            {"issue", issue_json(issue)}};
}

RunQueue::Entry RunQueue::Entry::from_json(const Json& json, const std::string& file, quint64 id) {
    if (!json.is_object() || !json.contains("request")) throw Error(file, "entries", "is damaged");
    Entry e;
    const auto own = json.find("id");
    e.id = own != json.end() && own->is_number_unsigned() ? own->get<quint64>() : id;
    e.request = request_from_json(json["request"], {file, "/"});
    e.resume = text_of(json, "kind") == "resume";
    e.prompt_template = to_qstring(text_of(json, "prompt_template"));
    e.negative_template = to_qstring(text_of(json, "negative_template"));
    e.tag = to_qstring(text_of(json, "tag"));
    e.label = to_qstring(text_of(json, "label"));
    if (const QString run = to_qstring(text_of(json, "run")); !run.isEmpty()) e.run = real_path(run);
    e.issue = issue_from_json(json.value("issue", Json()));
    const std::string state = text_of(json, "state");
    for (int i = 0; i < int(std::size(state_names)); ++i)
        if (state == state_names[i]) e.state = State(i);
    return e;
}

} // namespace denoir::app

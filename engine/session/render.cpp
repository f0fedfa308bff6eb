// SPDX-License-Identifier: Apache-2.0
#include "engine/session/render.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/pipeline/few_steps.h"
#include "engine/pipeline/run_layout.h"
#include "engine/session/branch.h"
#include "engine/session/frame_output.h"
#include "engine/session/inputs.h"
#include "engine/session/model_lookup.h"
#include "engine/session/output_check.h"
#include "engine/session/preflight.h"
#include "engine/session/request_json.h"
#include "engine/session/run_worker.h"
#include "engine/session/stored_run.h"
#include "engine/session/unchanged.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// "a-red-balloon-rises", for the name of a folder.
std::string slug(std::string_view prompt) {
    const std::string out = file_slug(lower_ascii(prompt), 32);
    return out.empty() ? "run" : out;
}

void check_run_dir(const fs::path& run_dir, const fs::path& out, const std::vector<fs::path>& inputs) {
    if (run_dir.empty()) return;
    if (is_run_folder(run_dir))
        throw Error(run_dir.string(), "", "already holds a run",
                    "resume it with render --resume, or give another --run-dir");
    check_output_folder(run_dir, inputs);
    if (out.empty()) return;
    const bool below = lies_in(run_dir, out), above = lies_in(out, run_dir);
    if (below && above) throw UsageError("", "--run-dir", "is the same as --out", "give two places");
    if (below) throw UsageError("", "--run-dir", "lies in --out, which must stay empty", "give two places");
    if (above && check_output(out, inputs) == OutputKind::frames)
        throw UsageError("", "--out", "is a folder in --run-dir",
                         "give two places, or no --out: frames can be decoded");
}

/// Files of a run are never written in place.
bool linked(const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::create_hard_link(from, to, code);
    if (code != std::errc::file_exists) return !code;
    // What was begun before run.json said so: the same, or what is left of it.
    if (fs::equivalent(from, to, code)) return true;
    fs::remove(to, code);
    fs::create_hard_link(from, to, code);
    return !code;
}
void same_bytes(const fs::path& from, const fs::path& to) {
    if (!linked(from, to)) copy_file_atomically(from, to);
}

/// What the encoders gave to another run.
void take_conditioning(RunFolder& run, const RunFolder& from) {
    if (!from.load_conditioning()) return;
    same_bytes(from.file(run_file::conditioning), run.file(run_file::conditioning));
    run.record().conditioning_sha256 = from.record().conditioning_sha256;
}

/// The same of the run that gives its own, if it can: whatever is wrong with it, this run can do without.
void take_conditioning_of(const fs::path& other, RunFolder& run, const ModelFolder& model) try {
    const RunFolder from = RunFolder::open(other);
    const RunRecord &now = run.record(), &before = from.record();
    // What there was to warn of while it was made would be said no more.
    const auto said = [&](const std::string& warning) {
        return std::ranges::find(now.warnings, warning) != now.warnings.end();
    };
    if (!std::ranges::all_of(before.warnings, said) || !same_conditioning(now.request, before.request) ||
        !inputs_unchanged(before, from.path()))
        return;
    if (!stored_conditioning(from, now.request, model)) return;
    take_conditioning(run, from);
    run.save();
} catch (const Error&) {
}

/// The steps up to the start of a branch, and what the encoders gave, as far as it serves.
void take_over(RunFolder& run, const RunFolder& parent, bool conditioning) {
    const int last = run.record().request.start->step;
    run.record().steps.clear();
    for (int step = 0; step <= last; ++step) {
        const StepRecord* s = parent.record().find(step);
        if (!s) continue;
        same_bytes(parent.latents_file(step), run.latents_file(step));
        run.record().steps.push_back(*s);
        if (s->solver_sha256.empty()) continue;
        // Those of earlier steps let branches begin there; on another disk they would cost too much.
        if (step == last)
            same_bytes(parent.solver_file(step), run.solver_file(step));
        else if (!linked(parent.solver_file(step), run.solver_file(step)))
            run.record().steps.back().solver_sha256.clear();
    }
    if (conditioning) take_conditioning(run, parent);
    run.save();
}

/// What a branch takes over besides the step that it begins from.
void check_steps_before(const RunFolder& parent, int last) {
    for (int step = 0; step < last; ++step) {
        std::error_code code;
        const fs::path file = parent.latents_file(step);
        if (parent.record().find(step) && !fs::is_regular_file(file, code))
            throw Error(file.string(), "", "is missing, but a branch needs the steps before its start",
                        "put it back, or render again");
    }
}

/// A branch that was ended before it had the steps of its parent gets them now: computed anew, with its own prompt and
/// guidance, they would be others.
void take_over_again(RunFolder& run, const ModelFolder& model) {
    const Request& r = run.record().request;
    const Request::Start& start = *r.start;
    if (branch_of(start.run, start.step).start->sha256 != start.sha256)
        throw Error(start.run.string(), "start.sha256", fmt::format("step {} there has other latents", start.step),
                    "render the branch again");
    const RunFolder parent = RunFolder::open(start.run);
    stored_state(parent, start.step, r, model);
    check_steps_before(parent, start.step);
    take_over(run, parent, shares_conditioning(r, parent.record().request));
}

void warn_once(RunRecord& record, const std::string& text, Observer& observer) {
    if (std::ranges::find(record.warnings, text) == record.warnings.end()) record.warnings.push_back(text);
    observer.warning(text);
}

/// A clip whose steps come from two models is nobody's wish.
void check_model_files(RunRecord& record, Observer& observer, const std::stop_token& stop) {
    const ModelChanges changes = model_changes(record.files, stop);
    if (!changes.changed.empty())
        throw Error(changes.changed.front(), "", "changed since this run began",
                    "put the old file back, or render again");
    for (const std::string& file : changes.unsure)
        warn_once(record, fmt::format("{} is not the file this run began with", printable(file, 160)), observer);
}

/// That may be meant, of a branch. Of LoRAs, only those that it has too.
std::vector<std::string> warnings_of_other_files(const RunRecord& parent, const Request& r, const ModelFolder& model,
                                                 const std::stop_token& stop) {
    std::vector<fs::path> used = model_files(model, r.loras);
    for (fs::path& path : used) path = fs::absolute(path).lexically_normal();
    std::vector<ModelFile> shared;
    for (const ModelFile& file : parent.files)
        if (std::ranges::find(used, fs::path(file.path)) != used.end()) shared.push_back(file);
    const ModelChanges changes = model_changes(shared, stop);
    std::vector<std::string> out;
    for (const auto* files : {&changes.changed, &changes.unsure})
        for (const std::string& file : *files)
            out.push_back(
                fmt::format("{} is not the file that the run it starts from began with", printable(file, 160)));
    return out;
}

/// Where the rest of a run will be written: found out before it is computed.
void check_places(const RunFolder& run, int last_step) {
    std::vector<fs::path> places{run.file(run_file::video), run.file(run_file::thumbnail), run.file(run_file::metrics),
                                 run.file(run_file::conditioning)};
    for (int step = last_step + 1; step <= run.record().total_steps; ++step) {
        places.push_back(run.latents_file(step));
        places.push_back(run.solver_file(step));
    }
    for (const fs::path& place : places) {
        std::error_code code;
        if (fs::exists(fs::symlink_status(place, code)) && !fs::is_regular_file(place, code))
            throw Error(place.string(), "", "is not a file, but the run writes one there", "remove it");
    }
}

/// run.json holds absolute paths, and JSON holds UTF-8.
void check_storable(const Request& absolute, const RenderOptions& options) {
    std::vector<fs::path> paths = inputs_of(absolute);
    for (const fs::path& given : {options.out, options.run_dir.empty() ? data_folder() : options.run_dir})
        if (!given.empty()) paths.push_back(resolved_path(given.native(), fs::current_path()));
    for (const fs::path& path : paths)
        if (find_invalid_utf8(path.native()))
            throw Error(path.string(), "", "a name in this path is not UTF-8, and a run is stored as UTF-8",
                        "work in a folder with another name");
}

/// Runs elsewhere belong to the history too: a link below the data folder leads there.
void remember(const fs::path& run) try {
    std::error_code code;
    const fs::path runs = data_folder() / "runs";
    fs::create_directories(runs, code);
    const fs::path real = fs::canonical(run, code);
    if (code || real.parent_path() == fs::canonical(runs, code)) return;
    for (const auto& item : fs::directory_iterator(runs, code))
        if (fs::read_symlink(item, code) == real) return; // of a run that was there before
    const std::string name =
        fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::gmtime(std::time(nullptr)), real.filename().string().substr(0, 100));
    for (int i = 1; i < 100; ++i) {
        fs::create_directory_symlink(real, runs / (i == 1 ? name : fmt::format("{}-{}", name, i)), code);
        if (code != std::errc::file_exists) return;
    }
} catch (const Error&) { // without a data folder there is no history
}

} // namespace

RenderResult result_of(const RunFolder& run) {
    const RunRecord& r = run.record();
    RenderResult result{r.out, run.path(), r.request.seed.value_or(0), r.seconds, r.stages, r.peak_memory_bytes};
    for (const StepRecord& s : r.steps)
        if (!r.request.start || s.step > r.request.start->step) // its own, not its parent's
            result.forwards += s.forwards, result.reused += s.reused;
    return result;
}

fs::path new_run_folder(const Request& r) {
    const fs::path runs = data_folder() / "runs";
    std::error_code code;
    fs::create_directories(runs, code);
    const std::string name =
        fmt::format("{:%Y%m%d-%H%M%S}-{}-{}", fmt::gmtime(std::time(nullptr)), *r.seed, slug(r.prompt));
    for (int i = 1; i < 1000; ++i) {
        const fs::path path = runs / (i == 1 ? name : fmt::format("{}-{}", name, i));
        if (fs::create_directory(path, code)) return path;
        if (code)
            throw Error(path.string(), "", "this folder cannot be created: " + code.message(),
                        "set DENOIR_HOME, or give --run-dir");
    }
    throw Error(runs.string(), "", "already holds too many runs from this second", "give --run-dir");
}

RenderResult render(const Request& asked, const RenderOptions& options, Engine& engine, Observer& observer,
                    std::stop_token stop) {
    for (const fs::path& file : {asked.image, asked.last_image, asked.noise.file})
        if (std::error_code code; !file.empty() && fs::is_directory(file, code))
            throw Error(file.string(), "", "is a folder", "name a file");
    std::vector<fs::path> inputs = options.inputs;
    Request named = asked;
    named.model.clear(); // maybe no path but a name
    for (fs::path& path : inputs_of(named)) inputs.push_back(std::move(path));
    const auto check_out = [&] {
        if (!options.out.empty()) check_output(options.out, inputs);
    };
    check_out();
    check_run_dir(options.run_dir, options.out, inputs);

    std::optional<RunFolder> parent;
    if (asked.start) {
        branch_of(asked.start->run, asked.start->step); // refuses what is not there
        parent = RunFolder::open(asked.start->run);
    }
    Request request = asked;
    request.model = find_model(asked.model);
    inputs.push_back(request.model);
    check_out();
    const ModelFolder model = ModelFolder::open(request.model, request.parts);
    for (fs::path& path : inputs_of(model)) inputs.push_back(std::move(path));
    check_out();
    for (const std::string& warning : model.warnings) observer.warning(warning);
    if (parent) keep_windows(request, parent->record().request);
    request = Pipeline::resolve(request, model);
    if (parent) {
        make_paths_absolute(request); // as in the parent's record
        check_branch(request, *parent, observer);
        request.seed = parent->record().request.seed;
        request.start->sha256 = parent->record().find(request.start->step)->sha256;
    }
    if (!options.out.empty())
        check_frame_output(options.out, check_output(options.out, inputs), *request.width, *request.height,
                           *request.fps);
    const bool shared = parent && shares_conditioning(request, parent->record().request);
    preflight(request, model, shared ? Needs::no_encoders : Needs::everything);
    check_disk_space(request, model,
                     options.run_dir.empty() ? data_folder() : resolved_path(options.run_dir.native(), {}));
    if (parent) {
        stored_state(*parent, request.start->step, request, model);
        check_steps_before(*parent, request.start->step);
        if (shared) stored_conditioning(*parent, request, model);
    }
    const auto backend = engine.open(*request.device, request.threads);
    if (stop.stop_requested()) throw Cancelled();

    RunRecord record;
    if (parent) record.warnings = warnings_of_other_files(parent->record(), request, model, stop);
    if (std::string warning = few_steps_warning(asked, request, model); !warning.empty())
        record.warnings.push_back(std::move(warning));
    for (const std::string& warning : record.warnings) observer.warning(warning);
    make_paths_absolute(request);
    check_storable(request, options);
    record.request = request;
    const fs::path folder =
        options.run_dir.empty() ? new_run_folder(request) : resolved_path(options.run_dir.native(), fs::current_path());
    record.out =
        options.out.empty() ? folder / run_file::video : resolved_path(options.out.native(), fs::current_path());
    record.metadata = options.metadata;
    record.created = utc_now();
    record.build = build_description();
    record.total_steps = Pipeline::step_count(request);
    RunFolder run = RunFolder::create(folder, std::move(record));
    if (!options.run_dir.empty()) remember(run.path());
    if (options.on_run) options.on_run(run);
    if (parent) take_over(run, *parent, shared);
    if (!shared && !options.conditioning_of.empty()) take_conditioning_of(options.conditioning_of, run, model);
    return RunWorker(run, model, backend, engine.residency(), observer, std::move(stop)).work();
}

RenderResult resume(const fs::path& path, const std::function<void(const RunFolder&)>& on_run, int threads,
                    Engine& engine, Observer& observer, std::stop_token stop) {
    RunFolder run = RunFolder::take(path);
    RunRecord& record = run.record();
    if (record.state == RunState::done) {
        run.drop_latents();
        std::error_code ignored;
        if (!fs::exists(record.out, ignored))
            observer.warning(fmt::format("{}: is not there any more; decode the run to make it again",
                                         printable(record.out.string(), 160)));
        return result_of(run);
    }
    check_resolved(run);
    check_output(record.out, all_inputs_of(record.request), *record.request.frames, run.path());
    const ModelFolder model = ModelFolder::open(record.request.model, record.request.parts);
    const int stored = record.steps.empty() ? -1 : record.steps.back().step;
    auto state = run.last_state();
    if (const auto& start = record.request.start; start && (!state || state->step < start->step)) {
        take_over_again(run, model);
        state = run.last_state();
    }
    if (const int whole = state ? state->step : -1; whole < stored)
        observer.warning(fmt::format("{}: what was stored after step {} is missing or was changed: computed again",
                                     printable(path.string(), 160), std::max(0, whole)));
    const std::vector<Window> windows = stored_windows(run);
    const bool draws = !state || window_after(windows, state->step).index + 1 < int(windows.size());
    const Request checked = as_stored(record.request, draws);
    if (Pipeline::step_count(Pipeline::resolve(checked, model)) != record.total_steps)
        throw Error(run.file(run_file::record).string(), "total_steps", "does not fit the request",
                    "the file was changed: render again");
    if (state) stored_state(run, state->step, record.request, model);
    const bool encoded = stored_conditioning(run, record.request, model).has_value();
    if (encoded || (state && state->step > 0))
        check_model_files(record, observer, stop);
    else // noise depends on no file: the run begins now
        record.files.clear();
    preflight(checked, model, encoded ? Needs::no_encoders : Needs::everything);
    if (threads >= 0) record.request.threads = threads;
    check_places(run, state ? state->step : -1);
    const auto backend = engine.open(*record.request.device, record.request.threads);
    for (const fs::path& folder : {run.path(), run.file(run_file::latents), run.file(run_file::solver)})
        remove_partials(folder, "");
    remove_partials(record.out.parent_path(), record.out.filename().string());
    remove_partials(record.out, ""); // a folder of frames
    if (on_run) on_run(run);
    return RunWorker(run, model, backend, engine.residency(), observer, std::move(stop)).work();
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/core/own_folders.h"
#include "engine/core/text.h"
#include "engine/models/wan/vae_config.h"
#include "engine/pipeline/few_steps.h"
#include "engine/pipeline/run_layout.h"
#include "engine/pipeline/step_cache.h"
#include "engine/session/branch.h"
#include "engine/session/dated_folder.h"
#include "engine/session/frame_output.h"
#include "engine/session/inputs.h"
#include "engine/session/model_lookup.h"
#include "engine/session/output_check.h"
#include "engine/session/preflight.h"
#include "engine/session/request_json.h"
#include "engine/session/run_worker.h"
#include "engine/session/stored_run.h"
#include "engine/session/take_over.h"
#include "engine/session/unchanged.h"
#include "engine/weights/headers.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/weights.h"

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

void warn_once(RunRecord& record, const std::string& text, Observer& observer) {
    if (std::ranges::find(record.warnings, text) == record.warnings.end()) record.warnings.push_back(text);
    observer.warning(text);
}

/// Throws Error if the files that the run began with have changed: its steps would come from two models. Warns where
/// that is not known. `draws`: noise is still to be drawn.
void check_files(RunRecord& record, bool draws, Observer& observer, const std::stop_token& stop) {
    const ModelChanges changes = model_changes(files_still_read(record, draws), stop);
    if (!changes.changed.empty())
        throw Error(changes.changed.front(), "", "changed since this run began",
                    "put the old file back, or render again");
    for (const std::string& file : changes.unsure)
        warn_once(record, fmt::format("{} is not the file this run began with", printable(file, 160)), observer);
}

/// Warnings of files of the parent that are no longer those it began with: a branch may be meant to use other ones.
/// Only files that the branch uses as well are looked at.
std::vector<std::string> warnings_of_other_files(const RunRecord& parent, const Request& r, const ModelFolder& model,
                                                 const std::stop_token& stop) {
    std::vector<fs::path> used = files_of_steps(model, r);
    for (fs::path& path : used) path = fs::absolute(path).lexically_normal();
    std::vector<ModelFile> shared;
    for (const ModelFile& file : files_still_read(parent, draws_after(windows_of(r), r.start->step)))
        if (std::ranges::find(used, fs::path(file.path)) != used.end()) shared.push_back(file);
    const ModelChanges changes = model_changes(shared, stop);
    std::vector<std::string> out;
    for (const auto* files : {&changes.changed, &changes.unsure})
        for (const std::string& file : *files)
            out.push_back(
                fmt::format("{} is not the file that the run it starts from began with", printable(file, 160)));
    return out;
}

/// Throws Error, before anything is computed, if a resumed run cannot write one of its files.
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

/// Throws Error for a name that run.json could not hold.
void check_names(const Request& absolute, const ModelFolder& model, const RenderOptions& options) {
    std::vector<fs::path> paths = inputs_of(absolute);
    for (fs::path& file : files_of_steps(model, absolute)) paths.push_back(std::move(file));
    for (const fs::path& given : {options.out, options.run_dir.empty() ? data_folder() : options.run_dir})
        if (!given.empty()) paths.push_back(resolved_path(given));
    check_storable(paths);
}

/// Adds a run to the history, with a link to it if it lies elsewhere.
void remember(const fs::path& run) try {
    std::error_code code;
    const fs::path runs = data_folder() / "runs";
    fs::create_directories(runs, code);
    const fs::path real = fs::canonical(run, code);
    if (code || real.parent_path() == fs::canonical(runs, code)) return;
    for (const auto& item : entries_of(runs, code))
        if (fs::read_symlink(item, code) == real) return;
    link_dated(real, runs);
} catch (const Error&) { // without a data folder there is no history
}

/// The inputs, which the output must not replace. They become known one after the other, and the output is checked
/// each time.
struct Inputs {
    const fs::path& out;
    std::vector<fs::path> paths;

    void add(std::vector<fs::path> more) {
        paths.insert(paths.end(), more.begin(), more.end());
        if (!out.empty()) check_output(out, paths);
    }
};

/// A request that can be rendered.
struct Resolved {
    Request request;
    ModelFolder model;
    std::optional<RunFolder> parent; ///< of a branch
    bool shared = false;             ///< the parent's conditioning is used
};

/// Throws Error if a folder was given in place of a file.
void check_pictures(const Request& asked) {
    for (const fs::path& file : {asked.image, asked.last_image, asked.noise.file})
        if (std::error_code code; !file.empty() && fs::is_directory(file, code))
            throw Error(file.string(), "", "is a folder", "name a file");
}

/// Resolves the request against its model and, if it is a branch, its parent.
void resolve_for(Resolved& r, Observer& observer) {
    for (const std::string& warning : r.model.warnings) observer.warning(warning);
    r.request = Pipeline::resolve(r.request, r.model);
    if (!r.parent) return;
    make_paths_absolute(r.request);
    check_branch(r.request, *r.parent, observer);
    r.shared = shares_conditioning(r.request, r.parent->record().request, r.model);
}

/// Checks everything that headers, names and the parent's files tell, before any heavy work.
void check(const Resolved& r, const RenderOptions& options, const std::stop_token& stop) {
    preflight(r.request, r.model, r.shared ? Needs::no_encoders : Needs::everything, stop);
    check_disk_space(r.request, r.model, options.run_dir.empty() ? data_folder() : resolved_path(options.run_dir));
    if (!r.parent) return;
    stored_state(*r.parent, r.request.start->step, r.request, r.model);
    check_steps_before(*r.parent, r.request.start->step);
    if (r.shared) stored_conditioning(*r.parent, r.request, r.model);
}

Resolved resolved_and_checked(const Request& asked, const RenderOptions& options, Observer& observer,
                              const std::stop_token& stop) {
    check_pictures(asked);
    Inputs inputs{options.out, options.inputs};
    inputs.add(inputs_before_model(asked));
    check_run_dir(options.run_dir, options.out, inputs.paths);
    Resolved r{asked, {}, {}};
    if (asked.start) r.parent = open_start(r.request);
    r.request.model = find_model(asked.model);
    inputs.add({r.request.model});
    r.model = ModelFolder::open(r.request.model, r.request.parts, stop);
    inputs.add(inputs_of(r.model));
    resolve_for(r, observer);
    if (!options.out.empty() && check_output(options.out, inputs.paths) == OutputKind::video)
        check_video_output(options.out, video_options(r.request));
    check(r, options, stop);
    return r;
}

std::vector<std::string> warnings_of(const Request& asked, const Resolved& r, const std::stop_token& stop) {
    std::vector<std::string> warnings;
    if (r.parent) warnings = warnings_of_other_files(r.parent->record(), r.request, r.model, stop);
    if (r.parent && !r.shared) // the parent's pictures are the branch's too, and are encoded once more
        for (const fs::path& file : pictures_written_since(r.parent->record(), r.parent->path()))
            warnings.push_back(
                fmt::format("{} was written after the run it starts from had read it", printable(file.string(), 160)));
    if (std::string warning = few_steps_warning(asked, r.request, r.model); !warning.empty())
        warnings.push_back(std::move(warning));
    if (std::string warning = cache_warning(r.request, r.model); !warning.empty())
        warnings.push_back(std::move(warning));
    const auto vae = wan::VaeConfig::read(load_headers(r.model.vae, Component::vae21));
    if (!vae.assumed.empty()) warnings.push_back(vae.assumed);
    return warnings;
}

/// RunFolder::create(). If it fails, `folder` is removed, provided that it was `made` for this run.
RunFolder create_in(const fs::path& folder, RunRecord record, bool made) {
    try {
        return RunFolder::create(folder, std::move(record));
    } catch (const Error&) {
        std::error_code ignored;
        if (made) fs::remove(folder, ignored);
        throw;
    }
}

/// Makes the run's folder, with everything that it takes over from other runs.
RunFolder begin(const Resolved& r, std::vector<std::string> warnings, const RenderOptions& options) {
    RunRecord record;
    record.warnings = std::move(warnings);
    record.request = r.request;
    make_paths_absolute(record.request);
    check_names(record.request, r.model, options);
    const fs::path folder = options.run_dir.empty() ? new_run_folder(record.request) : resolved_path(options.run_dir);
    record.out = options.out.empty() ? folder / run_file::video : resolved_path(options.out);
    record.metadata = options.metadata;
    record.created = utc_now();
    record.build = build_description();
    record.total_steps = Pipeline::step_count(record.request);
    RunFolder run = create_in(folder, std::move(record), options.run_dir.empty());
    if (!options.run_dir.empty()) remember(run.path());
    if (options.on_run) options.on_run(run);
    if (r.parent) take_over(run, *r.parent, r.shared);
    if (!r.shared && !options.conditioning_of.empty()) take_conditioning_of(options.conditioning_of, run, r.model);
    return run;
}

} // namespace

RenderResult result_of(const RunFolder& run) {
    const RunRecord& r = run.record();
    RenderResult result{r.out, run.path(), r.request.seed.value_or(0), r.seconds, r.stages, r.peak_memory_bytes};
    for (const StepRecord& s : r.steps)
        if (!r.request.start || s.step > r.request.start->step) // not the steps of its parent
            result.forwards += s.forwards, result.reused += s.reused;
    return result;
}

fs::path new_run_folder(const Request& r) {
    return make_dated_folder("runs", fmt::format("{}-{}", *r.seed, slug(r.prompt)), "--run-dir");
}

RenderResult render(const Request& asked, const RenderOptions& options, Engine& engine, Observer& observer,
                    std::stop_token stop) {
    const Resolved r = resolved_and_checked(asked, options, observer, stop);
    const auto backend = engine.open(*r.request.device, r.request.threads);
    if (stop.stop_requested()) throw Cancelled();
    std::vector<std::string> warnings = warnings_of(asked, r, stop);
    for (const std::string& warning : warnings) observer.warning(warning);
    RunFolder run = begin(r, std::move(warnings), options);
    return RunWorker(run, r.model, backend, engine.residency(), observer, std::move(stop)).work();
}

namespace {

/// The result of a run that is done already.
RenderResult finished(RunFolder& run, Observer& observer) {
    run.drop_latents();
    const fs::path& out = run.record().out;
    if (std::error_code ignored; !fs::exists(out, ignored))
        observer.warning(
            fmt::format("{}: is not there any more; decode the run to make it again", printable(out.string(), 160)));
    return result_of(run);
}

/// The state to resume from; empty: from the beginning. A branch that lacks steps of its parent takes them over first.
/// Warns of stored steps that are lost.
std::optional<DenoiseState> state_to_resume(RunFolder& run, const fs::path& path, const ModelFolder& model,
                                            Observer& observer) {
    const RunRecord& record = run.record();
    const int stored = record.steps.empty() ? -1 : record.steps.back().step;
    auto state = run.last_state();
    if (const auto& start = record.request.start; start && (!state || state->step < start->step)) {
        take_over_again(run, model);
        state = run.last_state();
    }
    if (const int whole = state ? state->step : -1; whole < stored)
        observer.warning(fmt::format("{}: what was stored after step {} is missing or was changed: computed again",
                                     printable(path.string(), 160), std::max(0, whole)));
    return state;
}

/// Removes what a killed process left half-written.
void remove_leftovers(const RunFolder& run) {
    for (const fs::path& folder : {run.path(), run.file(run_file::latents), run.file(run_file::solver)})
        remove_partials(folder, "");
    const fs::path& out = run.record().out;
    remove_partials(out.parent_path(), out.filename().string());
    remove_partials(out, ""); // a folder of frames
}

} // namespace

RenderResult resume(const fs::path& path, const std::function<void(const RunFolder&)>& on_run, int threads,
                    Engine& engine, Observer& observer, std::stop_token stop) {
    RunFolder run = RunFolder::take(path);
    RunRecord& record = run.record();
    if (record.state == RunState::done) return finished(run, observer);
    check_resolved(run);
    const ModelFolder model = ModelFolder::open(find_model(record.request.model), record.request.parts, stop);
    std::vector<fs::path> inputs = inputs_of(record.request);
    for (fs::path& file : inputs_of(model)) inputs.push_back(std::move(file));
    check_output_of_run(record.out, inputs, *record.request.frames, run.path());
    const auto state = state_to_resume(run, path, model, observer);
    const bool draws = !state || draws_after(stored_windows(run), state->step);
    const Request checked = as_stored(record.request, draws);
    if (Pipeline::step_count(Pipeline::resolve(checked, model)) != record.total_steps)
        throw Error(run.file(run_file::record).string(), "total_steps", "does not fit the request",
                    "the file was changed: render again");
    if (state) stored_state(run, state->step, record.request, model);
    const bool encoded = stored_conditioning(run, record.request, model).has_value();
    if (encoded || (state && state->step > 0))
        check_files(record, draws, observer, stop);
    else // noise depends on no file: the run begins now
        record.files.clear();
    preflight(checked, model, encoded ? Needs::no_encoders : Needs::everything, stop);
    if (threads >= 0) record.request.threads = threads;
    check_places(run, state ? state->step : -1);
    const auto backend = engine.open(*record.request.device, record.request.threads);
    remove_leftovers(run);
    remember(run.path()); // it may have been moved
    if (on_run) on_run(run);
    return RunWorker(run, model, backend, engine.residency(), observer, std::move(stop)).work();
}

} // namespace denoir

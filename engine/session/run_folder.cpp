// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <future>
#include <set>

#include "engine/core/atomic_file.h"
#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/core/mapped_file.h"
#include "engine/core/units.h"
#include "engine/pipeline/run_layout.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/session/record_folder.h"
#include "engine/session/sha256.h"
#include "engine/weights/places.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_writer.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

constexpr RecordFolder kind{.word = "run",
                            .record = run_file::record,
                            .most_bytes = 64 << 20,
                            .name_one = "name a run folder",
                            .is_none = "is missing: this is not a run folder",
                            .name_made_one = "name a folder that render made",
                            .holds_one = "already holds a run"};

struct Moments {
    double mean = 0, deviation = 0;
};
Moments moments(const Tensor& t) {
    if (!t) return {};
    double sum = 0, squares = 0;
    const auto values = t.span<float>();
    for (const float v : values) sum += v, squares += double(v) * v;
    const double n = double(values.size()), mean = sum / n;
    return {mean, std::sqrt(std::max(0.0, squares / n - mean * mean))};
}

double root_mean_square_difference(const Tensor& a, const Tensor& b) {
    double sum = 0;
    const auto x = a.span<float>(), y = b.span<float>();
    for (std::size_t i = 0; i < x.size(); ++i) sum += (double(x[i]) - y[i]) * (double(x[i]) - y[i]);
    return std::sqrt(sum / double(x.size()));
}

/// Latent pixels of a request, including the frame of an end image. run.json may claim any size, so never more than
/// Pipeline::resolve allows: 2^22 tokens of four pixels each.
double latent_pixels(const Request& r) {
    constexpr double most = 4.0 * (1 << 22);
    const int frames = latent_frames(r.frames.value_or(FrameCount::max)) + 1;
    const int height = r.height.value_or(Resolution::max) / 8, width = r.width.value_or(Resolution::max) / 8;
    return std::min(most, double(frames) * height * width);
}

/// More bytes than this file of a run can have: a sparse file of a terabyte costs nothing to make, but hours to hash.
double most_bytes(const Request& r, const fs::path& file) {
    constexpr double mib = 1 << 20, most_channels = 128; // Wan has 16 or 48
    const double pixels = latent_pixels(r), latent = pixels * most_channels * sizeof(float);
    const double frames = r.frames.value_or(FrameCount::max);
    if (file.extension() != ".safetensors") return 64 * mib + pixels * 64 * 4 * 3 * 2;   // twice the bare pictures
    if (file.parent_path().filename() == run_file::latents) return 8 * mib + 2 * latent; // the latent and its estimate
    if (file.parent_path().filename() == run_file::solver) return 8 * mib + 4096 * frames + 8 * latent;
    const double pictures = r.forcing && !r.forcing->video.empty() ? pixels * 64 * 4 * 3 * sizeof(float) : 0;
    return 512 * mib + 4 * latent + pictures; // conditioning: two texts, and what the encoders made of pictures
}

/// Whether the file has a valid safetensors table: a file without one is not the run's and need not be hashed. Throws
/// Error if it cannot be read.
bool has_table(const fs::path& safetensors) {
    const auto file = MappedFile::open(safetensors);
    try {
        read_safetensors_table(file);
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// The recorded `out` of the run that is now in `path`. Its own video moves with its folder when that is moved, renamed
/// or copied: at the former place nothing can be written any more, or only into another run.
fs::path present_output(const fs::path& out, const fs::path& path) {
    if (out.filename() != run_file::video) return out;
    const fs::path before = out.parent_path(), now = normal_path(path);
    std::error_code code;
    if (before == now || fs::equivalent(before, now, code)) return out; // `path` may be a link, such as the history's
    if (is_whole_run_folder(before)) return now / run_file::video;      // this run is a copy
    // A folder that is gone was this run's if its name or its place is the same. Otherwise it was a folder that the
    // user asked for.
    const bool alike = before.filename() == now.filename() || before.parent_path() == now.parent_path();
    return alike && !fs::exists(before, code) ? now / run_file::video : out;
}

/// JSON has no infinities and NaN.
double finite(double v) { return std::isfinite(v) ? v : -1; }

} // namespace

RunFolder::RunFolder(fs::path path, RunRecord record, std::shared_ptr<const FolderLock> lock)
    : path_(std::move(path)), record_(std::move(record)), lock_(std::move(lock)) {}

RunFolder RunFolder::create(const fs::path& path, RunRecord record) {
    RunFolder run(path, std::move(record), nullptr);
    run.lock_ = begin_record(path, path, kind, [&] { run.save(); });
    run.make_parts();
    return run;
}

void RunFolder::make_parts() const {
    for (const char* part : {run_file::latents, run_file::solver}) {
        const fs::path folder = path_ / part;
        std::error_code code;
        if (fs::exists(fs::symlink_status(folder, code)) && !fs::is_directory(folder, code))
            throw Error(folder.string(), "", "is not a folder", "remove it");
        make_folder(folder, folder);
    }
}

RunFolder RunFolder::open(const fs::path& path) {
    RunRecord record = record_from_json(read_record(path, kind), (path / run_file::record).string());
    record.out = present_output(record.out, path);
    return {path, std::move(record), nullptr};
}

RunFolder RunFolder::take(const fs::path& path) {
    RunFolder run = open(path);
    run.lock_ = std::make_shared<const FolderLock>(path);
    if (!run.lock_->take(std::chrono::milliseconds(200)))
        throw Error(path.string(), "", "another process is working on this run", "wait for it, or end it");
    run.record_ = open(path).record_; // as the process before us left it
    run.make_parts();
    return run;
}

bool RunFolder::busy(const fs::path& path) {
    const FolderLock lock(path);
    return lock.opened() && !lock.take();
}

fs::path RunFolder::latents_file(int step) const {
    return path_ / run_file::latents / fmt::format("step_{:03}.safetensors", step);
}
fs::path RunFolder::solver_file(int step) const {
    return path_ / run_file::solver / fmt::format("step_{:03}.safetensors", step);
}

void RunFolder::save() {
    record_.updated = utc_now();
    write_file(file(run_file::record), to_json(record_).dump(1) + "\n");
}

void RunFolder::store_conditioning(const Conditioning& c) {
    write_safetensors(file(run_file::conditioning), c.to_tensors());
    record_.conditioning_sha256 = file_sha256(file(run_file::conditioning));
    save();
}

std::optional<Conditioning> RunFolder::load_conditioning() const {
    const fs::path path = file(run_file::conditioning);
    if (record_.conditioning_sha256.empty() || !has_regular_file(path) || !intact(path, record_.conditioning_sha256))
        return {};
    Conditioning c = Conditioning::from_tensors(read_safetensors(path));
    // Earlier programs kept fewer pictures of the video that the clip continues: then everything is encoded anew.
    if (goes_on(record_.request) && !c.before.defined() && pictures_given_again(record_.request) > 0) return {};
    return c;
}

void RunFolder::store_step(StepRecord s, const Tensor& shown, const Tensor& x0,
                           const std::map<std::string, Tensor>& solver) {
    const int step = s.step;
    const Moments latent = moments(shown);
    s.latent_mean = finite(latent.mean), s.latent_std = finite(latent.deviation),
    s.x0_std = finite(moments(x0).deviation);
    const bool follows = x0 && step > 1 && !final_steps().contains(step - 1); // a step of the same window
    if (follows && !(newest_x0_.tensor && newest_x0_.step == step - 1))
        newest_x0_ = {step - 1, has_step_tensor(step - 1, "x0") ? step_tensor(step - 1, "x0") : Tensor()};
    Tensor before = follows ? newest_x0_.tensor : Tensor();
    if (before && before.size(1) > x0.size(1)) // the last step drops the frame of an end image
        before = before.slice(1, 0, x0.size(1)).to_host_f32();
    if (before && before.shape() == x0.shape()) s.x0_change = finite(root_mean_square_difference(x0, before));
    newest_x0_ = {step, x0};
    std::map<std::string, Tensor> tensors{{"latent", shown}};
    if (x0) tensors["x0"] = x0;
    const auto store = [](const fs::path& path, const std::map<std::string, Tensor>& stored) {
        write_safetensors(path, stored);
        return file_sha256(path);
    };
    // Both files wait for the disk, so they are written at the same time if the system has a thread left.
    std::future<std::string> solver_sum;
    if (!solver.empty()) solver_sum = std::async([&] { return store(solver_file(step), solver); });
    s.sha256 = store(latents_file(step), tensors);
    if (solver_sum.valid()) s.solver_sha256 = solver_sum.get();
    record_.steps.push_back(std::move(s));
    save();
}

bool RunFolder::needs_solver(const StepRecord& s) const {
    return !s.solver_sha256.empty() && !final_steps().contains(s.step);
}

bool RunFolder::whole(const StepRecord& s) const {
    const auto matches = [this](const fs::path& path, const std::string& sum) {
        return has_regular_file(path) && intact(path, sum);
    };
    return matches(latents_file(s.step), s.sha256) &&
           (!needs_solver(s) || matches(solver_file(s.step), s.solver_sha256));
}

bool RunFolder::can_be_decoded() const {
    const std::set<int> ends = final_steps();
    return std::all_of(ends.begin(), ends.end(), [this](int step) {
        const StepRecord* s = record_.find(step);
        return s && whole(*s);
    });
}

std::optional<DenoiseState> RunFolder::last_state() {
    auto& steps = record_.steps;
    // Everything after the end of a window depends on it.
    const std::set<int> ends = final_steps();
    const auto broken = std::find_if(steps.begin(), steps.end(),
                                     [&](const StepRecord& s) { return ends.contains(s.step) && !whole(s); });
    const auto newest = std::find_if(std::make_reverse_iterator(broken), steps.rend(),
                                     [this](const StepRecord& s) { return whole(s); });
    steps.erase(newest.base(), steps.end());
    if (steps.empty()) return {};
    return state(steps.back().step);
}

DenoiseState RunFolder::state(int step) const {
    DenoiseState out{step, record_.total_steps, step_tensor(step, "latent"), {}};
    const StepRecord& s = *record_.find(step);
    if (!needs_solver(s)) return out;
    const fs::path path = solver_file(step);
    if (!has_regular_file(path))
        throw Error(path.string(), "", "is missing: the solver's state was not kept",
                    "use a run that was rendered with --latents all");
    if (!intact(path, s.solver_sha256))
        throw Error(path.string(), "sha256", "differs from run.json: the file was changed", "use another step");
    out.solver = read_safetensors(path);
    return out;
}

Tensor RunFolder::step_tensor(int step, const char* name) const {
    const StepRecord* s = record_.find(step);
    if (!s)
        throw UsageError(path_.string(), "step", fmt::format("{} is not stored", step),
                         record_.steps.empty() ? "the run has no steps yet"
                                               : fmt::format("use 0 to {}", record_.steps.back().step));
    const fs::path path = latents_file(step);
    if (!has_regular_file(path)) {
        const bool shown = s == &record_.steps.back() && has_regular_file(file(run_file::video)); // decoded from it
        throw Error(path.string(), "", "is missing: these latents were not kept",
                    shown ? "use the run's video.mp4, or a run that was rendered with --latents all"
                          : "use a run that was rendered with --latents all");
    }
    if (!intact(path, s->sha256))
        throw Error(path.string(), "sha256", "differs from run.json: the file was changed", "use another step");
    const auto tensors = read_safetensors(path);
    const auto it = tensors.find(name);
    if (it == tensors.end()) throw Error(path.string(), name, "is missing", "use another step");
    if (it->second.dtype() != DType::f32 || it->second.rank() != 4)
        throw Error(path.string(), name, "must be f32 [C, T, h, w]", "use another step");
    return it->second;
}

bool RunFolder::has_step_tensor(int step, const char* name) const {
    const StepRecord* s = record_.find(step);
    if (!s || !has_regular_file(latents_file(step))) return false;
    // Only the table is read: the file's checksum was not verified, and its tensors might have to be copied.
    return read_safetensors_table(MappedFile::open(latents_file(step))).find(name) != nullptr;
}

bool RunFolder::intact(const fs::path& file, const std::string& sha256, const std::stop_token& stop) const {
    std::error_code code;
    const std::uintmax_t bytes = fs::file_size(file, code);
    if (!code && double(bytes) > most_bytes(record_.request, file)) return false;
    if (file.extension() == ".safetensors" && !has_table(file)) return false;
    return file_sha256(file, stop) == sha256;
}

std::set<int> RunFolder::final_steps() const {
    std::set<int> ends{record_.total_steps};
    const Request& r = record_.request;
    const bool resolved = r.mode && r.frames && r.steps && r.shift && r.sampler;
    if (!resolved || !r.forcing || !r.forcing->base) return ends;
    try {
        for (const Window& w : windows_of(r)) ends.insert(w.last_step());
    } catch (const Error&) { // no request that was ever rendered
    }
    return ends;
}

void RunFolder::drop_latents() {
    const KeepLatents keep = record_.request.latents;
    if (keep == KeepLatents::all) return;
    const std::set<int> ends = final_steps();
    std::error_code code;
    for (const StepRecord& s : record_.steps) {
        fs::remove(solver_file(s.step), code);
        if (keep == KeepLatents::none || !ends.contains(s.step)) fs::remove(latents_file(s.step), code);
    }
}

} // namespace denoir

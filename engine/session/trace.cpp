// SPDX-License-Identifier: Apache-2.0
#include "engine/session/trace.h"

#include <fmt/format.h>

#include <chrono>

#include "engine/core/disk.h"
#include "engine/core/error.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/residency.h"
#include "engine/pipeline/windows.h"
#include "engine/session/inputs.h"
#include "engine/session/model_lookup.h"
#include "engine/session/output_check.h"
#include "engine/session/preflight.h"
#include "engine/session/request_json.h"
#include "engine/session/run_record.h"
#include "engine/weights/limits.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/safetensors_stream.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Thrown after the last wanted step.
struct Enough {};

struct Opened {
    Request request; ///< resolved
    ModelFolder model;
};

Opened open_model(const Request& asked, Observer& observer, const std::stop_token& stop) {
    if (asked.start)
        throw UsageError("", "start", "a trace follows a run from its noise", "leave the branch out of the request");
    Opened o{asked, {}};
    o.request.model = find_model(asked.model);
    o.model = ModelFolder::open(o.request.model, o.request.parts, stop);
    for (const std::string& warning : o.model.warnings) observer.warning(warning);
    o.request = Pipeline::resolve(o.request, o.model);
    if (windows_of(o.request).size() > 1)
        throw UsageError("", "forcing.base", "a trace follows one window, this clip is made in several",
                         fmt::format("use {} frames", *o.request.forcing->base));
    return o;
}

/// Writes the layers to the file, and passes everything else on to `next`.
class Tracer : public Observer, public LayerObserver {
public:
    /// `last`: the step after which Enough is thrown; 0: none. `forwards`: of the transformer, for each step.
    Tracer(const TraceFilter& filter, SafetensorsStream& file, const fs::path& out, int last, std::vector<int> forwards,
           Observer& next)
        : filter_(filter), file_(file), out_(out), last_(last), next_(next), forwards_(std::move(forwards)) {}
    void stage_begins(Stage stage) override { next_.stage_begins(stage); }
    void stage_ends(Stage stage, double seconds) override { next_.stage_ends(stage, seconds); }
    void progress(Stage stage, double done, double total, double left) override {
        next_.progress(stage, done, total, left);
    }
    void warning(std::string_view text) override { next_.warning(text); }
    LayerObserver* layers() override { return this; }
    void step_done(const StepInfo& info) override {
        next_.step_done(info);
        if (filter_.wants_step(info.step) && !checked_) check_space(info);
        of_forwards_ = of_step_ = 0;
        if (info.step == last_) throw Enough{};
    }

    bool wants(std::string_view key) const override { return filter_.wants(key); }
    void layer(std::string_view key, const Tensor& x) override {
        Tensor host = x.backend() ? x.backend()->download(x) : x;
        if (!host.is_contiguous()) host = host.to_host_f32();
        const std::uint64_t before = file_.bytes();
        file_.append(std::string(key), host);
        if (key.starts_with("transformer") && key.find("/step_") != std::string_view::npos)
            of_forwards_ += file_.bytes() - before;
        else if (key.starts_with("sampler/") && !key.starts_with("sampler/step_000/"))
            of_step_ += file_.bytes() - before;
    }

private:
    /// Throws Error if the disk has no room for the steps to come, judging by the first step that was written.
    void check_space(const StepInfo& info) {
        checked_ = of_forwards_ + of_step_ > 0; // else the selected layers run in later steps only
        int left = 0, forwards = 0;
        for (int step = info.step + 1; step <= info.steps; ++step)
            if (filter_.wants_step(step)) ++left, forwards += forwards_[std::size_t(step) - 1];
        const auto space = free_space(fs::absolute(out_).parent_path());
        const double needed =
            double(of_step_) * left + double(of_forwards_) / forwards_[std::size_t(info.step) - 1] * forwards;
        if (!space || needed <= double(*space)) return;
        throw Error(out_.string(), "",
                    fmt::format("{} more steps of {} each do not fit on the disk, {} are left", left,
                                bytes_text(needed / left), bytes_text(double(*space))),
                    "choose fewer --layers or --steps, or another disk");
    }

    const TraceFilter& filter_;
    SafetensorsStream& file_;
    const fs::path& out_;
    int last_;
    Observer& next_;
    std::vector<int> forwards_;                   ///< of each step
    std::uint64_t of_forwards_ = 0, of_step_ = 0; ///< bytes written in this step: by its forwards, and by its sampler
    bool checked_ = false;
};

/// Bytes that the header of the trace may take.
std::size_t header_room(const TraceFilter& filter) {
    constexpr std::size_t key_parts = 48, metadata = 64 << 10; // "transformer_low/step_1000/uncond/"; the request
    constexpr std::size_t escaped = 6;                         // bytes of a letter that JSON writes as \u001f
    std::size_t room = metadata;
    for (const std::string& pattern : filter.patterns()) room += escaped * pattern.size() + 1;
    for (const TraceLayer& l : filter.layers())
        room += std::size_t(l.tensors) * SafetensorsStream::entry_room(key_parts + l.layer.size());
    return room;
}

/// Throws UsageError if there are more tensors than our reader, or another one, accepts in a file.
void check_count(const TraceFilter& filter) {
    std::size_t tensors = 0;
    for (const TraceLayer& l : filter.layers()) tensors += std::size_t(l.tensors);
    if (tensors <= max_tensors && header_room(filter) < max_safetensors_header) return;
    throw UsageError("", "--layers", fmt::format("{} tensors are more than a file takes ({})", tensors, max_tensors),
                     "choose fewer --layers or --steps");
}

std::map<std::string, std::string> metadata(const Request& r, const TraceFilter& filter) {
    Request stored = r;
    stored.threads = 0;
    make_paths_absolute(stored);
    return {{"denoir_trace", "1"},
            {"order", "execution"},
            {"source", "denoir " + std::string(DENOIR_VERSION)},
            {"device", r.device->name()},
            {"layers", fmt::format("{}", fmt::join(filter.patterns(), ","))},
            {"steps", fmt::format("{}", fmt::join(filter.steps(), ","))},
            {"request", one_line(to_json(stored))}};
}

} // namespace

std::vector<TraceLayer> list_traceable(const Request& asked, const TraceSelection& select, Observer& observer,
                                       const std::stop_token& stop) {
    const Opened o = open_model(asked, observer, stop);
    return TraceFilter(select, o.request, o.model).layers();
}

TraceResult trace(const Request& asked, const TraceOptions& options, Observer& observer, std::stop_token stop) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<fs::path> inputs = options.inputs;
    for (fs::path& path : inputs_before_model(asked)) inputs.push_back(std::move(path));
    check_output_file(options.out, inputs);
    const Opened o = open_model(asked, observer, stop);
    inputs.push_back(o.request.model);
    for (fs::path& path : inputs_of(o.model)) inputs.push_back(std::move(path));
    check_output_file(options.out, inputs);
    const Request& r = o.request;
    preflight(r, o.model, Needs::everything, stop);
    const TraceFilter filter(options.select, r, o.model);
    check_count(filter);

    const bool whole = filter.decodes() || options.picture;
    const int last = whole ? filter.total_steps() : filter.last_step();
    SafetensorsStream file(options.out, header_room(filter));
    Tracer tracer(filter, file, options.out, whole ? 0 : last, step_forwards(r, o.model, windows_of(r).front()),
                  observer);
    Residency residency;
    Pipeline pipeline(residency, open_backend(*r.device, r.threads));
    const Conditioning conditioning = pipeline.condition(r, o.model, tracer, stop);
    if (last > 0) {
        DenoiseState state = pipeline.begin(r, o.model, conditioning);
        try {
            pipeline.denoise(r, o.model, conditioning, state, {}, tracer, stop);
        } catch (const Enough&) {
        }
        if (whole)
            pipeline.decode(
                r, o.model, {Pipeline::requested_frames(r, state.latent, state.step)},
                [&](int index, const Tensor& frame) {
                    if (options.picture) options.picture(index, frame);
                },
                tracer, stop);
    }
    if (stop.stop_requested()) throw Cancelled();
    TraceResult result{options.out, r, file.tensors(), file.bytes(), last, filter.total_steps(), 0};
    file.commit(metadata(r, filter));
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/decode_run.h"

#include <fmt/format.h>

#include "engine/core/memory.h"
#include "engine/media/frames.h"
#include "engine/models/wan/vae_config.h"
#include "engine/pipeline/network_options.h"
#include "engine/pipeline/residency.h"
#include "engine/pipeline/run_layout.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/variant.h"
#include "engine/session/frame_output.h"
#include "engine/session/inputs.h"
#include "engine/session/request_json.h"
#include "engine/session/stored_run.h"
#include "engine/weights/headers.h"
#include "engine/weights/model_folder.h"

namespace denoir {
namespace {

/// `asked` as it is, or the last step. Throws Error if that one is meant and the run is not finished.
int step_to_show(const RunFolder& run, std::optional<int> asked) {
    const RunRecord& record = run.record();
    if (!asked && !record.find(record.total_steps))
        throw Error(run.path().string(), "step", "the run is not finished",
                    record.steps.empty() ? "resume it with render --resume"
                                         : fmt::format("give --step 0 to {}", record.steps.back().step));
    return asked.value_or(record.total_steps);
}

/// The tensor that a draft of `step` decodes (draft_latent).
Tensor shown(const RunFolder& run, int step, const wan::VaeConfig& vae) {
    const Request& r = run.record().request;
    const std::vector<Window> windows = stored_windows(run);
    const bool estimate = step != window_after(windows, step).last_step() && run.has_step_tensor(step, "x0");
    const char* name = estimate ? "x0" : "latent";
    const Tensor latent = run.step_tensor(step, name);
    const Shape shape{vae.z, stored_frames(r, step), *r.height / vae.spatial(), *r.width / vae.spatial()};
    try {
        check_stored(name, latent, shape);
    } catch (const Error& e) {
        throw e.in_file(run.latents_file(step).string());
    }
    return Pipeline::requested_frames(r, latent, step);
}

/// Throws Error if memory is too small to decode: what Pipeline::resolve checks before a run, for the decoder alone,
/// as the other parts of the model need not be there any more.
void check_memory(const RunFolder& run, const Request& r, const ModelFolder& model) {
    const auto vae = wan::VaeConfig::read(load_headers(model.vae, Component::vae21));
    const std::size_t free = available_memory();
    if (!r.device->uses_host_memory() || free == 0) return;
    const std::size_t least = decode_bytes(r, vae, most_strips);
    if (least <= free) return;
    throw Error(run.file(run_file::record).string(), "request.width",
                fmt::format("decoding {}x{} needs {:.1f} GiB at least, {:.1f} GiB are free", *r.width, *r.height,
                            double(least) / (1 << 30), double(free) / (1 << 30)),
                "free some memory, or decode on another machine");
}

} // namespace

Tensor draft_latent(const RunFolder& run, int step, const ModelFolder& model) {
    check_resolved(run);
    if (model.vae.empty())
        throw Error(run.record().request.model.string(), "", "the VAE is missing",
                    "put it back, or name the model again");
    return shown(run, step, wan::VaeConfig::read(load_headers(model.vae, Component::vae21)));
}

int decode_frames(const RunFolder& run, std::optional<int> asked, int threads,
                  const std::function<void(int, const Tensor&)>& frame, Observer& observer, std::stop_token stop) {
    const int step = step_to_show(run, asked);
    check_resolved(run);
    Request r = run.record().request;
    r.threads = threads;
    const ModelFolder model = ModelFolder::open(r.model, r.parts, stop);
    std::vector<Tensor> latents;
    for (const Window& w : stored_windows(run))
        if (w.last_step() < step) latents.push_back(draft_latent(run, w.last_step(), model));
    latents.push_back(draft_latent(run, step, model));
    check_memory(run, r, model);

    Residency residency;
    Pipeline pipeline(residency, open_backend(*r.device, threads));
    pipeline.decode(r, model, latents, frame, observer, std::move(stop));
    return step;
}

int decode_run(const std::filesystem::path& path, std::optional<int> asked, const std::filesystem::path& out,
               int threads, Observer& observer, std::stop_token stop) {
    const RunFolder run = RunFolder::open(path);
    const OutputKind kind = check_output(out, source_inputs(path));
    std::optional<FrameOutput> output; // made with the first frame
    const int step = decode_frames(
        run, asked, threads,
        [&](int, const Tensor& frame) {
            if (!output) output.emplace(out, kind, video_options(run.record()));
            output->write(to_image(frame.unsqueeze(1), 0));
        },
        observer, std::move(stop));
    if (output) output->finish();
    return step;
}

} // namespace denoir

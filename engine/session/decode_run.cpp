// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/media/frames.h"
#include "engine/models/wan/vae_config.h"
#include "engine/pipeline/residency.h"
#include "engine/session/frame_output.h"
#include "engine/session/request_json.h"
#include "engine/session/run_tools.h"

namespace denoir {
namespace {

/// What a draft shows: the last step its latent, an earlier one its estimate, step 0 the noise.
Tensor shown(const RunFolder& run, int step) {
    const bool estimate = step < run.record().total_steps && run.has_step_tensor(step, "x0");
    return Pipeline::requested_frames(run.record().request, run.step_tensor(step, estimate ? "x0" : "latent"));
}

void check_size(const RunFolder& run, int step, const Tensor& latent, const wan::VaeConfig& vae) {
    const Request& r = run.record().request;
    if (latent.size(0) == vae.z && latent.size(2) * vae.spatial() == *r.height &&
        latent.size(3) * vae.spatial() == *r.width)
        return;
    throw Error(run.latents_file(step).string(), "latent",
                "has shape " + to_string(latent.shape()) + ", which does not fit the request", "the file was changed");
}

} // namespace

Tensor draft_latent(const RunFolder& run, int step, const ModelFolder& model) {
    if (model.vae.empty())
        throw Error(run.record().request.model.string(), "", "the VAE is missing",
                    "put it back, or name the model again");
    const Tensor latent = shown(run, step);
    check_size(run, step, latent, wan::VaeConfig::read(Weights::load(model.vae, Component::vae21)));
    return latent;
}

int step_to_show(const RunFolder& run, std::optional<int> asked) {
    const RunRecord& record = run.record();
    if (!asked && !record.find(record.total_steps))
        throw Error(run.path().string(), "step", "the run is not finished",
                    record.steps.empty() ? "go on with render --resume"
                                         : fmt::format("give --step 0 to {}", record.steps.back().step));
    return asked.value_or(record.total_steps);
}

int decode_frames(const RunFolder& run, std::optional<int> asked, int threads,
                  const std::function<void(int, const Tensor&)>& frame, Observer& observer, std::stop_token stop) {
    const int step = step_to_show(run, asked);
    Request r = run.record().request;
    r.threads = threads;
    const ModelFolder model = ModelFolder::open(r.model);
    const Tensor latent = draft_latent(run, step, model);

    Residency residency(std::size_t{1} << 40);
    Pipeline pipeline(residency, open_backend(*r.device, threads));
    pipeline.decode(r, model, latent, frame, observer, std::move(stop));
    return step;
}

int decode_run(const std::filesystem::path& path, std::optional<int> asked, const std::filesystem::path& out,
               int threads, Observer& observer, std::stop_token stop) {
    const RunFolder run = RunFolder::open(path);
    const OutputKind kind = check_output(out, std::vector{path});
    const RunRecord& record = run.record();
    Request r = record.request;
    r.threads = 0;                     // decides no byte
    std::optional<FrameOutput> output; // made when there is something to write
    const int step = decode_frames(
        run, asked, threads,
        [&](int, const Tensor& frame) {
            if (!output)
                output.emplace(out, kind, *r.width, *r.height, *r.fps, record.metadata ? to_json(r).dump() : "");
            output->write(to_image(frame.unsqueeze(1), 0));
        },
        observer, std::move(stop));
    if (output) output->finish();
    return step;
}

} // namespace denoir

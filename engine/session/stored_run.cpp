// SPDX-License-Identifier: Apache-2.0
#include "engine/session/stored_run.h"

#include <algorithm>
#include <utility>

#include "engine/core/units.h"
#include "engine/pipeline/run_layout.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/variant.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// check(), with errors that name no file made to name this one.
template <class Check> void naming(const fs::path& file, Check&& check) {
    try {
        check();
    } catch (const Error& e) {
        throw e.in_file(file.string());
    }
}

} // namespace

void check_resolved(const RunFolder& run) {
    const Request& r = run.record().request;
    const std::pair<const char*, bool> fields[] = {{"model", !r.model.empty()},
                                                   {"mode", r.mode.has_value()},
                                                   {"family", r.family.has_value()},
                                                   {"negative_prompt", r.negative_prompt.has_value()},
                                                   {"width", r.width.has_value()},
                                                   {"height", r.height.has_value()},
                                                   {"frames", r.frames.has_value()},
                                                   {"fps", r.fps.has_value()},
                                                   {"steps", r.steps.has_value()},
                                                   {"guidance", r.guidance.has_value()},
                                                   {"shift", r.shift.has_value()},
                                                   {"seed", r.seed.has_value()},
                                                   {"sampler", r.sampler.has_value()},
                                                   {"dtype", r.dtype.has_value()},
                                                   {"precision", r.precision.has_value()},
                                                   {"preprocess", r.preprocess.has_value()},
                                                   {"device", r.device.has_value()},
                                                   {"forcing", r.mode != Mode::forcing || r.forcing.has_value()}};
    for (const auto& [field, there] : fields)
        if (!there)
            throw Error(run.file(run_file::record).string(), std::string("request.") + field, "is missing",
                        "the file was changed: render again");
}

Request as_stored(const Request& stored, bool draws) {
    constexpr int least = 5; // frames that `base` may be
    Request r = stored;
    if (!draws) r.noise = {};
    if (r.forcing && !r.forcing->base) r.forcing->base = std::max(least, r.frames.value_or(FrameCount::max));
    return r;
}

std::vector<Window> stored_windows(const RunFolder& run) {
    const fs::path file = run.file(run_file::record);
    std::vector<Window> windows;
    naming(file, [&] { windows = windows_of(run.record().request); });
    if (windows.size() > 1 && windows.back().last_step() != run.record().total_steps)
        throw Error(file.string(), "total_steps", "does not fit the request", "the file was changed: render again");
    return windows;
}

DenoiseState stored_state(const RunFolder& run, int step, const Request& r, const ModelFolder& model) {
    DenoiseState state = run.state(step);
    Shape shape = latent_shape(r, Variant::read(model));
    for (const Window& w : stored_windows(run)) { // the clip is decoded from the last latent of every window
        const int end = w.last_step();
        if (end >= step) break;
        shape[1] = w.frames;
        state.before.push_back(run.step_tensor(end, "latent"));
        naming(run.latents_file(end), [&] { check_stored("latent", state.before.back(), shape); });
    }
    try {
        naming(run.latents_file(step), [&] { Pipeline::check_state(r, model, state); });
    } catch (const Error& e) {
        if (e.field() != "solver" || e.file() != run.latents_file(step).string()) throw;
        throw Error(run.solver_file(step).string(), e.field(), e.message(), e.hint());
    }
    return state;
}

Tensor stored_latent(const RunFolder& run, int step, const Request& r, const ModelFolder& model) {
    Tensor latent = run.step_tensor(step, "latent");
    naming(run.latents_file(step), [&] { Pipeline::check_latent(r, model, step, latent); });
    return latent;
}

std::optional<Conditioning> stored_conditioning(const RunFolder& run, const Request& r, const ModelFolder& model) {
    std::optional<Conditioning> c = run.load_conditioning();
    if (c) naming(run.file(run_file::conditioning), [&] { Pipeline::check_conditioning(r, model, *c); });
    return c;
}

} // namespace denoir

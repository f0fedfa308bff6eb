// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/solvers.h"
#include "engine/pipeline/stored.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/window_latent.h"

namespace denoir {

std::vector<Tensor> DenoiseState::all() const {
    std::vector<Tensor> all = before;
    all.push_back(latent);
    return all;
}

void Pipeline::check_latent(const Request& r, const ModelFolder& model, int step, const Tensor& latent) {
    Shape shape = latent_shape(r, Variant::read(model));
    shape[1] = stored_frames(r, step);
    check_stored("latent", latent, shape);
}

void Pipeline::check_state(const Request& r, const ModelFolder& model, const DenoiseState& state) {
    const std::vector<Window> windows = windows_of(r);
    const Window& w = window_after(windows, state.step);
    check_latent(r, model, state.step, state.latent);
    const Shape shape = state.latent.shape();
    if (state.step == 0 || state.step == w.last_step()) return;
    for (const auto& [name, values] : state.solver) check_stored("solver", values, values.shape());
    Solvers(r, *r.mode == Mode::forcing ? int(shape[1]) : 1)
        .restore(state.solver, shape, steps_taken(r, w, shape[1], state.step - w.first_step));
}

int Pipeline::step_count(const Request& r) { return windows_of(r).back().last_step(); }

DenoiseState Pipeline::begin(const Request& r, const ModelFolder& model, const Conditioning& c) {
    const std::vector<Window> windows = windows_of(r);
    DenoiseState state;
    state.steps = windows.back().last_step();
    const Tensor noise = WindowNoise(r, latent_shape(r, Variant::read(model))).of(windows.front());
    state.latent = window_latent(r, noise, c.prefix, windows.front().last ? c.end : Tensor());
    return state;
}

Tensor Pipeline::requested_frames(const Request& r, const Tensor& latent, int step) {
    const std::vector<Window> windows = windows_of(r);
    const std::int64_t t = window_after(windows, step).frames;
    if (latent.size(1) == t) return latent;
    if (latent.size(1) < t)
        throw Error({}, "latent", fmt::format("has {} latent frames, the request {}", latent.size(1), t),
                    "the file was changed: render again");
    return latent.slice(1, 0, t).to_host_f32();
}

} // namespace denoir

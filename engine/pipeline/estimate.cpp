// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <tuple>

#include "engine/models/wan/config.h"
#include "engine/pipeline/model_headers.h"
#include "engine/pipeline/needs.h"
#include "engine/pipeline/network_options.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/step_cache.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"

namespace denoir {
namespace {

/// Multiplications and additions of one forward (spec/dit.md 5.8): linears over all tokens, attention over pairs of
/// tokens, text keys.
double forward_flop(const Variant& v, double tokens) {
    const double d = double(v.dim), text = double(v.text_len + clip_rows * v.clip_images);
    const double linears = tokens * (6 * d * d + 2 * d * double(v.ffn)) + text * 2 * d * d;
    const double attention = tokens * tokens * 2 * d + tokens * text * 2 * d;
    return 2 * double(v.layers) * (linears + attention);
}

} // namespace

std::vector<double> step_flop(const Request& r, const ModelHeaders& headers) {
    const double tokens_of_frame = double(wan::tokens_of(latent_shape(r, headers.variant()))) / window_frames(r);
    const std::vector<Window> windows = windows_of(r);
    std::vector<double> all;
    std::vector<int> forwards;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const Window& w = windows[i];
        const auto shape = [](const Window& of) { return std::tuple(of.frames, of.ready, of.last); };
        if (i == 0 || shape(windows[i - 1]) != shape(w)) // else as those of the one before
            forwards = r.cache ? forwards_computed(r, headers, w) : step_forwards(r, headers.model(), w);
        const double each = forward_flop(headers.variant(), w.frames * tokens_of_frame);
        for (const int count : forwards) all.push_back(each * count);
    }
    return all;
}

Estimate memory_estimate(const Request& r, const ModelHeaders& headers) {
    const Variant& v = headers.variant();
    const Shape latent = latent_shape(r, v);
    Estimate e;
    e.tokens = wan::tokens_of(latent);
    e.weight_bytes = headers.transformer()->stored_bytes();
    e.size_multiple = v.multiple();
    const std::size_t activations = transformer_needs(*headers.transformer(), r, v).activations;
    const Device device = r.device.value_or(Device{});
    e.fixed_bytes = planned(context_bytes(r, v));
    // The host's arena may hold half as much again (Fit::own_class).
    const std::size_t slack = device.uses_host_memory() ? activations / 2 : 0;
    e.held_bytes = held_weights(*headers.transformer(), device, cast_points(*r.precision).compute, e.tokens);
    const std::size_t denoise = e.held_bytes + activations + slack;
    // Pictures that wait for a later window lie with the host.
    const std::size_t picture = 3 * std::size_t(*r.height) * std::size_t(*r.width) * sizeof(float);
    const std::size_t waiting = device.uses_host_memory() ? std::size_t(pictures_given_again(r)) * picture : 0;
    e.steps_bytes = std::max(denoise, decode_bytes(r, headers.vae(), 1)) + waiting;
    e.peak_bytes = std::max(e.steps_bytes, headers.text_encoder_bytes());
    e.decode_bytes = decode_bytes(r, headers.vae(), most_strips);
    e.least_bytes = std::max(activations, e.decode_bytes);
    return e;
}

Estimate Pipeline::estimate(const Request& r, const ModelFolder& model) { return estimate(r, ModelHeaders(model)); }

Estimate Pipeline::estimate(const Request& r, const ModelHeaders& headers) {
    Estimate e = memory_estimate(r, headers);
    const std::vector<double> steps = step_flop(r, headers);
    const std::size_t taken_over = r.start ? std::min(std::size_t(r.start->step), steps.size()) : 0;
    std::tie(e.guided_steps, e.steps) = guided_steps(r, headers.model());
    e.flop = std::accumulate(steps.begin() + std::ptrdiff_t(taken_over), steps.end(), 0.0);
    return e;
}

} // namespace denoir

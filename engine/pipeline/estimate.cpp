// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/models/wan/config.h"
#include "engine/pipeline/model_headers.h"
#include "engine/pipeline/needs.h"
#include "engine/pipeline/network_options.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/step_cache.h"
#include "engine/pipeline/variant.h"
#include "engine/pipeline/windows.h"
#include "engine/sampling/guidance.h"

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

/// Forwards of a window's steps, without TeaCache: each expert has a guidance of its own.
int forwards_of(const Request& r, const ModelFolder& model, const Window& w) {
    const auto times = step_times(r, w, 0);
    int count = 0;
    for (const bool low : {false, true}) {
        const auto [first, end] = expert_steps(r, model, w, low);
        const bool on = guided(r, guidance_of(r, low));
        for (int i = first; i < end; ++i) count += on && guided_at(times[std::size_t(i)], r.guidance_until) ? 2 : 1;
    }
    return count;
}

} // namespace

Estimate uncached_estimate(const Request& r, const ModelHeaders& headers) {
    const Variant& v = headers.variant();
    const Shape latent = latent_shape(r, v);
    Estimate e;
    e.tokens = wan::tokens_of(latent);
    e.weight_bytes = headers.transformer()->stored_bytes();
    e.size_multiple = v.multiple();
    const std::int64_t tokens_of_frame = e.tokens / latent[1];
    for (const Window& w : windows_of(r))
        e.flop += forward_flop(v, double(w.frames * tokens_of_frame)) * forwards_of(r, headers.model(), w);
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
    Estimate e = uncached_estimate(r, headers);
    if (!r.cache) return e;
    int forwards = 0;
    for (const Window& w : windows_of(r)) forwards += forwards_of(r, headers.model(), w);
    e.flop *= double(forwards_computed(r, headers)) / forwards;
    return e;
}

} // namespace denoir

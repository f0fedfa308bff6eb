// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/window_latent.h"

#include <algorithm>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/random.h"
#include "engine/weights/safetensors.h"

namespace denoir {

Tensor draw_noise(const Request& r, Shape shape, const Window& w) {
    const std::vector<Window> windows = windows_of(r);
    const auto draw = [&](auto generator) {
        for (const Window& drawn : windows) {
            shape[1] = drawn.frames;
            Tensor noise = generator.randn(shape);
            if (drawn.index == w.index) return noise;
        }
        return Tensor();
    };
    switch (r.noise.kind) {
    case NoiseSource::Kind::torch_cpu:
        return draw(TorchCpuGenerator(*r.seed));
    case NoiseSource::Kind::torch_cuda:
        return draw(TorchCudaGenerator(*r.seed, r.noise.multiprocessors));
    case NoiseSource::Kind::file:
        break;
    }
    const Tensor noise = read_safetensors(r.noise.file).at("noise").to_host_f32();
    shape[1] = drawn_frames(r);
    if (noise.shape() != shape)
        throw Error(r.noise.file.string(), "noise",
                    "has shape " + to_string(noise.shape()) + ", this run needs " + to_string(shape));
    if (windows.size() == 1) return clone(noise); // the file's pages may be the stored tensor itself
    std::int64_t first = 0;
    for (const Window& before : windows)
        if (before.index < w.index) first += before.frames;
    return clone(noise.slice(1, first, first + w.frames).to_host_f32());
}

Tensor with_condition_noise(const Request& r, const Tensor& latent, int ready, int step) {
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15; // parts the seeds of neighbouring steps
    const std::int64_t t = latent.size(1), frame = latent.size(2) * latent.size(3);
    const Tensor noise = TorchCpuGenerator(*r.seed + golden * std::uint64_t(step + 1))
                             .randn({latent.size(0), ready, latent.size(2), latent.size(3)});
    const bool bf16 = *r.dtype == DType::bf16;
    const auto stored = [&](float v) { return bf16 ? round_to_bf16(v) : v; };
    const auto share = float(0.001 * r.forcing->condition_noise), rest = float(1 - 0.001 * r.forcing->condition_noise);
    Tensor seen = clone(latent);
    for (std::int64_t c = 0; c < latent.size(0); ++c) {
        float* x = seen.data<float>() + c * t * frame;
        const float* n = noise.data<float>() + c * ready * frame;
        for (std::int64_t i = 0; i < ready * frame; ++i)
            x[i] = stored(stored(x[i] * rest) + stored(stored(n[i]) * share));
    }
    return seen;
}

void put_prefix(const Tensor& prefix, Tensor& latent) {
    const std::int64_t frame = latent.size(2) * latent.size(3), known = prefix.size(1) * frame;
    for (std::int64_t c = 0; c < latent.size(0); ++c)
        std::copy_n(prefix.data<float>() + c * known, known, latent.data<float>() + c * latent.size(1) * frame);
}

Tensor window_latent(const Request& r, const Tensor& noise, const Tensor& given, const Tensor& end) {
    const std::int64_t t = noise.size(1), frame = noise.size(2) * noise.size(3), extra = end ? 1 : 0;
    Tensor latent = Tensor::host({noise.size(0), t + extra, noise.size(2), noise.size(3)});
    for (std::int64_t ch = 0; ch < noise.size(0); ++ch) {
        float* to = latent.data<float>() + ch * (t + extra) * frame;
        std::copy_n(noise.data<float>() + ch * t * frame, t * frame, to);
        if (end) std::copy_n(end.data<float>() + ch * frame, frame, to + t * frame);
    }
    if (given) put_prefix(given, latent);
    if (*r.mode == Mode::forcing && *r.dtype == DType::bf16)
        for (float& v : latent.span<float>()) v = round_to_bf16(v);
    return latent;
}

} // namespace denoir

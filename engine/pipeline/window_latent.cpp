// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/window_latent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/weights/safetensors.h"

namespace denoir {

Tensor noise_of_file(const Request& r, const Shape& wanted) {
    const std::string file = r.noise.file.string();
    const auto tensors = read_safetensors(r.noise.file);
    const auto it = tensors.find("noise");
    if (it == tensors.end())
        throw Error(file, "noise", "the file holds no tensor `noise`", "store one of shape " + to_string(wanted));
    if (it->second.shape() != wanted)
        throw Error(file, "noise",
                    "has shape " + to_string(it->second.shape()) + ", this request needs " + to_string(wanted),
                    "change width, height and frames, or the file");
    const DType type = it->second.dtype();
    if (type != DType::f32 && type != DType::f16 && type != DType::bf16 && type != DType::f64)
        throw Error(file, "noise", fmt::format("is {}, expected f32", info(type).name), "store floating-point numbers");
    const Tensor noise = it->second.to_host_f32();
    if (!std::all_of(noise.span<float>().begin(), noise.span<float>().end(), [](float v) { return std::isfinite(v); }))
        throw Error(file, "noise", "holds numbers that are not finite", "store random numbers of mean 0, deviation 1");
    return noise;
}

WindowNoise::WindowNoise(const Request& r, Shape shape) : request_(r), shape_(shape), windows_(windows_of(r)) {}

Tensor WindowNoise::of(const Window& w) {
    if (request_.noise.kind == NoiseSource::Kind::file) return read(w);
    if (!generator_ || std::size_t(w.index) < next_) {
        next_ = 0;
        if (request_.noise.kind == NoiseSource::Kind::torch_cuda)
            generator_ = TorchCudaGenerator(*request_.seed, request_.noise.multiprocessors);
        else
            generator_ = TorchCpuGenerator(*request_.seed);
    }
    for (;;) {
        const Window& drawn = windows_[next_++];
        shape_[1] = drawn.frames;
        Tensor noise = std::visit([&](auto& generator) { return generator.randn(shape_); }, *generator_);
        if (drawn.index == w.index) return noise;
    }
}

Tensor WindowNoise::read(const Window& w) {
    shape_[1] = drawn_frames(request_);
    const Tensor noise = noise_of_file(request_, shape_);
    std::int64_t first = 0;
    for (const Window& before : windows_)
        if (before.index < w.index) first += before.frames;
    // The file's pages may be the tensor itself.
    return clone(windows_.size() == 1 ? noise : noise.slice(1, first, first + w.frames).to_host_f32());
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

// SPDX-License-Identifier: Apache-2.0
// Times one network on one device; bench/gpu/beside_pytorch.py compares it with PyTorch.
//
//   denoir_gpu peak                        TFLOP/s of a large bf16 product
//   denoir_gpu transformer|decode|encode|text|clip --weights FILE --inputs FILE [--out FILE] [--dtype f32|tf32|bf16]
//              [--heads N] [--device cpu|cuda] [--repeat N] [--strips N] [--activations MIB]
//              [--precision wan|skyreels]
//
// --dtype tf32: f32, but the VAE's convolutions may round to TF32.
// --precision: how the transformer rounds in bf16; the default is wan.
// --activations: the device plans its memory for the weights and for so much beside them, and may stream weights.
//
// Prints one line of JSON: the milliseconds of the first call, and the median of `repeat` more. The transformer's
// inputs and results stay on the device meanwhile. What the backend logs goes to stderr, such as which libraries it
// found and what they could not do.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/core/log.h"
#include "engine/models/clip/vision.h"
#include "engine/models/umt5/encoder.h"
#include "engine/models/wan/transformer.h"
#include "engine/models/wan/vae.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_writer.h"

namespace denoir {
namespace {

using Tensors = std::map<std::string, Tensor>;
using Clock = std::chrono::steady_clock;

struct Arguments {
    std::string what, weights, inputs, out;
    DType dtype = DType::bf16;
    bool tf32 = false, skyreels = false;
    Device device{Device::Kind::cuda, 0};
    std::optional<std::int64_t> heads;
    int repeat = 0, strips = 1, activations = 0;
};

Arguments parse(int argc, char** argv) {
    Arguments a;
    if (argc < 2) throw UsageError("", "command", "is missing", "use peak, transformer, decode, encode, text or clip");
    a.what = argv[1];
    for (int i = 2; i + 1 < argc; i += 2) {
        const std::string name = argv[i], value = argv[i + 1];
        if (name == "--weights")
            a.weights = value;
        else if (name == "--inputs")
            a.inputs = value;
        else if (name == "--out")
            a.out = value;
        else if (name == "--dtype")
            a.dtype = value == "bf16" ? DType::bf16 : DType::f32, a.tf32 = value == "tf32";
        else if (name == "--precision" && (value == "wan" || value == "skyreels"))
            a.skyreels = value == "skyreels";
        else if (name == "--device")
            a.device = Device::parse(value);
        else if (name == "--heads")
            a.heads = std::stoll(value);
        else if (name == "--repeat")
            a.repeat = std::stoi(value);
        else if (name == "--strips")
            a.strips = std::stoi(value);
        else if (name == "--activations")
            a.activations = std::stoi(value);
        else
            throw UsageError("", name, "is unknown", "see the head of this program's source");
    }
    return a;
}

double milliseconds(const std::function<void()>& work) {
    const auto begin = Clock::now();
    work();
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::shared_ptr<const Weights> load(const Arguments& a, Component component) {
    const std::filesystem::path path = a.weights;
    return std::make_shared<const Weights>(Weights::load({&path, 1}, component));
}

const Tensor* find(const Tensors& all, const char* name) {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
}

/// What the device says when it plans its memory; empty if all weights stay there.
std::string plan(Backend& backend, const Weights& weights, const Arguments& a) {
    MemoryNeeds needs;
    for (const auto& [name, weight] : weights.all()) {
        if (weight.shape().rank() < 2) continue;
        const auto bytes = static_cast<std::size_t>(weight.shape().elements() * element_bytes(a.dtype));
        needs.weights += bytes;
        const bool square = weight.shape()[0] == weight.shape()[1]; // q, k and v may be kept as one weight
        needs.largest_weight = std::max(needs.largest_weight, (square ? 3 : 1) * bytes);
    }
    needs.activations = static_cast<std::size_t>(a.activations) << 20;
    return backend.plan_memory(needs);
}

/// The network as a function without arguments. The device may still be computing the result when it returns.
std::function<Tensors()> network(const Arguments& a, const std::shared_ptr<Backend>& backend, const Tensors& in) {
    if (a.what == "transformer") {
        const wan::Precision precision = a.dtype == DType::f32 ? wan::Precision::f32()
                                         : a.skyreels          ? wan::Precision::skyreels()
                                                               : wan::Precision::wan();
        const auto weights = load(a, Component::transformer);
        if (a.activations > 0)
            if (const std::string told = plan(*backend, *weights, a); !told.empty()) log::info(told);
        const auto model =
            std::make_shared<wan::Transformer>(weights, backend, wan::Transformer::Options{a.heads, {}, precision});
        const auto context = std::make_shared<wan::Context>(model->context(in.at("text"), find(in, "clip")));
        model->release_context_weights();
        const Tensor latent = backend->upload(in.at("latent")), time = in.at("timestep").to_host_f32(),
                     condition = find(in, "condition") ? backend->upload(in.at("condition")) : Tensor();
        const std::optional<int> fps = model->config().fps_rows > 0 ? std::optional(1) : std::nullopt;
        return [=]() -> Tensors {
            return {{"velocity", model->forward(latent, condition ? &condition : nullptr, time.span<const float>(),
                                                *context, fps)}};
        };
    }
    if (a.what == "decode" || a.what == "encode") {
        const wan::Vae::Options options{.dtype = a.dtype, .bf16_above = 0, .strips = a.strips, .tf32 = a.tf32};
        const auto vae = std::make_shared<wan::Vae>(load(a, Component::vae21), backend, options);
        if (a.what == "decode") return [=, &in]() -> Tensors { return {{"video", vae->decode(in.at("latent"))}}; };
        return [=, &in]() -> Tensors {
            const auto encoded = vae->encode(in.at("video"));
            return {{"latent", encoded.latent.to_host_f32()}, {"mean", encoded.mean.to_host_f32()}};
        };
    }
    if (a.what == "text") {
        const auto encoder =
            std::make_shared<umt5::Encoder>(load(a, Component::umt5), backend, umt5::Encoder::Options{a.dtype});
        return [=, &in]() -> Tensors { return {{"text", encoder->encode(in.at("tokens").span<std::int64_t>())}}; };
    }
    if (a.what == "clip") {
        const auto vision =
            std::make_shared<clip::Vision>(load(a, Component::clip), backend, clip::Vision::Options{a.dtype, a.heads});
        return [=, &in]() -> Tensors { return {{"features", vision->forward(in.at("image"))}}; };
    }
    throw UsageError("", a.what, "is unknown", "use peak, transformer, decode, encode, text or clip");
}

/// Waits until the device has computed `all`.
void wait_for(Backend& backend, const Tensors& all) {
    for (const auto& [name, x] : all) {
        if (x.backend() == nullptr) continue;
        Tensor one = x;
        for (int axis = 0; axis < x.rank(); ++axis) one = one.slice(axis, 0, 1);
        backend.download(one);
    }
}

/// Random values, since zeros are multiplied faster than the values of a model.
Tensor numbers(const Shape& shape) {
    Tensor out = Tensor::host(shape, DType::bf16);
    std::uint32_t state = 1;
    for (std::uint16_t& v : out.span<std::uint16_t>())
        v = bf16::from(static_cast<float>(static_cast<std::int32_t>(state = state * 1664525u + 1013904223u)) * 0x1p-31f)
                .bits;
    return out;
}

Json peak(Backend& backend, std::int64_t side) {
    const Tensor x = backend.upload(numbers({side, side}));
    const Weight w("w", numbers({side, side}));
    Tensor out = backend.empty({side, side}, DType::bf16), one = backend.empty({1}, DType::bf16);
    const auto run = [&](int times) {
        for (int i = 0; i < times; ++i) backend.linear(x, w, nullptr, {Activation::none, DType::bf16}, out);
        backend.download(out.slice(0, 0, 1)); // waits
    };
    run(2);
    constexpr int times = 10;
    std::vector<double> all;
    for (int i = 0; i < 5; ++i) all.push_back(milliseconds([&] { run(times); }) / times);
    std::sort(all.begin(), all.end());
    const double flop = 2.0 * static_cast<double>(side) * static_cast<double>(side) * static_cast<double>(side);
    return {{"tflops", flop / all[2] * 1e-9}};
}

Json run(const Arguments& a) {
    const auto backend = open_backend(a.device);
    if (a.what == "peak") return peak(*backend, a.device.kind == Device::Kind::cpu ? 256 : 8192);
    const Tensors in = read_safetensors(a.inputs);
    std::function<Tensors()> work;
    const double opened = milliseconds([&] { work = network(a, backend, in); });
    Tensors out;
    const auto call = [&] {
        out = work();
        wait_for(*backend, out);
    };
    const double first = milliseconds(call);
    std::vector<double> again;
    double second = 0;
    for (int i = 0; i <= a.repeat; ++i) {
        const double t = milliseconds(call);
        if (i == 0)
            second = t; // the second call may record what later ones repeat
        else
            again.push_back(t);
        if (a.repeat == 0) break;
    }
    Json result{{"open_ms", opened},
                {"first_ms", first},
                {"second_ms", second},
                {"peak_bytes", backend->memory().peak},
                {"free_bytes", backend->free_memory()}};
    if (!a.out.empty()) { // the result of the last call, so that what is compared is what was timed
        for (auto& [name, x] : out) x = (x.backend() ? backend->download(x) : x).to_host_f32();
        write_safetensors(a.out, out);
    }
    std::sort(again.begin(), again.end());
    if (!again.empty()) {
        result["ms"] = again[again.size() / 2];
        result["least_ms"] = again.front();
        result["most_ms"] = again.back();
    }
    return result;
}

} // namespace
} // namespace denoir

int main(int argc, char** argv) {
    denoir::log::set_sink([](denoir::log::Level, std::string_view line) { fmt::print(stderr, "{}\n", line); });
    try {
        const denoir::Json result = denoir::run(denoir::parse(argc, argv));
        fmt::print("{}\n", result.dump());
        return 0;
    } catch (const denoir::UsageError& e) {
        fmt::print(stderr, "denoir_gpu: {}\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        fmt::print(stderr, "denoir_gpu: {}\n", e.what());
        return 1;
    }
}

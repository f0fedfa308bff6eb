// SPDX-License-Identifier: Apache-2.0
#include "engine/models/lpips/lpips.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "engine/core/error.h"
#include "engine/ops/ops.h"
#include "engine/weights/container.h"

namespace denoir::lpips {
namespace {

/// A convolution of a backbone: its number in torchvision's `features`, its shape, the side of the max pooling before
/// it (0: none), and the head after it (-1: none).
struct Plan {
    int index, out, in, kernel, stride, pad, pool, head;
};

constexpr std::array<Plan, 5> alexnet{{{0, 64, 3, 11, 4, 2, 0, 0},
                                       {3, 192, 64, 5, 1, 2, 3, 1},
                                       {6, 384, 192, 3, 1, 1, 3, 2},
                                       {8, 256, 384, 3, 1, 1, 0, 3},
                                       {10, 256, 256, 3, 1, 1, 0, 4}}};
constexpr std::array<Plan, 13> vgg16{{{0, 64, 3, 3, 1, 1, 0, -1},
                                      {2, 64, 64, 3, 1, 1, 0, 0},
                                      {5, 128, 64, 3, 1, 1, 2, -1},
                                      {7, 128, 128, 3, 1, 1, 0, 1},
                                      {10, 256, 128, 3, 1, 1, 2, -1},
                                      {12, 256, 256, 3, 1, 1, 0, -1},
                                      {14, 256, 256, 3, 1, 1, 0, 2},
                                      {17, 512, 256, 3, 1, 1, 2, -1},
                                      {19, 512, 512, 3, 1, 1, 0, -1},
                                      {21, 512, 512, 3, 1, 1, 0, 3},
                                      {24, 512, 512, 3, 1, 1, 2, -1},
                                      {26, 512, 512, 3, 1, 1, 0, -1},
                                      {28, 512, 512, 3, 1, 1, 0, 4}}};

/// The package normalises pictures in -1 … 1 per channel: (x - shift) / scale.
constexpr float shift[3]{-0.030f, -0.088f, -0.188f}, scale[3]{0.458f, 0.448f, 0.450f};
constexpr float epsilon = 1e-10f;

constexpr const char* how =
    "name torchvision's file (alexnet or vgg16) and the heads of the lpips package (weights/v0.1)";

std::span<const Plan> plan_of(Network network) {
    return network == Network::alexnet ? std::span<const Plan>(alexnet) : std::span<const Plan>(vgg16);
}

/// "features.0.weight" and "net.slice1.0.weight" become "0.weight", "lin2.model.1.weight" becomes "lin2". Empty for a
/// name that is no part of the network.
std::string canonical(std::string_view name) {
    const auto after = [&](std::string_view prefix) { return std::string(name.substr(prefix.size())); };
    if (name.starts_with("features.")) return after("features.");
    if (name.starts_with("net.slice") && name.size() > 11) return std::string(name.substr(name.find('.', 9) + 1));
    if (name.size() > 5 && name.starts_with("lin") && name[4] == '.' && name.ends_with(".weight"))
        return std::string(name.substr(0, 4));
    return {};
}

std::map<std::string, Tensor> tensors_of(std::span<const std::filesystem::path> files) {
    std::map<std::string, Tensor> all;
    for (const std::filesystem::path& file : files) {
        const Container container = [&] {
            try {
                return open_container(file, OldPth::read);
            } catch (const Error& error) {
                const std::string hint = file.extension() == ".pth" || error.hint().empty() ? how : error.hint();
                throw Error(error.file(), error.field(), error.message(), hint);
            }
        }();
        for (const FileTensor& t : container.tensors)
            if (std::string key = canonical(t.name); !key.empty()) all[key] = container.tensor(t);
    }
    return all;
}

/// Max pooling over squares of `side` with stride 2; [H,W,C] f32.
Tensor pooled(Backend& backend, const Tensor& x, int side) {
    const std::int64_t channels = x.size(2), height = (x.size(0) - side) / 2 + 1, width = (x.size(1) - side) / 2 + 1;
    Tensor out = backend.empty({height, width, channels}, DType::f32);
    for (std::int64_t i = 0; i < height * width; ++i) {
        float* to = out.data<float>() + i * channels;
        std::fill_n(to, channels, -std::numeric_limits<float>::infinity());
        for (int dy = 0; dy < side; ++dy)
            for (int dx = 0; dx < side; ++dx) {
                const float* from =
                    x.data<float>() + (2 * (i / width) + dy) * x.stride(0) + (2 * (i % width) + dx) * channels;
                for (std::int64_t c = 0; c < channels; ++c) to[c] = std::max(to[c], from[c]);
            }
    }
    return out;
}

/// 1 / (length of a pixel's feature vector + epsilon).
float inverse_length(const float* x, std::int64_t channels) {
    float sum = 0;
    for (std::int64_t c = 0; c < channels; ++c) sum += x[c] * x[c];
    return 1 / (std::sqrt(sum) + epsilon);
}

/// The mean over pixels of the weighted squared differences of the normalised features.
double head_distance(const Tensor& a, const Tensor& b, const std::vector<float>& weight) {
    const auto channels = std::int64_t(weight.size()), pixels = a.size(0) * a.size(1);
    double sum = 0;
    for (std::int64_t i = 0; i < pixels; ++i) {
        const float *p = a.data<float>() + i * channels, *q = b.data<float>() + i * channels;
        const float of_p = inverse_length(p, channels), of_q = inverse_length(q, channels);
        float at = 0;
        for (std::int64_t c = 0; c < channels; ++c) {
            const float d = p[c] * of_p - q[c] * of_q;
            at += weight[std::size_t(c)] * d * d;
        }
        sum += double(at);
    }
    return sum / double(pixels);
}

} // namespace

std::string_view name(Network network) { return network == Network::alexnet ? "LPIPS AlexNet" : "LPIPS VGG-16"; }

Lpips::Lpips(std::span<const std::filesystem::path> files, std::shared_ptr<Backend> backend)
    : backend_(std::move(backend)) {
    assert(!files.empty() && backend_->device() == Device{});
    const std::string file = files.front().string();
    const std::map<std::string, Tensor> all = tensors_of(files);
    const auto get = [&](const std::string& key, const Shape& expected, const char* what) -> const Tensor& {
        const auto found = all.find(key);
        if (found == all.end()) throw Error(file, what, "is missing: LPIPS needs a backbone and its five heads", how);
        if (found->second.shape() != expected || found->second.dtype() == DType::i64)
            throw Error(file, what,
                        fmt::format("has shape {}, expected {}", to_string(found->second.shape()), to_string(expected)),
                        "only AlexNet and VGG-16 are supported");
        return found->second;
    };
    const auto first = all.find("0.weight");
    if (first != all.end() && first->second.shape() == Shape({64, 3, 3, 3})) network_ = Network::vgg16;
    for (const Plan& p : plan_of(network_)) {
        const std::string weight = fmt::format("{}.weight", p.index), bias = fmt::format("{}.bias", p.index);
        layers_.push_back(
            {Weight(weight, get(weight, {p.out, p.in, p.kernel, p.kernel}, ("features." + weight).c_str())),
             Weight(bias, get(bias, {p.out}, ("features." + bias).c_str())), p.stride, p.pad, p.pool, p.head});
        if (p.head < 0) continue;
        const std::string head = fmt::format("lin{}", p.head);
        const Tensor values = get(head, {1, p.out, 1, 1}, head.c_str()).to_host_f32();
        heads_.emplace_back(values.span<float>().begin(), values.span<float>().end());
    }
}

int Lpips::least_side() const { return network_ == Network::alexnet ? 31 : 16; }

Tensor Lpips::input(const Tensor& picture) const {
    Tensor x = backend_->empty({picture.size(1), picture.size(2), 3}, DType::f32);
    for (std::int64_t c = 0; c < 3; ++c)
        for (std::int64_t y = 0; y < picture.size(1); ++y) {
            const float* from = picture.data<float>() + c * picture.stride(0) + y * picture.stride(1);
            float* to = x.data<float>() + y * x.stride(0) + c;
            for (std::int64_t i = 0; i < picture.size(2); ++i) to[3 * i] = (from[i] / 127.5f - 1 - shift[c]) / scale[c];
        }
    return x;
}

Tensor Lpips::forward(const Layer& layer, Tensor x) const {
    if (layer.pool) x = pooled(*backend_, x, layer.pool);
    ConvOptions options;
    options.stride = layer.stride;
    options.pad_top = options.pad_left = options.pad_bottom = options.pad_right = layer.pad;
    const Tensor out = ops::conv({&x, 1}, layer.weight, &layer.bias, nullptr, options, DType::f32);
    for (float& v : out.span<float>()) v = std::max(v, 0.0f);
    return out.select(0, 0);
}

double Lpips::distance(const Tensor& a, const Tensor& b) const {
    for (const Tensor* picture : {&a, &b})
        if (const Backend* of = picture->backend(); of && !of->device().uses_host_memory())
            throw Error("", "lpips", fmt::format("the picture lies on {}, not in host memory", of->device().name()));
    assert(a.shape() == b.shape() && a.rank() == 3 && a.size(0) == 3 && a.size(1) >= least_side() &&
           a.size(2) >= least_side());
    Tensor x = input(a), y = input(b);
    double sum = 0;
    for (const Layer& layer : layers_) {
        x = forward(layer, std::move(x));
        y = forward(layer, std::move(y));
        if (layer.head >= 0) sum += head_distance(x, y, heads_[std::size_t(layer.head)]);
    }
    return sum;
}

} // namespace denoir::lpips

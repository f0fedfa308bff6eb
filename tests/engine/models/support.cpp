// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/models/support.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "engine/nn/layers.h"

namespace denoir::test {

double named_value(std::string_view name, std::uint64_t i) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::uint64_t z = h + i + 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-53 * 2 - 1;
}

double numbered_value(std::uint32_t n, std::uint64_t i) {
    auto z = static_cast<std::uint32_t>(i + 1000003ull * n);
    z = (z ^ (z >> 16)) * 0x7feb352du;
    z = (z ^ (z >> 15)) * 0x846ca68bu;
    z ^= z >> 16;
    return z * 0x1p-32 - 0.5;
}

Tensor named_tensor(std::string_view name, const Shape& shape) {
    Tensor t = Tensor::host(shape);
    std::uint64_t i = 0;
    for (float& v : t.span<float>()) v = static_cast<float>(named_value(name, i++));
    return t;
}

Tensor numbered_tensor(std::uint32_t n, const Shape& shape) {
    Tensor t = Tensor::host(shape);
    std::uint64_t i = 0;
    for (float& v : t.span<float>()) v = static_cast<float>(4 * numbered_value(n, i++));
    return t;
}

std::shared_ptr<const Weights> filled(Component component, const std::map<std::string, Shape>& tensors, Json config,
                                      const Fill& fill) {
    std::map<std::string, Weight, std::less<>> all;
    std::size_t number = 0;
    for (const auto& [name, shape] : tensors) {
        Tensor t = Tensor::host(shape);
        std::uint64_t i = 0;
        for (float& v : t.span<float>()) v = static_cast<float>(fill(name, shape, number, i++));
        all.emplace(name, Weight(name, t));
        ++number;
    }
    return std::make_shared<const Weights>(component, std::move(all), std::move(config), "golden");
}

double fill_transformer(const std::string& name, const Shape&, std::size_t number, std::uint64_t i) {
    const double value = 0.5 * numbered_value(static_cast<std::uint32_t>(number), i);
    const bool norm = (name.find("norm") != std::string::npos && name.ends_with("weight")) ||
                      name == "img_emb.proj.0.weight" || name == "img_emb.proj.4.weight";
    return norm ? 1 + value : value;
}

double relative_error(const Tensor& got, const Tensor& want) {
    const Tensor a = nn::host_f32(got), b = nn::host_f32(want);
    if (!(a.shape() == b.shape())) return std::numeric_limits<double>::infinity();
    double error = 0, top = 0;
    for (std::int64_t i = 0; i < a.elements(); ++i) {
        const double x = a.data<float>()[i], y = b.data<float>()[i];
        if (!std::isfinite(x)) return std::numeric_limits<double>::infinity();
        error = std::max(error, std::abs(x - y));
        top = std::max(top, std::abs(y));
    }
    return error / std::max(top, 1e-30);
}

bool same_bytes(const Tensor& a, const Tensor& b) {
    const Tensor x = nn::host_f32(a), y = nn::host_f32(b);
    return x.shape() == y.shape() && std::memcmp(x.raw(), y.raw(), x.bytes()) == 0;
}

double sum(const Tensor& x) {
    const Tensor values = nn::host_f32(x);
    double total = 0;
    for (const float v : values.span<float>()) total += v;
    return total;
}

double absolute_sum(const Tensor& x) {
    const Tensor values = nn::host_f32(x);
    double total = 0;
    for (const float v : values.span<float>()) total += std::abs(v);
    return total;
}

std::shared_ptr<Backend> cpu(int threads) {
    // Never destroyed, because a card's libraries may be unloaded earlier when the program ends.
    static auto& opened = *new std::map<int, std::shared_ptr<Backend>>;
    static const Device device = [] {
        const char* asked = std::getenv("DENOIR_TEST_DEVICE");
        return asked ? Device::parse(asked) : Device{};
    }();
    auto& backend = opened[device.kind == Device::Kind::cpu ? threads : 1];
    if (!backend) backend = open_backend(device, threads);
    return backend;
}

void Recorder::tell(std::string_view layer, const Tensor& x) {
    names.emplace_back(layer);
    last[std::string(layer)] = x.backend()->download(x);
    ++count[std::string(layer)];
}

} // namespace denoir::test

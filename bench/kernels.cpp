// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "engine/backend/cpu/kernels.h"

namespace denoir::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& f) {
    const auto start = Clock::now();
    f();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds of the fastest call, after one to warm up (packing, arena). Calls fill about a second; there are at least
/// three.
double best(const std::function<void()>& f) {
    f();
    double least = 1e30, total = 0;
    for (int i = 0; i < 20 && (i < 3 || total < 1.0); ++i) {
        const double t = seconds_of(f);
        least = std::min(least, t);
        total += t;
    }
    return least;
}

/// Numbers around zero, always the same. Some processors would be faster or slower with denormals or constants.
Tensor numbers(const Shape& shape, DType dtype) {
    Tensor wide = Tensor::host(shape);
    std::uint32_t state = 1;
    for (float& v : wide.span<float>())
        v = static_cast<float>(static_cast<std::int32_t>(state = state * 1664525u + 1013904223u)) * 0x1p-31f;
    if (dtype == DType::f32) return wide;
    Tensor out = Tensor::host(shape, dtype);
    from_f32(dtype, wide.data<float>(), out.raw(), shape.elements());
    return out;
}

double size(std::initializer_list<Tensor> all) {
    double bytes = 0;
    for (const Tensor& x : all) bytes += static_cast<double>(x.bytes());
    return bytes;
}

Case linear(std::int64_t m, std::int64_t k, std::int64_t n, DType weight, DType compute) {
    return {fmt::format("linear/{}-{}/{}x{}x{}", info(weight).name, info(compute).name, m, k, n),
            [=](Backend& backend) {
                const Tensor x = backend.upload(numbers({m, k}, compute));
                const Weight w("w", numbers({n, k}, weight));
                Tensor out = backend.empty({m, n}, compute);
                const double seconds = best([&] { backend.linear(x, w, nullptr, {Activation::none, compute}, out); });
                return Measurement{seconds, 2.0 * static_cast<double>(m * k * n), size({x, w.stored(), out})};
            }};
}

Case attention(std::int64_t queries, std::int64_t keys, std::int64_t heads, std::int64_t head, DType compute) {
    return {
        fmt::format("attention/{}/{}x{}x{}x{}", info(compute).name, queries, keys, heads, head), [=](Backend& backend) {
            const Tensor q = backend.upload(numbers({queries, heads, head}, compute)),
                         k = backend.upload(numbers({keys, heads, head}, compute));
            Tensor out = backend.empty({queries, heads, head}, compute);
            const AttentionOptions options{.scale = 1 / std::sqrt(static_cast<float>(head)), .compute = compute};
            const double seconds = best([&] { backend.attention(q, k, k, options, out); });
            return Measurement{seconds, 4.0 * static_cast<double>(queries * keys * heads * head), size({q, k, k, out})};
        }};
}

Case conv(std::string_view name, std::int64_t in, std::int64_t out, std::int64_t height, std::int64_t width,
          const Shape& taps, ConvOptions options, DType compute) {
    return {fmt::format("conv/{}/{}/{}-{}/{}x{}", name, info(compute).name, in, out, height, width),
            [=](Backend& backend) {
                Shape shape({out, in});
                for (const std::int64_t t : taps) shape.push_back(t);
                const Weight w("w", numbers(shape, DType::f32));
                ConvOptions o = options;
                o.compute = compute;
                std::vector<Tensor> frames;
                for (std::int64_t t = 0; t < (taps.rank() == 3 ? taps[0] : 1); ++t)
                    frames.push_back(backend.upload(numbers({height, width, in}, compute)));
                const std::int64_t grown = o.duplicate ? 2 : 1;
                const std::int64_t rows = (height * grown + o.pad_top + o.pad_bottom - taps[-2]) / o.stride + 1;
                const std::int64_t columns = (width * grown + o.pad_left + o.pad_right - taps[-1]) / o.stride + 1;
                Tensor result = backend.empty({1, rows, columns, out}, compute);
                const double seconds = best([&] { backend.conv(frames, w, nullptr, nullptr, o, result); });
                double bytes = size({w.stored(), result});
                for (const Tensor& f : frames) bytes += static_cast<double>(f.bytes());
                // Counted as the layer is defined; for duplicated inputs less than half of it has to be computed.
                return Measurement{seconds, 2.0 * static_cast<double>(rows * columns * shape.elements()), bytes};
            }};
}

/// A kernel from [L, C] to [L, C] whose speed is limited by memory.
Case rows(std::string_view name, DType dtype,
          const std::function<void(Backend&, const Tensor& x, const Tensor& table, Tensor& out)>& kernel) {
    return {fmt::format("{}/{}/8160x1536", name, info(dtype).name), [=](Backend& backend) {
                const Tensor x = backend.upload(numbers({8160, 1536}, dtype)),
                             table = backend.upload(numbers({3, 1536}, DType::f32));
                Tensor out = backend.empty(x.shape(), dtype);
                const double seconds = best([&] { kernel(backend, x, table, out); });
                return Measurement{seconds, 0, size({x, out})};
            }};
}

void add_linear(std::vector<Case>& cases) {
    for (const std::int64_t m : {1280, 2040, 8000})
        for (const auto& [k, n] : {std::pair{1536, 1536}, {1536, 8960}, {8960, 1536}, {4096, 10240}})
            for (const DType weight : {DType::f32, DType::bf16}) cases.push_back(linear(m, k, n, weight, DType::f32));
    for (const std::int64_t m : {24, 160, 512}) // lengths of prompts, in text encoders
        for (const DType weight : {DType::bf16, DType::f16})
            for (const DType compute : {DType::f32, DType::bf16})
                cases.push_back(linear(m, 4096, 10240, weight, compute));
    for (const DType weight : {DType::f8_e4m3, DType::f8_e5m2, DType::q8_0, DType::q4_k})
        cases.push_back(linear(160, 4096, 10240, weight, DType::bf16));
    for (const auto& [m, k, n] :
         {std::array{1280, 1536, 1536}, {1280, 8960, 1536}, {2040, 1536, 8960}, {2040, 8960, 1536}, {8000, 1536, 8960}})
        cases.push_back(linear(m, k, n, DType::bf16, DType::bf16));
    cases.push_back(linear(2040, 1536, 8960, DType::q4_k, DType::f32));
    for (const DType weight : {DType::f32, DType::f16, DType::f8_e4m3, DType::f8_e5m2, DType::q8_0, DType::q4_k})
        cases.push_back(linear(2040, 1536, 8960, weight, DType::bf16));
    for (const std::int64_t m : {1, 6}) cases.push_back(linear(m, 1536, 9216, DType::f32, DType::f32));
}

} // namespace

std::vector<Case> kernel_cases() {
    std::vector<Case> cases;
    add_linear(cases);
    for (const DType compute : {DType::f32, DType::bf16}) {
        cases.push_back(attention(1280, 1280, 12, 128, compute));
        cases.push_back(attention(8160, 8160, 12, 128, compute));
        cases.push_back(attention(8160, 512, 12, 128, compute));
    }
    cases.push_back(attention(512, 512, 64, 64, DType::f32));
    const ConvOptions same{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};
    ConvOptions grown = same;
    grown.duplicate = true;
    for (const DType compute : {DType::f32, DType::bf16}) {
        cases.push_back(conv("causal", 96, 96, 480, 832, {3, 3, 3}, same, compute));
        cases.push_back(conv("causal", 192, 192, 240, 416, {3, 3, 3}, same, compute));
        cases.push_back(conv("causal", 384, 384, 120, 208, {3, 3, 3}, same, compute));
        cases.push_back(conv("grown", 192, 96, 240, 416, {3, 3}, grown, compute));
    }
    cases.push_back(conv("head", 96, 3, 480, 832, {3, 3, 3}, same, DType::f32));
    cases.push_back(conv("first", 3, 96, 480, 832, {3, 3, 3}, same, DType::f32));
    cases.push_back(
        conv("shrunk", 96, 96, 480, 832, {3, 3}, {.stride = 2, .pad_bottom = 1, .pad_right = 1}, DType::f32));
    cases.push_back(conv("pointwise", 192, 384, 120, 208, {1, 1}, {}, DType::f32));
    for (const DType dtype : {DType::f32, DType::bf16}) {
        cases.push_back(
            rows("layer_norm_modulate", dtype, [](Backend& b, const Tensor& x, const Tensor& t, Tensor& out) {
                b.layer_norm_modulate(x, t.slice(0, 0, 1), t.slice(0, 1, 2), 1e-6f, out);
            }));
        cases.push_back(rows("gated_add", dtype, [](Backend& b, const Tensor& x, const Tensor& t, Tensor& out) {
            b.gated_add(x, x, t, out);
        }));
        cases.push_back(rows("channel_norm_silu", dtype, [](Backend& b, const Tensor& x, const Tensor& t, Tensor& out) {
            b.channel_norm(x, t.select(0, 0), true, out);
        }));
        cases.push_back(rows("gelu_tanh", dtype, [](Backend& b, const Tensor& x, const Tensor&, Tensor& out) {
            b.activate(Activation::gelu_tanh, x, out);
        }));
    }
    return cases;
}

double measured_peak_flops(Backend& backend) {
    const auto threads = static_cast<std::size_t>(backend.threads());
    const cpu::Kernels& kernels = cpu::kernels();
    constexpr std::int64_t rounds = 200'000;
    double most = 0;
    for (int repeat = 0; repeat < 100; ++repeat) {
        std::vector<double> flops(threads);
        const auto work = [&](std::size_t i) {
            double flop = 0;
            const double seconds = seconds_of([&] { flop = kernels.multiply_adds(rounds); });
            flops[i] = flop / seconds;
        };
        {
            std::vector<std::jthread> others;
            for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work, i);
            work(0);
        }
        double total = 0;
        for (const double f : flops) total += f;
        most = std::max(most, total);
    }
    return most;
}

} // namespace denoir::bench

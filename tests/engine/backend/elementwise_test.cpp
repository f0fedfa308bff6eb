// SPDX-License-Identifier: Apache-2.0
#include "kernel_test.h"

namespace denoir::test {
namespace {

constexpr DType f32 = DType::f32, bf16 = DType::bf16;

TEST(Elementwise, AddAndMultiply) {
    for (const DType in : {f32, bf16})
        for (const DType out : {f32, bf16})
            for (const Shape& shape : {Shape{1}, Shape{3, 5}, Shape{2, 3, 5000}, Shape{700, 3, 5}}) {
                const Tensor a = host(shape, 1, in), b = host(shape, 2, f32);
                std::vector<double> sum = doubles(a), product = sum;
                const std::vector<double> other = doubles(b);
                for (std::size_t i = 0; i < sum.size(); ++i) {
                    sum[i] += other[i];
                    product[i] *= other[i];
                }
                const auto run = [&](auto kernel) {
                    return same_on_any_threads([&](Backend& backend) {
                        Tensor result = backend.empty(shape, out);
                        (backend.*kernel)(strided(backend, a), backend.upload(b), result);
                        return result;
                    });
                };
                expect_near(run(&Backend::add), sum, tolerance(out));
                expect_near(run(&Backend::multiply), product, tolerance(out));
            }
}

TEST(Elementwise, Activations) {
    Tensor x = host({3, 1111}, 1);
    for (float& v : x.span<float>()) v *= 12;
    const auto run = [&](Activation kind) {
        return same_on_any_threads([&](Backend& backend) {
            Tensor result = backend.empty(x.shape(), f32);
            backend.activate(kind, backend.upload(x), result);
            return result;
        });
    };
    std::vector<double> silu = doubles(x), tanh = silu, erf = silu;
    for (double& v : silu) v /= 1 + std::exp(-v);
    for (double& v : tanh) v *= 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    for (double& v : erf) v *= 0.5 * (1 + std::erf(v / std::sqrt(2.0)));
    // Far closer than the table of tolerances asks, relative to each value that is not tiny. A card's quotients are not
    // rounded to the nearest.
    expect_near(run(Activation::silu), silu, 3e-7);
    expect_near(run(Activation::gelu_tanh), tanh, 3e-7);
    expect_near(run(Activation::gelu_erf), erf, 2e-7);
    expect_near(run(Activation::none), doubles(x), 0);
}

TEST(Elementwise, GeluInRoundedSteps) {
    // Every finite bf16 value in the range where the curve is neither 0 nor x.
    Tensor x = Tensor::host({2, 17000}, bf16);
    for (std::int64_t i = 0; i < x.elements(); ++i)
        x.data<denoir::bf16>()[i] = denoir::bf16{static_cast<std::uint16_t>((i % 2 ? 0x8000 : 0) + i / 2)};
    const auto round = [](double v) { return static_cast<double>(round_to_bf16(static_cast<float>(v))); };
    const std::vector<double> inputs = doubles(x);
    std::vector<double> expected = inputs;
    for (double& v : expected) {
        const double cubic = round(0.044715f * round(round(v * v) * v));
        const double inner = round(0.7978845608f * round(v + cubic));
        v = round(round(0.5 * v) * round(1 + round(std::tanh(inner))));
    }
    const Tensor out = same_on_any_threads([&](Backend& backend) {
        Tensor result = backend.empty(x.shape(), bf16);
        backend.activate(Activation::gelu_tanh_steps, strided(backend, x), result);
        return result;
    });
    // If a step in f32 falls on the other side of a tie, the factor moves by one step of bf16.
    const std::vector<double> found = doubles(out);
    std::int64_t other = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] != expected[i]) ++other;
        ASSERT_NEAR(found[i], expected[i], std::abs(inputs[i]) / 128) << inputs[i];
    }
    EXPECT_LE(other, std::ssize(found) / 1000);
}

TEST(Elementwise, ActivationsOfExtremeValues) {
    const std::vector<float> x = {NAN, -1e30f, -200, -88, -0.0f, 0, 88, 200, 1e30f};
    const auto& backend = backend_under_test();
    for (const Activation kind : {Activation::silu, Activation::gelu_tanh, Activation::gelu_erf}) {
        Tensor out = backend->empty({9}, f32);
        backend->activate(kind, backend->upload(Tensor::from(x, {9})), out);
        const std::vector<double> found = doubles(out);
        EXPECT_TRUE(std::isnan(found[0]));
        for (std::size_t i = 1; i < 6; ++i) EXPECT_NEAR(found[i], 0, 1e-6) << x[i];
        for (std::size_t i = 6; i < 9; ++i) EXPECT_FLOAT_EQ(static_cast<float>(found[i]), x[i]);
    }
}

TEST(Elementwise, Fill) {
    const auto& backend = backend_under_test();
    Tensor room = backend->upload(host({4, 9}, 1, bf16)), part = room.slice(0, 1, 3).slice(1, 2, 5);
    std::vector<double> expected = doubles(room);
    backend->fill(part, 0.5f);
    for (std::size_t i = 1; i < 3; ++i)
        for (std::size_t j = 2; j < 5; ++j) expected[i * 9 + j] = 0.5;
    expect_near(room, expected, 0);
}

TEST(Copy, AnyStridesOnBothSides) {
    for (const DType in : {f32, bf16})
        for (const DType out : {f32, bf16}) {
            const Tensor x = host({5, 70, 3, 41}, 1, in);
            constexpr int orders[][4] = {{0, 1, 2, 3}, {3, 1, 2, 0}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 3, 1, 2}};
            for (const auto& o : orders) {
                const auto turned = [&](const Tensor& t) { return t.permute({o[0], o[1], o[2], o[3]}); };
                const Tensor from = turned(x);
                const auto found = same_on_any_threads([&](Backend& backend) {
                    Tensor result = backend.empty(from.shape(), out);
                    backend.copy(turned(backend.upload(x)), result);
                    return result;
                });
                expect_near(found, doubles(from), in == f32 && out == bf16 ? bf16_tolerance : 0);
                // The same into a view whose axes have another order.
                const auto& backend = backend_under_test();
                Tensor room = backend->empty(x.shape(), out), to = turned(room);
                backend->copy(from, to);
                expect_near(room, doubles(x), in == f32 && out == bf16 ? bf16_tolerance : 0);
            }
        }
}

TEST(Copy, RoundsToNearestEven) {
    const auto& backend = backend_under_test();
    const std::vector<float> x = {1.0f, 1.00390625f, 1.01171875f, 3.4e38f, -1e-40f, INFINITY, NAN};
    Tensor out = backend->empty({7}, bf16);
    backend->copy(Tensor::from(x, {7}), out);
    const Tensor host = backend->download(out);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::uint16_t found = host.span<const std::uint16_t>()[i];
        if (std::isnan(x[i])) // a card has only one NaN, 0x7FFF
            EXPECT_GT(found & 0x7FFF, 0x7F80);
        else
            EXPECT_EQ(found, denoir::bf16::from(x[i]).bits) << x[i];
    }
}

TEST(Copy, OtherTypesIn) {
    const auto& backend = backend_under_test();
    Tensor ids = Tensor::host({2, 3}, DType::i64), out = backend->empty({2, 3}, f32),
           same = backend->empty({3, 2}, DType::i64);
    for (int i = 0; i < 6; ++i) ids.data<std::int64_t>()[i] = i * i - 3;
    backend->copy(ids, out);
    expect_near(out, {-3, -2, 1, 6, 13, 22}, 0);
    backend->copy(ids.permute({1, 0}), same);
    EXPECT_EQ(backend->download(same).data<std::int64_t>()[1], 6);
    Tensor halves = backend->empty({50}, f32);
    backend->copy(host({50}, 1, DType::f16), halves);
    expect_near(halves, doubles(host({50}, 1, DType::f16)), 0);
}

TEST(Copy, NothingToDo) {
    const auto& backend = backend_under_test();
    const Tensor room = backend->upload(host({3, 4}, 1));
    Tensor out = room.slice(0, 1, 1); // a row between others, which must not change
    backend->copy(Tensor::host({0, 4}), out);
    backend->add(out, out, out);
    backend->fill(out, 1);
    backend->activate(Activation::silu, out, out);
    expect_near(room, doubles(host({3, 4}, 1)), 0);
}

} // namespace
} // namespace denoir::test

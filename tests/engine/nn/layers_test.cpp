// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/core/error.h"

namespace denoir::nn {
namespace {

/// Values that all differ and of which no bf16 holds any exactly.
Tensor values(const Shape& shape, double seed) {
    Tensor t = Tensor::host(shape);
    double i = seed;
    for (float& v : t.span<float>()) v = static_cast<float>(std::sin(i += 1.37));
    return t;
}

struct Layers : testing::Test {
    std::shared_ptr<Backend> backend = open_backend(Device{}, 2);
    Tensor up(const Shape& shape, double seed) const { return backend->upload(values(shape, seed)); }
    Tensor down(const Tensor& x) const { return backend->download(x).to_host_f32(); }
    static Weights weights(std::map<std::string, Weight, std::less<>> tensors) {
        return {Component::unknown, std::move(tensors), Json::object(), "memory"};
    }
};

TEST_F(Layers, LinearTakesABiasWhereThereIsOne) {
    const Tensor w = values({5, 7}, 1), b = values({5}, 2), x = values({3, 7}, 3);
    const Weights with = weights({{"l.weight", Weight("l.weight", w)}, {"l.bias", Weight("l.bias", b)}});
    const Weights without = weights({{"l.weight", Weight("l.weight", w)}});
    const Tensor y = down(linear(Module(with)["l"], backend->upload(x), DType::f32));
    const Tensor z = down(linear(Module(without)["l"], backend->upload(x), DType::f32, Activation::silu));
    for (int i = 0; i < 3; ++i)
        for (int o = 0; o < 5; ++o) {
            double sum = 0;
            for (int k = 0; k < 7; ++k)
                sum += static_cast<double>(x.data<float>()[i * 7 + k]) * w.data<float>()[o * 7 + k];
            EXPECT_NEAR(y.data<float>()[i * 5 + o], sum + b.data<float>()[o], 1e-6);
            EXPECT_NEAR(z.data<float>()[i * 5 + o], sum / (1 + std::exp(-sum)), 1e-6);
        }
}

TEST_F(Layers, AMissingTensorIsNamed) {
    const Weights none = weights({});
    try {
        linear(Module(none)["blocks"][3]["ffn.0"], up({2, 2}, 0), DType::f32);
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.field(), "blocks.3.ffn.0.weight");
        EXPECT_EQ(e.file(), "memory");
    }
}

TEST_F(Layers, ModulateSharesRowsBetweenNeighbours) {
    for (const std::int64_t rows : {1, 2, 3, 6}) { // from one row for all tokens to one row for each
        const Tensor x = values({6, 9}, 1), shift = values({rows, 9}, 2), scale = values({rows, 9}, 3);
        const Tensor y = down(modulate(backend->upload(x), backend->upload(shift), backend->upload(scale), DType::f32));
        for (std::int64_t i = 0; i < 6; ++i)
            for (std::int64_t c = 0; c < 9; ++c) {
                const std::int64_t r = i * rows / 6 * 9 + c;
                const double want =
                    x.data<float>()[i * 9 + c] * (1.0 + scale.data<float>()[r]) + shift.data<float>()[r];
                EXPECT_NEAR(y.data<float>()[i * 9 + c], want, 1e-6) << rows;
            }
    }
}

TEST_F(Layers, ModulateTakesRowsOfATable) {
    const Tensor table = up({2, 6, 9}, 4), x = up({6, 9}, 1);
    const Tensor view = modulate(x, table.select(1, 1), table.select(1, 4), DType::f32);
    const Tensor dense =
        modulate(x, ops::contiguous(table.select(1, 1)), ops::contiguous(table.select(1, 4)), DType::f32);
    EXPECT_EQ(std::memcmp(down(view).raw(), down(dense).raw(), view.bytes()), 0);
}

TEST_F(Layers, HeadsIsAView) {
    const Tensor x = up({4, 12}, 1), h = heads(x, 3);
    EXPECT_EQ(h.shape(), (Shape{4, 3, 4}));
    EXPECT_EQ(h.raw(), x.raw());
}

TEST(HostValues, WidenAndApplyScales) {
    Tensor stored = Tensor::host({2, 3}, DType::f8_e4m3);
    const float in[6] = {1, 2, 3, -4, 0.5f, 8};
    from_f32(DType::f8_e4m3, in, stored.raw(), 6);
    Weight w("w", stored);
    w.scale = Tensor::from(std::vector<float>{0.5f, 3.0f}, {2, 1});
    const Tensor per_row = host_values(w);
    const float want[6] = {0.5f, 1, 1.5f, -12, 1.5f, 24};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(per_row.data<float>()[i], want[i]);
    w.scale = Tensor::from(std::vector<float>{2.0f}, {1});
    EXPECT_EQ(host_values(w).data<float>()[5], 16);
}

TEST(HostValues, RoundToBf16) {
    const Weight w("w", values({3, 5}, 1));
    const Weight rounded = rounded_to_bf16(w);
    EXPECT_EQ(rounded.stored().dtype(), DType::bf16);
    EXPECT_EQ(rounded.name(), "w");
    const Tensor back = host_values(rounded);
    for (int i = 0; i < 15; ++i) EXPECT_EQ(back.data<float>()[i], round_to_bf16(w.stored().data<float>()[i]));
    EXPECT_EQ(rounded_to_bf16(rounded).stored().raw(), rounded.stored().raw());
}

} // namespace
} // namespace denoir::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/core/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace denoir {
namespace {

Tensor counting(Shape shape) {
    Tensor out = Tensor::host(shape);
    const auto values = out.span<float>();
    std::iota(values.begin(), values.end(), 0.0f);
    return out;
}

std::vector<float> values(const Tensor& t) {
    const Tensor dense = t.to_host_f32();
    const auto v = dense.span<float>();
    return {v.begin(), v.end()};
}

TEST(Shape, basics) {
    const Shape shape = {16, 3, 6, 10};
    EXPECT_EQ(to_string(shape), "[16, 3, 6, 10]");
    EXPECT_EQ(shape.elements(), 2880);
    EXPECT_EQ(shape[-1], 10);
    EXPECT_EQ(Shape().elements(), 1);
    EXPECT_EQ(to_string(Shape()), "[]");
    EXPECT_FALSE(shape == (Shape{16, 3, 6}));
}

TEST(Tensor, checked_bytes_refuses_what_does_not_fit) {
    constexpr std::int64_t big = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(checked_bytes({2, 256}, DType::q6_k), 420u);
    EXPECT_EQ(checked_bytes({}, DType::f64), 8u);
    EXPECT_EQ(checked_bytes({big, big, 0}, DType::f32), 0u);
    EXPECT_THROW(checked_bytes({big, 2}, DType::u8), std::overflow_error);
    EXPECT_THROW(checked_bytes({big / 2}, DType::f32), std::overflow_error);
    EXPECT_THROW(checked_bytes({-1, 4}, DType::f32), std::overflow_error);
    EXPECT_THROW(checked_bytes({-1, 0}, DType::f32), std::overflow_error);
    EXPECT_THROW(checked_bytes({4, 255}, DType::q4_k), std::overflow_error);
}

TEST(Tensor, empty_tensors_may_have_axes_of_any_size) {
    const std::int64_t big = (std::int64_t{1} << 40) + 1;
    const Shape shape = {0, big, big, big};
    EXPECT_EQ(shape.elements(), 0);
    EXPECT_EQ((Shape{big, big, 0}).elements(), 0);
    const Tensor t = Tensor::host(shape);
    EXPECT_EQ(t.bytes(), 0u);
    EXPECT_TRUE(t.is_contiguous());
    EXPECT_EQ(t.stride(0), 0); // the product of the sizes, about 2^120, would overflow
    EXPECT_EQ(t.unsqueeze(1).elements(), 0);
    EXPECT_EQ(t.reshape({big, 0, big}).elements(), 0);
    EXPECT_EQ(t.slice(1, big - 1, big).elements(), 0);
    EXPECT_EQ(Tensor::host({0, 4}).stride(0), 4);
}

TEST(Tensor, host_memory_is_aligned) {
    for (const std::int64_t n : {0, 1, 17, 1000})
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Tensor::host({n}).raw()) % 64, 0u);
    EXPECT_EQ(values(Tensor::zeros({2, 2})), (std::vector<float>{0, 0, 0, 0}));
}

TEST(Tensor, slices_share_memory) {
    const Tensor t = counting({3, 4});
    Tensor column = t.slice(1, 1, 3);
    EXPECT_EQ(values(column), (std::vector<float>{1, 2, 5, 6, 9, 10}));
    EXPECT_FALSE(column.is_contiguous());
    EXPECT_TRUE(t.slice(0, 1, 3).is_contiguous());
    t.data<float>()[5] = 50;
    EXPECT_EQ(values(column)[2], 50);
    EXPECT_EQ(values(t.select(0, 2)), (std::vector<float>{8, 9, 10, 11}));
    EXPECT_EQ(values(t.select(-1, 0)), (std::vector<float>{0, 4, 8}));
    EXPECT_EQ(t.slice(0, 1, 1).elements(), 0);
}

TEST(Tensor, permute_and_unsqueeze) {
    const Tensor t = counting({2, 3, 2});
    const Tensor p = t.permute({2, 0, 1});
    EXPECT_EQ(p.shape(), (Shape{2, 2, 3}));
    EXPECT_EQ(values(p), (std::vector<float>{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}));
    EXPECT_EQ(p.unsqueeze(1).shape(), (Shape{2, 1, 2, 3}));
    EXPECT_EQ(values(p.unsqueeze(-1)), values(p));
    EXPECT_TRUE(t.unsqueeze(0).is_contiguous());
    EXPECT_TRUE(t.unsqueeze(3).is_contiguous());
}

TEST(Tensor, split_works_on_views) {
    const Tensor qkv = counting({2, 12}); // two tokens, each with the q, k and v of two heads of two values
    const Tensor k = qkv.slice(1, 4, 8).split(1, 2);
    EXPECT_EQ(k.shape(), (Shape{2, 2, 2}));
    EXPECT_EQ(k.stride(0), 12);
    EXPECT_EQ(values(k.select(1, 1)), (std::vector<float>{6, 7, 18, 19}));
    EXPECT_EQ(values(counting({4}).permute({0}).split(0, 2).permute({1, 0})), (std::vector<float>{0, 2, 1, 3}));
}

TEST(Tensor, reshape_keeps_memory_where_it_can) {
    const Tensor t = counting({2, 3, 4});
    EXPECT_EQ(values(t.reshape({6, 4})), values(t));
    EXPECT_EQ(t.reshape({1, 24, 1}).shape(), (Shape{1, 24, 1}));
    const Tensor frame = t.select(0, 1); // [3, 4], dense
    EXPECT_EQ(values(frame.reshape({12}))[0], 12);
    const Tensor middle = t.slice(1, 0, 2); // [2, 2, 4] with a gap
    EXPECT_EQ(values(middle.reshape({2, 8})), values(middle));
    EXPECT_EQ(values(middle.reshape({2, 2, 2, 2})), values(middle));
    EXPECT_THROW(middle.reshape({16}), std::logic_error);
    EXPECT_THROW(middle.reshape({4, 2, 2}).reshape({3, 4}), std::logic_error);
    EXPECT_THROW(t.permute({1, 0, 2}).reshape({24}), std::logic_error);
    EXPECT_EQ(values(t.permute({1, 0, 2}).reshape({3, 1, 2, 2, 2})), values(t.permute({1, 0, 2})));
    EXPECT_EQ(counting({1}).reshape({}).rank(), 0);
    EXPECT_EQ(counting({0, 3}).reshape({3, 0}).elements(), 0);
}

TEST(Tensor, to_host_f32_widens_any_strides) {
    const std::vector<float> x = {1, -2, 3.5f, 4, 5, 6};
    Tensor half = Tensor::host({2, 3}, DType::f16);
    from_f32(DType::f16, x.data(), half.raw(), 6);
    EXPECT_EQ(values(half), x);
    EXPECT_EQ(values(half.permute({1, 0})), (std::vector<float>{1, 4, -2, 5, 3.5f, 6}));
    EXPECT_EQ(values(half.slice(1, 1, 3)), (std::vector<float>{-2, 3.5f, 5, 6}));
    const Tensor f32 = counting({4});
    EXPECT_EQ(f32.to_host_f32().raw(), f32.raw());
    Tensor ids = Tensor::host({3}, DType::i64);
    for (int i = 0; i < 3; ++i) ids.data<std::int64_t>()[i] = 100 * i;
    EXPECT_EQ(values(ids), (std::vector<float>{0, 100, 200}));
}

TEST(Tensor, clones_hold_any_strides_densely) {
    const Tensor t = counting({2, 3, 4});
    for (const Tensor& view : {t, t.permute({2, 0, 1}), t.slice(1, 1, 3), t.slice(2, 1, 2),
                               t.select(0, 1).permute({1, 0}), t.slice(0, 0, 1).expand(0, 5), t.slice(1, 2, 2)}) {
        const Tensor copy = clone(view);
        EXPECT_TRUE(copy.is_contiguous());
        EXPECT_EQ(copy.shape(), view.shape());
        EXPECT_EQ(values(copy), values(view));
    }
    Tensor half = Tensor::host({2, 3}, DType::f16);
    const std::vector<float> x = {1, -2, 3.5f, 4, 5, 6};
    from_f32(DType::f16, x.data(), half.raw(), 6);
    EXPECT_EQ(clone(half.permute({1, 0})).dtype(), DType::f16);
    EXPECT_EQ(values(clone(half.permute({1, 0}))), (std::vector<float>{1, 4, -2, 5, 3.5f, 6}));
}

TEST(Tensor, block_types_are_sliced_by_rows) {
    Tensor t = Tensor::zeros({4, 64}, DType::q8_0);
    EXPECT_EQ(t.bytes(), 4u * 68);
    const Tensor rows = t.slice(0, 1, 3);
    EXPECT_EQ(rows.raw() - t.raw(), 68);
    EXPECT_EQ(rows.bytes(), 2u * 68);
    EXPECT_EQ(t.reshape({2, 2, 64}).select(0, 1).raw() - t.raw(), 136);
    EXPECT_EQ(rows.to_host_f32().elements(), 128);
}

TEST(Tensor, last_owner_frees) {
    std::weak_ptr<Buffer> watch;
    {
        Tensor view;
        {
            const Tensor t = counting({4});
            watch = t.buffer();
            view = t.slice(0, 1, 2);
        }
        EXPECT_FALSE(watch.expired());
    }
    EXPECT_TRUE(watch.expired());
    EXPECT_FALSE(Tensor().defined());
    EXPECT_EQ(Tensor().backend(), nullptr);
}

} // namespace
} // namespace denoir

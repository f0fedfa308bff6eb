// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/safetensors_stream.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/weights/safetensors.h"
#include "support/files.h"

namespace denoir {
namespace {

using namespace test;

Tensor numbers(float first, std::int64_t count, DType dtype = DType::f32) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(first + float(i));
    Tensor t = Tensor::host({count}, dtype);
    from_f32(dtype, values.data(), t.raw(), count);
    return t;
}

TEST(SafetensorsStream, WhatIsAppendedComesBackInThatOrder) {
    // If the header has outgrown its room, all data move at the end.
    for (const std::size_t room : {0, 1, 300, 100000}) {
        TempFolder folder;
        SafetensorsStream out(folder / "x", room);
        out.append("z/second \"quoted\"", numbers(1, 700000));
        out.append("a", numbers(5, 3, DType::bf16));
        out.append("empty", Tensor::host({0, 4}));
        out.append("scalar", numbers(9, 1).reshape({}));
        EXPECT_EQ(out.tensors(), 4u);
        EXPECT_EQ(out.bytes(), 700000u * 4 + 3 * 2 + 4);
        out.commit({{"order", "execution"}});

        std::map<std::string, std::string> metadata;
        const auto tensors = read_safetensors(folder / "x", &metadata);
        ASSERT_EQ(tensors.size(), 4u) << room;
        EXPECT_EQ(metadata.at("order"), "execution");
        EXPECT_EQ(tensors.at("z/second \"quoted\"").data<float>()[699999], 700000);
        EXPECT_EQ(tensors.at("a").dtype(), DType::bf16);
        EXPECT_EQ(tensors.at("a").to_host_f32().data<float>()[2], 7);
        EXPECT_EQ(tensors.at("scalar").to_host_f32().data<float>()[0], 9);
        EXPECT_EQ(tensors.at("empty").shape(), (Shape{0, 4}));
        const Container c = open_container(folder / "x");
        EXPECT_LT(c.find("z/second \"quoted\"")->offset, c.find("a")->offset);
    }
}

TEST(SafetensorsStream, WithoutCommitNothingIsThere) {
    TempFolder folder;
    {
        SafetensorsStream out(folder / "x", 100);
        out.append("a", numbers(1, 10));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SafetensorsStream, RefusesWhatTheFormatDoesNotHave) {
    TempFolder folder;
    SafetensorsStream out(folder / "x", 100);
    out.append("a", numbers(1, 10));
    EXPECT_THROW(out.append("a", numbers(1, 10)), Error);
    EXPECT_THROW(out.append("q", Tensor::host({32}, DType::q8_0)), Error);
    EXPECT_THROW(SafetensorsStream(folder / "missing" / "x", 100), Error);
}

} // namespace
} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/gguf.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/core/error.h"
#include "engine/weights/checkpoint.h"
#include "support/gguf_writer.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;

std::string refusal_of(const std::string& bytes) {
    TempFolder folder;
    write_bytes(folder / "x.gguf", bytes);
    return refusal([&] { open_container(folder / "x.gguf"); });
}

std::vector<float> values(const Container& c, std::string_view name) {
    const Tensor t = c.tensor(*c.find(name));
    std::vector<float> out(static_cast<std::size_t>(t.elements()));
    to_f32(t.dtype(), t.raw(), out.data(), t.elements());
    return out;
}

constexpr std::uint16_t half_of_half = 0x3800; // 0.5 as a half

/// Q8_0 blocks with the values 0.5 * (first - 16), 0.5 * (first - 15), …, which go on from block to block.
std::string q8_blocks(int blocks) {
    std::string data;
    for (int block = 0; block < blocks; ++block) {
        data += le(half_of_half);
        for (int i = 0; i < 32; ++i) data += static_cast<char>(block * 32 + i - 16);
    }
    return data;
}

TEST(Gguf, ShapesAreReversedAndTensorsMapped) {
    TempFolder folder;
    for (const std::uint32_t version : {2u, 3u}) {
        write_bytes(folder / "x",
                    gguf(gguf_tensors({f32("a", {2, 3}, 1), f32("b", {5}, 10), f32("patch", {2, 3, 1, 2, 2})}),
                         {gguf_pair("general.architecture", 8, gguf_string("wan"))}, version));
        const Container c = open_container(folder / "x");
        EXPECT_EQ(c.format, Container::Format::gguf);
        EXPECT_EQ(c.metadata.at("general.architecture"), "wan");
        EXPECT_EQ(c.find("a")->shape, (std::vector<std::int64_t>{2, 3}));
        EXPECT_EQ(c.find("patch")->shape, (std::vector<std::int64_t>{2, 3, 1, 2, 2}));
        EXPECT_EQ(c.tensor(*c.find("b")).buffer().get(), c.file.get());
        EXPECT_EQ(values(c, "b"), (std::vector<float>{10, 11, 12, 13, 14}));
    }
}

TEST(Gguf, BlockTypesGiveTheValuesOfTheSpecification) {
    std::string q4_0 = le(half_of_half), q8_0 = le(half_of_half),
                q5_0 = le(std::uint16_t{0x3C00}) + le(std::uint32_t{0x00010001}) + "\x21" + std::string(15, '\0');
    for (int i = 0; i < 16; ++i) q4_0 += static_cast<char>(0x10 + i);
    for (int i = 0; i < 32; ++i) q8_0 += static_cast<char>(i - 16);
    TempFolder folder;
    write_bytes(folder / "x", gguf({{"q4", {32, 1}, 2, q4_0},
                                    {"q8", {32, 1}, 8, q8_0},
                                    {"q5", {32, 1}, 6, q5_0},
                                    {"bf16", {2}, 30, "\x80\x3F\x00\xC0"},
                                    {"odd", {4}, 99, ""},
                                    {"iq3", {256}, 21, ""}}));
    const Container c = open_container(folder / "x");
    const auto q4 = values(c, "q4"), q8 = values(c, "q8"), q5 = values(c, "q5");
    EXPECT_EQ(c.find("q4")->dtype_name, "Q4_0");
    EXPECT_EQ(q4[0], -4.0f);
    EXPECT_EQ(q4[15], 3.5f);
    EXPECT_EQ(q4[16], -3.5f);
    EXPECT_EQ(q8[0], -8.0f);
    EXPECT_EQ(q8[31], 7.5f);
    EXPECT_EQ(q5[0], 1.0f);
    EXPECT_EQ(q5[16], 2.0f);
    EXPECT_EQ(q5[1], -16.0f);
    EXPECT_THROW(c.tensor(*c.find("odd")), Error); // refused only when it is needed, by the number of its type
    EXPECT_EQ(c.find("odd")->dtype_name, "GGML type 99");
    EXPECT_EQ(c.find("iq3")->dtype_name, "IQ3_S"); // or by the name of its type
}

TEST(Gguf, OriginalShapeWins) {
    const std::string shape = le(std::uint32_t{5}) + le(std::uint64_t{3}) + le(2) + le(3) + le(4);
    TempFolder folder;
    write_bytes(folder / "x",
                gguf({{"w", {24}, 0, std::string(96, '\0')}}, {gguf_pair("comfy.gguf.orig_shape.w", 9, shape)}));
    EXPECT_EQ(open_container(folder / "x").find("w")->shape, (std::vector<std::int64_t>{2, 3, 4}));
    EXPECT_NE(
        refusal_of(gguf({{"w", {20}, 0, std::string(80, '\0')}}, {gguf_pair("comfy.gguf.orig_shape.w", 9, shape)}))
            .find("another number of elements"),
        std::string::npos);
}

/// Only in our networks is it known what was folded. A 3D convolution of stable-diffusion.cpp and a transposed one of
/// another network look the same.
TEST(Gguf, OfAnUnknownNetworkNothingIsUnfolded) {
    TempFolder folder;
    write_bytes(folder / "x", gguf({{"up.weight", {1, 2, 4, 8}, 0, std::string(256, '\0')},
                                    {"up.bias", {4}, 0, std::string(16, '\0')}}));
    const Checkpoint c = Checkpoint::open({{folder / "x"}, {}});
    EXPECT_EQ(c.containers[0]->find("up.weight")->shape, (std::vector<std::int64_t>{8, 4, 2, 1}));
}

TEST(Gguf, OriginalShapesOfAnyWholeNumbers) {
    const auto of = [](std::uint32_t type, const std::string& numbers, std::uint64_t count) {
        return gguf({{"w", {24}, 0, std::string(96, '\0')}},
                    {gguf_pair("comfy.gguf.orig_shape.w", 9, le(type) + le(count) + numbers)});
    };
    const auto numbers = [](auto n) { return le(n) + le(decltype(n)(3)) + le(decltype(n)(24 / 3 / n)); };
    TempFolder folder;
    for (const auto& [type, shape] :
         {std::pair(4u, numbers(std::uint32_t{2})), std::pair(5u, numbers(2)),
          std::pair(10u, numbers(std::uint64_t{2})), std::pair(11u, numbers(std::int64_t{2}))}) {
        write_bytes(folder / "x", of(type, shape, 3));
        EXPECT_EQ(open_container(folder / "x").find("w")->shape, (std::vector<std::int64_t>{2, 3, 4})) << type;
    }
    for (const std::string& negative : {le(std::int64_t{-2}) + le(std::int64_t{-12}), le(-2) + le(-12)})
        EXPECT_TRUE(
            has(refusal_of(of(negative.size() == 16 ? 11 : 5, negative, 2)), "not a short list of whole numbers"));
    EXPECT_TRUE(has(refusal_of(of(10, le(~std::uint64_t{0}), 1)), "not a short list of whole numbers"));
    EXPECT_TRUE(has(refusal_of(of(11, std::string(72, '\1'), 9)), "not a short list of whole numbers"));
    EXPECT_TRUE(has(refusal_of(of(6, numbers(2.0f), 3)), "not a short list of whole numbers"));
    std::string cut = of(11, numbers(std::int64_t{2}), 3);
    cut.resize(cut.find(".orig_shape.w") + 13 + 4 + 4 + 8 + 12); // cuts the file in the middle of the second number
    EXPECT_TRUE(has(refusal_of(cut), "comfy.gguf.orig_shape.w: the file ends too early"));
}

/// Converters fold the patch embedding into rows of whole blocks, and quantise norms without folding them.
TEST(Gguf, BlocksThatAreNoRowsAreWidened) {
    const std::string shape =
        le(std::uint32_t{5}) + le(std::uint64_t{5}) + le(4) + le(6) + le(1) + le(2) + le(2); // 96 elements
    TempFolder folder;
    write_bytes(folder / "x", gguf({{"patch", {32, 3}, 8, q8_blocks(3)},
                                    {"norm", {96}, 8, q8_blocks(3)},
                                    {"linear", {32, 3}, 8, q8_blocks(3)}},
                                   {gguf_pair("comfy.gguf.orig_shape.patch", 9, shape)}));
    const Container c = open_container(folder / "x");
    EXPECT_EQ(c.tensor(*c.find("patch")).shape(), (Shape{4, 6, 1, 2, 2}));
    EXPECT_EQ(c.tensor(*c.find("norm")).shape(), Shape({96}));
    for (const char* name : {"patch", "norm", "linear"}) {
        const bool rows = name == std::string_view("linear");
        EXPECT_EQ(c.tensor(*c.find(name)).dtype(), rows ? DType::q8_0 : DType::f32) << name;
        const std::vector<float> found = values(c, name);
        ASSERT_EQ(found.size(), 96u);
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_EQ(found[i], 0.5f * static_cast<float>(static_cast<int>(i) - 16)) << name << " " << i;
    }
}

TEST(Gguf, WhatIsWidenedIsBounded) {
    const std::uint64_t elements = 100u << 20; // 400 MiB as F32, whose data are not in the file
    EXPECT_NE(refusal_of(gguf({{"w", {elements}, 8, ""}})).find("cut short"), std::string::npos);
    EXPECT_NE(refusal_of(gguf({{"v", {elements}, 8, ""}, {"w", {elements}, 8, ""}})).find("not whole blocks"),
              std::string::npos);
    EXPECT_NE(refusal_of(gguf({{"w", {32, elements}, 8, ""}})).find("cut short"), std::string::npos);
}

TEST(Gguf, MetadataOfEveryTypeAreSkippedOver) {
    const std::string nested = le(std::uint32_t{9}) + le(std::uint64_t{2}) +
                               (le(std::uint32_t{0}) + le(std::uint64_t{3}) + "abc") +
                               (le(std::uint32_t{8}) + le(std::uint64_t{1}) + gguf_string("x"));
    TempFolder folder;
    write_bytes(folder / "x",
                gguf(gguf_tensors({f32("w", {1}, 4)}),
                     {gguf_pair("u8", 0, "a"), gguf_pair("f32", 6, le(1.5f)), gguf_pair("bool", 7, "\x01"),
                      gguf_pair("u64", 10, le(std::uint64_t{1} << 60)), gguf_pair("f64", 12, le(2.5)),
                      gguf_pair("list", 9, nested), gguf_pair("general.alignment", 4, le(std::uint32_t{64}))},
                     3, 64));
    const Container c = open_container(folder / "x");
    EXPECT_EQ(values(c, "w"), std::vector<float>{4});
    EXPECT_EQ(c.metadata.at("u64"), "1152921504606846976");
    EXPECT_EQ(c.metadata.at("bool"), "true");
}

TEST(Gguf, ListsOfAFileThatChangesMeanwhile) {
    TempFolder folder;
    const std::string bytes = gguf(
        {}, {gguf_pair("list", 9, le(std::uint32_t{8}) + le(std::uint64_t{2}) + gguf_string("a") + gguf_string("b"))});
    write_bytes(folder / "x", bytes);
    const Container c = open_container(folder / "x");
    EXPECT_EQ(gguf_strings(c, "list", 9), (std::vector<std::string_view>{"a", "b"}));
    std::fstream file(folder / "x", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(std::streamoff(bytes.find('a') - 8));
    file << le(~std::uint64_t{0}) << std::flush;
    EXPECT_TRUE(has(refusal([&] { gguf_strings(c, "list", 9); }), "list: changed while it was read"));
}

TEST(Gguf, RefusesWhatDoesNotHold) {
    const std::vector<GgufTensor> one = gguf_tensors({f32("w", {8})});
    EXPECT_EQ(refusal_of(gguf(one)), "accepted");
    EXPECT_TRUE(has(refusal_of(gguf(one, {}, 1)), "version 1"));
    EXPECT_TRUE(has(refusal_of(gguf(one, {}, 0x03000000)), "big-endian"));
    EXPECT_TRUE(has(refusal_of(gguf(one, {gguf_pair("general.alignment", 4, le(std::uint32_t{33}))})), "power of two"));
    EXPECT_TRUE(has(refusal_of(gguf(one, {gguf_pair("k", 13, "")})), "value type 13"));
    EXPECT_TRUE(has(refusal_of(gguf(one, {gguf_pair("k", 8, le(std::uint64_t{1} << 60))})), "longer than the rest"));
    EXPECT_TRUE(has(refusal_of(gguf(one, {gguf_pair("k", 9, le(std::uint32_t{10}) + le(std::uint64_t{1} << 61))})),
                    "longer than the rest"));
    EXPECT_TRUE(has(refusal_of(gguf(one, {gguf_pair("k", 0, "a"), gguf_pair("k", 0, "a")})), "twice"));
    EXPECT_TRUE(has(refusal_of(gguf({{"w", {8}, 0, std::string(32, '\0'), 1}})), "not a multiple"));
    EXPECT_TRUE(has(refusal_of(gguf({{"w", {8}, 0, std::string(32, '\0'), 1 << 20}})), "outside the file"));
    EXPECT_TRUE(has(refusal_of(gguf({{"w", {8}, 0, std::string(32, '\0')}, {"v", {8}, 0, std::string(32, '\0'), 0}})),
                    "overlap"));
    EXPECT_TRUE(
        has(refusal_of(gguf({{"w", {8}, 0, std::string(32, '\0')}, {"w", {8}, 0, std::string(32, '\0')}})), "twice"));
    EXPECT_TRUE(has(refusal_of(gguf({{"w", {33}, 2, std::string(64, '\0')}})), "whole blocks"));
    EXPECT_TRUE(has(refusal_of(gguf({{"w", {1ull << 33, 1ull << 33}, 0, ""}})), "64 bits"));
    EXPECT_TRUE(has(refusal_of(gguf({{"w", {1ull << 62}, 0, ""}})), "64 bits"));
    EXPECT_TRUE(has(refusal_of(gguf({{"w", {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, "abcd"}})), "9 axes"));
}

} // namespace
} // namespace denoir

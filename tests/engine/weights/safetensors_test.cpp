// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/safetensors.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/weights/safetensors_writer.h"
#include "support/files.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;

std::string refusal(const std::filesystem::path& path) {
    return test::refusal([&] { open_container(path); });
}

TEST(Safetensors, ReadsTheWorkedExampleOfTheSpecification) {
    TempFolder folder;
    std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    header.append(64 - header.size(), ' ');
    write_bytes(folder / "x.safetensors", safetensors(header, le(1.5f) + le(-2.0f)));
    ASSERT_EQ(std::filesystem::file_size(folder / "x.safetensors"), 80u);
    const auto tensors = read_safetensors(folder / "x.safetensors");
    ASSERT_EQ(tensors.size(), 1u);
    EXPECT_EQ(tensors.at("a").data<float>()[0], 1.5f);
    EXPECT_EQ(tensors.at("a").data<float>()[1], -2.0f);
}

TEST(Safetensors, DataStayMapped) {
    TempFolder folder;
    write_bytes(folder / "x", safetensors({f32("w", {4})}));
    const Container c = open_container(folder / "x");
    const Tensor t = c.tensor(c.tensors.at(0));
    EXPECT_EQ(t.buffer().get(), c.file.get());
}

TEST(Safetensors, MisalignedDataAreCopied) {
    TempFolder folder;
    write_bytes(folder / "x", safetensors(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} )",
                                          // The header has 55 bytes, so the data begin at an odd place.
                                          le(3.0f) + le(4.0f)));
    const Container c = open_container(folder / "x");
    const Tensor t = c.tensor(c.tensors.at(0));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.raw()) % 4, 0u);
    EXPECT_EQ(t.data<float>()[1], 4.0f);
}

/// The data are a hole in the file. No part of the 1 GiB may be copied, since a copy would fill the memory.
TEST(Safetensors, CopiesHaveALimitAndViewsHaveNone) {
    TempFolder folder;
    const auto said = [&](std::uint64_t mib, std::size_t header_bytes) {
        const auto bytes = std::to_string(mib << 20), elements = std::to_string((mib << 20) / 4);
        std::string header = R"({"w":{"dtype":"F32","shape":[)" + elements + R"(],"data_offsets":[0,)" + bytes + "]}}";
        header.resize(header_bytes, ' ');
        write_bytes(folder / "x", safetensors(header, ""));
        std::filesystem::resize_file(folder / "x", 8 + header_bytes + (mib << 20));
        return test::refusal([&] { read_safetensors(folder / "x"); });
    };
    constexpr std::size_t aligned = 80, misaligned = 81;
    EXPECT_EQ(said(1024, aligned), "accepted");
    EXPECT_EQ(said(1, misaligned), "accepted");
    EXPECT_TRUE(has(said(513, misaligned), "513 MiB of its tensors are not aligned"));
}

TEST(Safetensors, ShapesOfEveryKind) {
    TempFolder folder;
    write_bytes(folder / "x", safetensors({f32("scalar", {}), f32("empty", {0, 7}), f32("also_empty", {3, 0}),
                                           f32("deep", {1, 1, 1, 1, 1, 1, 1, 2})}));
    const auto tensors = read_safetensors(folder / "x");
    EXPECT_EQ(tensors.at("scalar").rank(), 0);
    EXPECT_EQ(tensors.at("scalar").elements(), 1);
    EXPECT_EQ(tensors.at("empty").elements(), 0);
    EXPECT_EQ(tensors.at("deep").rank(), 8);
}

TEST(Safetensors, NamesAreUnescaped) {
    TempFolder folder;
    write_bytes(folder / "x",
                safetensors(R"({"a\u00e9\ud83d\ude00\n\"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "z"));
    EXPECT_EQ(read_safetensors(folder / "x").begin()->first, "a\u00e9\U0001F600\n\"");
}

TEST(Safetensors, MetadataAreKept) {
    TempFolder folder;
    write_bytes(folder / "x", safetensors({f32("w", {1})}, R"({"format":"pt","empty":""})"));
    std::map<std::string, std::string> metadata;
    read_safetensors(folder / "x", &metadata);
    EXPECT_EQ(metadata, (std::map<std::string, std::string>{{"format", "pt"}, {"empty", ""}}));
}

TEST(Safetensors, AnUnknownTypeMattersOnlyWhenAskedFor) {
    TempFolder folder;
    write_bytes(folder / "x",
                safetensors({Raw{"odd", "F4", {4}, "ab"}, f32("w", {1}), Raw{"invented", "Q9", {4}, "abc"}}));
    const Container c = open_container(folder / "x");
    EXPECT_EQ(c.tensor(*c.find("w")).elements(), 1);
    EXPECT_THROW(c.tensor(*c.find("odd")), Error);
    EXPECT_THROW(c.tensor(*c.find("invented")), Error);
}

TEST(Safetensors, OffsetsAboveFourGigabytesStayExact) {
    TempFolder folder;
    const std::string header = R"({"w":{"dtype":"U8","shape":[9007199254740993],"data_offsets":[0,9007199254740993]}})";
    write_bytes(folder / "x", safetensors(header, "x"));
    EXPECT_NE(refusal(folder / "x").find("9007199254740993"), std::string::npos);
}

TEST(Safetensors, WriterAndReaderAgree) {
    TempFolder folder;
    std::map<std::string, Tensor> tensors;
    tensors.emplace("b", Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}));
    tensors.emplace("transposed", Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}).permute({1, 0}));
    tensors.emplace("a", Tensor::zeros({3}, DType::u8));
    tensors.emplace("scalar", Tensor::from(std::vector<float>{7}, {}));
    tensors.emplace("empty", Tensor::zeros({0, 2}));
    write_safetensors(folder / "x.safetensors", tensors, {{"who", "a \"test\"\n"}});
    std::map<std::string, std::string> metadata;
    const auto back = read_safetensors(folder / "x.safetensors", &metadata);
    EXPECT_EQ(metadata.at("who"), "a \"test\"\n");
    ASSERT_EQ(back.size(), 5u);
    EXPECT_EQ(back.at("b").data<float>()[5], 6.0f);
    EXPECT_EQ(back.at("transposed").shape(), (Shape{3, 2}));
    EXPECT_EQ(back.at("transposed").data<float>()[1], 4.0f);
    EXPECT_EQ(back.at("a").dtype(), DType::u8);
    // The writer pads the header and puts the widest types first, so that every tensor is aligned to its elements.
    EXPECT_EQ(read_bytes(folder / "x.safetensors")[0] % 8, 0);
}

/// A .pth file may have any names, and what was converted from one must be readable again.
TEST(Safetensors, NamesThatTheFormatDoesNotHave) {
    TempFolder folder;
    const auto written = [&](const std::vector<std::string>& names) {
        std::map<std::string, Tensor> tensors;
        for (const std::string& name : names) tensors.emplace(name, Tensor::zeros({2}, DType::f32));
        const std::string said = test::refusal([&] { write_safetensors(folder / "x", tensors); });
        if (said == "accepted") {
            EXPECT_EQ(read_safetensors(folder / "x").size(), names.size());
        }
        return said;
    };
    EXPECT_EQ(written({"a\xFF", "b\xFE"}), "accepted");
    EXPECT_TRUE(has(written({"a\xFF", "a\xFE"}), "there twice"));
    EXPECT_TRUE(has(written({"a\uFFFD", "a\xFE"}), "there twice"));
    EXPECT_TRUE(has(written({std::string("a\0b", 3)}), "NUL"));
}

TEST(Safetensors, AnUnfinishedFileLeavesNothing) {
    TempFolder folder;
    {
        SafetensorsWriter writer(folder / "x.safetensors");
        writer.declare("w", {4}, DType::f32);
        writer.begin();
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Safetensors, SaysWhatIsWrong) {
    TempFolder folder;
    const auto of = [&](const std::string& bytes) {
        write_bytes(folder / "x.safetensors", bytes);
        return refusal(folder / "x.safetensors");
    };
    const std::string whole = safetensors({f32("first", {2}), f32("second", {2})});
    EXPECT_TRUE(has(of(whole), "accepted"));
    EXPECT_TRUE(has(of(whole.substr(0, whole.size() - 1)), "second")) << of(whole.substr(0, whole.size() - 1));
    EXPECT_TRUE(has(of(whole + "x"), "follow the last tensor"));
    EXPECT_TRUE(has(of(whole.substr(0, 40)), "cut short"));
    EXPECT_TRUE(has(of(""), "empty"));
    EXPECT_TRUE(has(of("version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"));
    EXPECT_TRUE(has(of("\n<!DOCTYPE html>\n<html class=\"\">"), "a web page"));
    EXPECT_TRUE(
        has(of(safetensors(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "abcd")), "ask for 8 bytes"));
    EXPECT_TRUE(has(of(safetensors(R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "abcd")), "w: shape"));
    EXPECT_TRUE(
        has(of(safetensors(R"({"w":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,4]}})",
                           "abcd")),
            "does not fit in 64 bits"));
}

} // namespace
} // namespace denoir

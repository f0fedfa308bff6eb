// SPDX-License-Identifier: Apache-2.0
// Names of any length, and one storage under many of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/weights/container.h"
#include "support/torch_writer.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace {

using namespace test;

std::string said_of(const std::string& bytes) {
    const TempFolder folder;
    write_bytes(folder / "file", bytes);
    return refusal([&] { open_container(folder / "file"); });
}

/// A file in which so many names stand for one storage of 64 Ki values.
std::string views_of_one(int views) {
    constexpr std::int64_t values = 65'536;
    Pickle pickle;
    pickle.protocol().raw("}(");
    for (int i = 0; i < views; ++i)
        pickle.text(fmt::format("t{}", i)).tensor("FloatStorage", "0", values, 0, {values}, {1});
    return pth(pickle.raw("u").bytes(), {std::string(4 * values, '\0')});
}

TEST(HostileNames, Length) {
    const std::string longest(4096, 'a'), longer(4097, 'a');
    EXPECT_EQ(said_of(safetensors({f32(longest, {1})})), "accepted");
    EXPECT_TRUE(has(said_of(safetensors({f32(longer, {1})})), "longer than 4096 bytes"));
    EXPECT_EQ(said_of(pth({f32(longest, {1})})), "accepted");
    EXPECT_TRUE(has(said_of(pth({f32(longer, {1})})), "longer than 4096 bytes"));
}

TEST(HostileNames, ManyForOneStorage) {
    const TempFolder folder;
    write_bytes(folder / "tied", views_of_one(2));
    EXPECT_EQ(open_container(folder / "tied").tensors.size(), 2u);
    EXPECT_TRUE(has(said_of(views_of_one(100)), "more memory than the file has bytes"));
}

} // namespace
} // namespace denoir

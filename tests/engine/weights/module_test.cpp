// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/module.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "support/name_lists.h"

namespace denoir {
namespace {

using namespace test;

TEST(ModuleCursor, FindsCountsAndChecks) {
    TempFolder folder;
    write_bytes(folder / "x.safetensors", safetensors(zero_tensors(transformer_names(tiny_transformer()))));
    const std::filesystem::path file = folder / "x.safetensors";
    const Weights w = Weights::load(std::span(&file, 1), Component::transformer);
    const Module m(w);
    EXPECT_EQ(m["blocks"].count(), 2);
    EXPECT_TRUE(m["blocks"][1].exists());
    EXPECT_FALSE(m["blocks"][2].exists());
    EXPECT_FALSE(m["block"].exists());
    EXPECT_EQ(m["blocks"][0]["ffn.0"].get("weight", {12, 8}).name(), "blocks.0.ffn.0.weight");
    EXPECT_NO_THROW(m["blocks"][0]["ffn.0"].get("weight", {-1, 8}));
    EXPECT_EQ(m["blocks"][0].find("nothing"), nullptr);
    try {
        m["blocks"][0]["ffn.0"].get("weight", {8, -1});
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.field(), "blocks.0.ffn.0.weight");
        EXPECT_TRUE(has(e.message(), "[12, 8]") && has(e.message(), "[8, ?]"));
    }
    EXPECT_THROW(m.get("absent", {1}), Error);
}

} // namespace
} // namespace denoir

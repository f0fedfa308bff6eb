// SPDX-License-Identifier: Apache-2.0
#include "engine/core/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace denoir {
namespace {

constexpr std::string_view words[] = {"render", "decode", "verify", "runs", "--negative-prompt"};

TEST(Closest, FindsMisspeltWords) {
    EXPECT_EQ(closest("rendr", words), "render");
    EXPECT_EQ(closest("redner", words), "render");
    EXPECT_EQ(closest("DECODE", words), "decode");
    EXPECT_EQ(closest("ver", words), "verify");
    EXPECT_EQ(closest("--negative_prompt", words), "--negative-prompt");
    // The same word in other letters is nearer than a neighbour of one change.
    EXPECT_EQ(closest("I2V", std::vector<std::string_view>{"t2v", "i2v", "flf2v"}), "i2v");
}

TEST(Closest, LeavesOtherWordsAlone) {
    EXPECT_EQ(closest("banana", words), "");
    EXPECT_EQ(did_you_mean("rendr", words, "see --help"), "did you mean render?");
    EXPECT_EQ(did_you_mean("banana", words, "see --help"), "see --help");
    EXPECT_EQ(closest("", words), "");
    EXPECT_EQ(closest(std::string(1000, 'r'), words), "");
    const std::string endless = "render" + std::string(1000, 'r');
    EXPECT_EQ(closest("render", std::vector<std::string_view>{endless}), "");
}

} // namespace
} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/core/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "engine/core/log.h"

namespace denoir {
namespace {

TEST(Environment, AnUnknownWordIsSaidOnceWithTheChoices) {
    std::vector<std::string> said;
    log::set_sink([&](log::Level, std::string_view line) { said.emplace_back(line); });
    const auto word = [] { return environment_word("DENOIR_TEST_WORD", {"narrow", "wide"}); };
    ::unsetenv("DENOIR_TEST_WORD");
    EXPECT_EQ(word(), "");
    for (const char* known : {"wide", "narrow", ""}) {
        ::setenv("DENOIR_TEST_WORD", known, 1);
        EXPECT_EQ(word(), known);
    }
    EXPECT_TRUE(said.empty());
    ::setenv("DENOIR_TEST_WORD", "wider", 1);
    EXPECT_EQ(word(), "");
    EXPECT_EQ(word(), "");
    log::set_sink({});
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0], "DENOIR_TEST_WORD: 'wider' is unknown and does nothing; use narrow, wide");
}

} // namespace
} // namespace denoir

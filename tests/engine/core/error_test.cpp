// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"

#include <gtest/gtest.h>

#include "engine/core/text.h"

namespace denoir {
namespace {

TEST(Error, is_one_line) {
    EXPECT_STREQ(Error("a.json", "steps", "is 0", "use 1 or more").what(), "a.json: steps: is 0; use 1 or more");
    EXPECT_STREQ(Error("", "steps", "is 0").what(), "steps: is 0");
    EXPECT_STREQ(Error("", "steps", "is 0").in_file("b.json").what(), "b.json: steps: is 0");
    EXPECT_STREQ(Error("a.json", "", "is empty").in_file("b.json").what(), "a.json: is empty");
}

TEST(Error, cleans_what_strangers_wrote) {
    const std::string line = Error("evil\n\x1b[31m.json", "k\xFFy", std::string("a\0b", 3) + "\xE2\x80\xAE").what();
    EXPECT_EQ(line, "evil??[31m.json: k?y: a?b?");
}

TEST(Error, is_short_and_stays_utf8) {
    std::string cats;
    for (int i = 0; i < 5000; ++i) cats += "🐈";
    const std::string line = Error(cats, cats, cats, cats).what();
    EXPECT_LE(line.size(), 360u);
    EXPECT_EQ(find_invalid_utf8(line), std::nullopt);
}

} // namespace
} // namespace denoir

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

TEST(Printable, KeepsBothEndsOfTextOfAnyLength) {
    for (const std::size_t length : {99, 101, 4096, 4097, 5000, 10'000'000}) {
        const std::string text = "begin" + std::string(length - 8, 'x') + "end";
        for (const std::size_t limit : {40, 100, 4096}) {
            const std::string shown = printable(text, limit);
            EXPECT_TRUE(shown.starts_with("begin") && shown.ends_with("end")) << length << ' ' << limit;
            EXPECT_EQ(shown.find("…") == std::string::npos, length <= limit) << length << ' ' << limit;
            EXPECT_EQ(shown.size(), std::min(length, limit));
        }
    }
    std::string cats;
    for (int i = 0; i < 100'000; ++i) cats += "🐈";
    const std::string shown = printable("a" + cats + "b", 50);
    EXPECT_TRUE(shown.starts_with("a🐈") && shown.ends_with("🐈b")) << shown;
    EXPECT_EQ(shown.find('?'), std::string::npos);
}

} // namespace
} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/core/text.h"

#include <gtest/gtest.h>

#include <string>

namespace denoir {
namespace {

TEST(Text, well_formed) {
    EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
    EXPECT_EQ(find_invalid_utf8("plain text of more than eight bytes"), std::nullopt);
    EXPECT_EQ(find_invalid_utf8("eine Straße, 一只猫, 🐈 and so on"), std::nullopt);
    EXPECT_EQ(utf8_length("🐈"), 4u);
}

TEST(Text, ill_formed) {
    EXPECT_EQ(find_invalid_utf8("long enough \xFF"), 12u);
    for (const std::string bad : {"\x80", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                  "\xF5\x80\x80\x80", "\xE4\xB8"})
        EXPECT_EQ(find_invalid_utf8(bad), 0u) << testing::PrintToString(bad);
}

} // namespace
} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/core/text.h"

#include <gtest/gtest.h>

#include <limits>
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

TEST(Text, one_to_four_bytes) {
    std::string text;
    for (const std::uint32_t code : {0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xFFFFu, 0x10000u, 0x10FFFFu})
        append_utf8(text, code);
    EXPECT_EQ(text, "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
    EXPECT_EQ(find_invalid_utf8(text), std::nullopt);
}

TEST(Text, numbers_that_no_double_holds) {
    EXPECT_EQ(read_double("-2.5e3"), -2500.0);
    for (const char* tiny :
         {"1e-400", "-1e-400", "0.0001e-330", "1e-99999999999999999999", "0.01e-9223372036854775808"})
        EXPECT_EQ(read_double(tiny), 0.0) << tiny;
    for (const char* huge : {"1e400", "1000e308", "1e+99999999999999999999", "1e9223372036854775807", "inf"})
        EXPECT_EQ(read_double(huge), std::numeric_limits<double>::infinity()) << huge;
    EXPECT_EQ(read_double("-1e400"), -std::numeric_limits<double>::infinity());
    for (const char* none : {"", "x", "1x", "1e400x", " 1", "+1", "--1"})
        EXPECT_EQ(read_double(none), std::nullopt) << none;
}

TEST(Text, whole_numbers) {
    EXPECT_EQ(read_whole<int>("-12"), -12);
    EXPECT_EQ(read_whole<std::uint64_t>("18446744073709551615"), 18446744073709551615u);
    EXPECT_EQ(read_whole<int>("007"), 7);
    for (const char* none : {"", "x", "1x", " 1", "1 ", "+1", "1.0", "1e3", "2147483648", "-2147483649", "-"})
        EXPECT_EQ(read_whole<int>(none), std::nullopt) << none;
    EXPECT_EQ(read_whole<std::uint64_t>("-1"), std::nullopt);
    EXPECT_EQ(read_whole<std::uint64_t>("18446744073709551616"), std::nullopt);
}

TEST(Text, plurals) {
    EXPECT_EQ(counted(0, "frame"), "0 frames");
    EXPECT_EQ(counted(1, "frame"), "1 frame");
    EXPECT_EQ(counted(97, "frame"), "97 frames");
}

TEST(Text, sizes) {
    for (const auto& [bytes, text] : {std::pair{0.0, "0 B"},
                                      {1023.0, "1023 B"},
                                      {1536.0, "1.5 KiB"},
                                      {17.0 * (1 << 20), "17.0 MiB"},
                                      {3.25 * (1 << 30), "3.25 GiB"}})
        EXPECT_EQ(bytes_text(bytes), text);
}

TEST(Text, natural_order) {
    EXPECT_TRUE(natural_less("frame_2", "frame_10"));
    EXPECT_TRUE(natural_less("blocks.2.norm10", "blocks.10.norm2"));
    EXPECT_TRUE(natural_less("99999999999999999999998", "99999999999999999999999")); // beyond 64 bits
    EXPECT_TRUE(natural_less("a", "ab"));
    // They are equal as numbers, yet their order must be definite.
    EXPECT_TRUE(natural_less("01", "1") && !natural_less("1", "01"));
    EXPECT_TRUE(natural_less("1", "01b") && natural_less("01", "1b"));
    EXPECT_FALSE(natural_less("x10", "x10") || natural_less("", ""));
}

TEST(Text, parts_of_file_names) {
    EXPECT_EQ(file_slug("A red balloon, rises!", 32), "A-red-balloon-rises");
    EXPECT_EQ(file_slug("  -- steps 20 · shift 3.5", 60, "."), "steps-20-shift-3.5");
    EXPECT_EQ(file_slug("shift 3.", 60, "."), "shift-3");
    EXPECT_EQ(file_slug("one two three", 4), "one"); // a shortened name does not end in a dash
    EXPECT_EQ(file_slug("../..", 32), "");
    EXPECT_EQ(file_slug("猫", 32), "");
}

TEST(Text, lower_case_of_ascii_alone) {
    EXPECT_EQ(lower_ascii("AZ[@`{az 09 ÄÖ É"), "az[@`{az 09 ÄÖ É");
    EXPECT_EQ(lower_ascii('Q'), 'q');
}

} // namespace
} // namespace denoir

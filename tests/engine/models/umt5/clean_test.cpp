// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/clean.h"

#include <gtest/gtest.h>

#include <chrono>

#include "engine/core/file.h"
#include "engine/core/json.h"
#include "engine/models/umt5/html_entities.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

TEST(Clean, OrdinaryPromptsStay) {
    for (const char* text :
         {"", "A cat, a dog; 5 birds.", "色调艳丽、过曝。", "Zwölf Boxkämpfer", "ещё булок", "カタカナ"})
        EXPECT_EQ(clean(text), text);
}

TEST(Clean, WhiteSpaceCollapses) {
    EXPECT_EQ(clean("  a \t\n\r\n b\u00A0\u2003c\u3000 "), "a b c");
    EXPECT_EQ(clean(" \n "), "");
    EXPECT_EQ(clean("a\u200Bb\u180Ec"), "a\u200Bb\u180Ec"); // these are no white space
    EXPECT_EQ(clean("a\x1C\x1F"
                    "b"),
              "ab"); // controls are removed before they could count as spaces
}

TEST(Clean, FormsOfCharacters) {
    EXPECT_EQ(clean("“it’s” ‟n‚"), "\"it's\" \"n'");
    EXPECT_EQ(clean("ﬁﬄ ĳ Ǆ ŉ"), "fiffl ij DŽ 'n");
    EXPECT_EQ(clean("ＡＢＣ，！ｶﾞ"), "ABC,!ガ");
    EXPECT_EQ(clean("cafe\u0301"), "café");
    EXPECT_EQ(clean("red\x1B[1;31m fox\x1B[0m\x07\uFEFF"), "red fox");
    EXPECT_EQ(clean("a\x80\xFF"
                    "b"),
              "a\uFFFD\uFFFD"
              "b"); // not UTF-8
}

TEST(Clean, References) {
    EXPECT_EQ(clean("&lt;b&gt; &EACUTE; &eacute; &#x27; &notit; &amp;amp;lt;"), "<b> É é ' ¬it; <");
    // These are changed by html.unescape, although ftfy leaves alone what follows a "<".
    EXPECT_EQ(clean("a<b &eacute; &eacute"), "a<b é é");
    EXPECT_EQ(clean("a<b &EACUTE;"), "a<b &EACUTE;");
    EXPECT_EQ(clean("&#59; &#0; &#xD800; &#x110000; &#128;"), "; \uFFFD \uFFFD \uFFFD €");
    EXPECT_EQ(clean("AT&T &unknown; & &#; &#x;"), "AT&T &unknown; & &#; &#x;");
}

TEST(Clean, WrongEncodingsAreRepaired) {
    EXPECT_EQ(clean("schÃ¶n"), "schön");
    EXPECT_EQ(clean("âœ” No problems"), "✔ No problems");
    EXPECT_EQ(clean("Ð¿Ñ€Ð¸Ð²ÐµÑ‚"), "привет");
    EXPECT_EQ(clean("voilÃ le travail"), "voilà le travail");
}

TEST(Clean, NamedEntitiesAreSorted) {
    // Names at both ends of the table and some in between, because a binary search looks them up.
    for (const auto& [name, text] : std::initializer_list<std::pair<const char32_t*, const char32_t*>>{
             {U"&AElig;", U"Æ"},
             {U"&zwnj;", U"\u200C"},
             {U"&CounterClockwiseContourIntegral;", U"∳"},
             {U"&NotEqualTilde;", U"≂\u0338"}})
        EXPECT_EQ(unescape_html(name), text);
}

TEST(Clean, AgreesWithFtfy) {
    const Json cases = parse_json(read_text(DENOIR_FIXTURES "/text/clean.json", 1 << 20), "clean.json");
    ASSERT_GT(cases.size(), 500u);
    for (const Json& c : cases) EXPECT_EQ(clean(c[0].get<std::string>()), c[1].get<std::string>()) << c[0];
}

TEST(Clean, TextThatUnfoldsStepByStepTakesNoTime) {
    const auto start = std::chrono::steady_clock::now();
    std::string nested = "&";
    for (int i = 0; i < 20'000; ++i) nested += "amp;";
    EXPECT_EQ(clean(nested), "&");
    clean(std::string(100'000, '&'));
    clean(std::string(50'000, '\x1B') + std::string(50'000, '['));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Unicode, GraphemeClusters) {
    EXPECT_EQ(grapheme_ends("ae\u0301\r\nb"), (std::vector<std::size_t>{1, 4, 6, 7}));
    EXPECT_EQ(grapheme_ends("👨‍👩‍👧x").front(), 18u);
    EXPECT_TRUE(grapheme_ends("").empty());
}

} // namespace
} // namespace denoir::umt5

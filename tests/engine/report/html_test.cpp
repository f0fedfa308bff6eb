// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html.h"

#include <gtest/gtest.h>

namespace denoir::report {
namespace {

TEST(Html, WhatCouldBeMarkupIsText) {
    EXPECT_EQ(escaped("<script>\"a\" & 'b'</script>"), "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;");
    EXPECT_EQ(escaped("a\nb\x1b[31m\xff"), "a?b?[31m?");
    EXPECT_EQ(escaped("Überblick – 视频"), "Überblick – 视频");
}

TEST(Html, Base64) {
    const auto uri = [](std::string_view text) {
        const std::vector<std::uint8_t> bytes(text.begin(), text.end());
        return png_uri(bytes).substr(std::string_view("data:image/png;base64,").size());
    };
    // The examples of RFC 4648, section 10.
    EXPECT_EQ(uri(""), "");
    EXPECT_EQ(uri("f"), "Zg==");
    EXPECT_EQ(uri("fo"), "Zm8=");
    EXPECT_EQ(uri("foo"), "Zm9v");
    EXPECT_EQ(uri("foob"), "Zm9vYg==");
    EXPECT_EQ(uri("fooba"), "Zm9vYmE=");
    EXPECT_EQ(uri("foobar"), "Zm9vYmFy");
}

/// A long prompt in the next column once broke "state" and "done" into two lines.
TEST(Html, NarrowColumnsKeepTheirWordsWhole) {
    const std::string style = style_sheet;
    const std::size_t cells = style.find("\nth, td {");
    ASSERT_NE(cells, std::string::npos);
    EXPECT_NE(style.substr(cells, style.find('}', cells) - cells).find("min-width: 6em"), std::string::npos);
}

TEST(Html, PageIsWholeAndAlone) {
    const std::string html = page("a < b", section("One", table({{"name", "value"}, {"x<y", "3"}}, 1)));
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(html.ends_with("</html>\n"));
    EXPECT_NE(html.find("<title>a &lt; b</title>"), std::string::npos);
    EXPECT_NE(html.find("<td>x&lt;y</td><td class=\"n\">3</td>"), std::string::npos);
    for (const char* outside : {"http", "//", "@import", "url("})
        EXPECT_EQ(html.find(outside), std::string::npos) << outside;
    EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
    EXPECT_NE(html.find("@media print"), std::string::npos);
}

} // namespace
} // namespace denoir::report

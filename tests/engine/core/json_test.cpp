// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json.h"
#include "tests/engine/refusal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <utility>

namespace denoir {
namespace {

std::string refusal(std::string_view text) {
    return test::refusal([&] { parse_json(text, "a.json"); });
}

std::string repeated(std::string_view piece, std::size_t times) {
    std::string out;
    out.reserve(piece.size() * times);
    for (std::size_t i = 0; i < times; ++i) out += piece;
    return out;
}

TEST(Json, reads_every_kind_and_keeps_the_order) {
    const Json json = parse_json(
        R"( {"z": [1, -2, 2.5, true, null], "a": {"text": "Straße \u00df \ud83d\udc08"}, "e": {}, "l": []} )",
        "a.json");
    EXPECT_EQ(json.dump(), "{\"z\":[1,-2,2.5,true,null],\"a\":{\"text\":\"Straße ß 🐈\"},\"e\":{},\"l\":[]}");
    EXPECT_EQ(parse_json("9007199254740993", "x").get<std::int64_t>(), 9007199254740993);
    EXPECT_EQ(parse_json("18446744073709551615", "x").get<std::uint64_t>(), ~std::uint64_t{0});
    EXPECT_EQ(parse_json("18446744073709551616", "x").get<double>(), 18446744073709551616.0);
    EXPECT_EQ(parse_json("\"x\"", "x"), "x");
}

TEST(Json, syntax_errors_say_where) {
    EXPECT_EQ(refusal("{\n  \"a\": 1,\n  \"b\" 2\n}"),
              "a.json: not JSON: expected a colon, found 2 (line 3, column 7); correct the text there");
    EXPECT_EQ(refusal("{\"ß\": 1 x}"),
              "a.json: not JSON: expected a comma or }, found x (line 1, column 9); correct the text there");
    EXPECT_EQ(refusal("[1, maybe]"),
              "a.json: [1]: not JSON: expected a value, found maybe (line 1, column 5); correct the text there");
    EXPECT_EQ(refusal("{} {}"),
              "a.json: not JSON: expected the end, found { (line 1, column 4); correct the text there");
    EXPECT_EQ(refusal("[1, 2"),
              "a.json: [2]: the text ends too early (line 1, column 6); close what is open, or copy the file again");
    EXPECT_EQ(refusal("{\"a\": \"abc"),
              "a.json: a: the text ends too early (line 1, column 11); close what is open, or copy the file again");
    EXPECT_EQ(refusal("{\"a\": \"b\nc\"}"),
              "a.json: a: a control character in a text (line 1, column 9); write it as \\n, \\t or \\u00XX");
    EXPECT_EQ(refusal("[\"\\ud800x\"]"),
              "a.json: [0]: half a surrogate pair in a text (line 1, column 3); write both halves");
    EXPECT_EQ(refusal(""), "a.json: is empty; it should hold JSON");
    EXPECT_EQ(refusal(" \n "), "a.json: is empty; it should hold JSON");
    for (const char* text : {"{]",      "[1,]",        "{\"a\":1,}", "{a:1}",       "'a'",
                             "nul",     "[01]",        "[1.]",       "[+1]",        "[.5]",
                             "[1e]",    "{} {}",       "\"\\x\"",    "\"\\ud800\"", "\"\\udc00\\ud800\"",
                             "\"\\u12", "\"\\u12g4\"", "\"\\",       "-",           "[-]",
                             "1.",      "truex",       "// c\n1",    "\"a\nb\"",    "\"a\tb\""}) {
        const std::string line = refusal(text);
        EXPECT_NE(line, "accepted") << text;
        EXPECT_NE(line.find("line "), std::string::npos) << line;
        EXPECT_EQ(line.find("exception"), std::string::npos) << line;
    }
}

TEST(Json, repeated_keys_are_refused_by_name) {
    EXPECT_EQ(refusal("{\"steps\": 1,\n \"seed\": 2,\n \"steps\": 3}"),
              "a.json: steps: appears a second time (line 3, column 2); keep one of them");
    EXPECT_EQ(refusal(R"({"noise": {"kind": 1, "k\u0069nd": 2}})"),
              "a.json: noise.kind: appears a second time (line 1, column 23); keep one of them");
    EXPECT_EQ(refusal(R"([{"a": 1}, {"a": 1, "a": 1}])").substr(0, 14), "a.json: [1].a:");
}

TEST(Json, numbers_must_be_finite) {
    EXPECT_EQ(refusal("{\"guidance\": 1e400}"),
              "a.json: guidance: 1e400 is too large for a number (line 1, column 14); write a finite number");
    EXPECT_EQ(refusal("{\"guidance\": NaN}"),
              "a.json: guidance: NaN is not a number of JSON (line 1, column 14); write a finite number");
    EXPECT_EQ(refusal("[0, -Infinity]"),
              "a.json: [1]: -Infinity is not a number of JSON (line 1, column 5); write a finite number");
    for (const char* huge : {"1e400", "-1e400", "10e308", "0.0001e400", "1e99999999999999999999", "1000000000e300"})
        EXPECT_NE(refusal(huge).find("too large"), std::string::npos) << huge;
    for (const char* tiny : {"1e-400", "-1e-400", "0.00001e-330", "1e-99999999999999999999", "100e-400"})
        EXPECT_EQ(parse_json(tiny, "x").get<double>(), 0.0) << tiny;
    EXPECT_EQ(parse_json("0e400", "x").get<double>(), 0.0);
    EXPECT_EQ(parse_json("-0.5E+1", "x").get<double>(), -5.0);
    EXPECT_EQ(parse_json("123456789012345678901", "x").get<double>(), 123456789012345678901.0);
}

TEST(Json, text_must_be_utf8_without_nul) {
    EXPECT_EQ(refusal("{\"a\": \"b\xFF\"}"), "a.json: not UTF-8 (line 1, column 9); save the text as UTF-8");
    EXPECT_NE(refusal("{\"a\": \"b\\u0000\"}").find("a: the text holds a NUL character"), std::string::npos);
    EXPECT_NE(refusal("{\"a\\u0000\": 1}"), "accepted");
    EXPECT_NE(refusal(std::string_view("[1]\0", 4)), "accepted");
    EXPECT_NE(refusal(std::string_view("\"\0\"", 3)), "accepted");
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

TEST(Json, depth_is_bounded) {
    EXPECT_EQ(refusal(repeated("[", 64) + repeated("]", 64)), "accepted");
    EXPECT_NE(refusal(repeated("[", 65) + repeated("]", 65)).find("nested deeper than 64 levels"), std::string::npos);
    EXPECT_NE(refusal(repeated("{\"a\":", 100000)).find("nested deeper than 64 levels"), std::string::npos);
    EXPECT_NE(refusal(repeated("[", sanitized ? 1'000'000 : 100'000'000)).find("nested deeper"), std::string::npos);
}

/// The processor time in seconds that this process has used, and its peak memory in MiB.
std::pair<double, long> spent() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
            usage.ru_maxrss >> 10};
}

void expect_quick_refusal(char first, std::string_view piece, std::string_view why) {
    constexpr std::size_t size = sanitized ? 25'000'000 : 100'000'000;
    std::string text = repeated(piece, size / piece.size());
    text[0] = first;
    const auto [before, unused] = spent();
    EXPECT_NE(refusal(text).find(why), std::string::npos) << refusal(text);
    const auto [after, peak] = spent();
    std::printf("%.*s…: %.2f s, peak %ld MiB\n", static_cast<int>(piece.size()), piece.data(), after - before, peak);
    if (sanitized) return;
    EXPECT_LT(after - before, 4.0); // takes 2 on an idle machine
    EXPECT_LT(peak, 1024);
}

TEST(Json, large_hostile_texts_are_refused_quickly_in_little_memory) {
    expect_quick_refusal('[', " 0,", "more than 3200000 values");
    expect_quick_refusal('[', " [],", "more than 3200000 values");
    expect_quick_refusal('{', " \"\":0,", "more than 3200000 values");
    const std::string longest(29, 'a'); // so long that just not too many of them fit into the text
    expect_quick_refusal('[', " \"" + longest + "\",", "the text ends too early");
    expect_quick_refusal('{', " \"" + longest + "\":{},", "the text ends too early");
    expect_quick_refusal('"', "a", "the text ends too early");
    expect_quick_refusal('[', " ", "the text ends too early");
    expect_quick_refusal('9', "9", "too many digits");
}

TEST(Json, large_objects_take_linear_time) {
    std::string text = "{";
    constexpr int count = sanitized ? 100'000 : 1'000'000;
    for (int i = 0; i < count; ++i) text += "\"blocks." + std::to_string(i) + ".weight\":" + std::to_string(i) + ",";
    text += "\"blocks.7.weight\":0}";
    EXPECT_NE(refusal(text).find("blocks.7.weight: appears a second time"), std::string::npos);
    text.replace(text.rfind("blocks.7."), 9, "blocks_7.");
    EXPECT_EQ(parse_json(text, "x").size(), count + 1u);
}

} // namespace
} // namespace denoir

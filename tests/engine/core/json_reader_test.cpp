// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>

#include "tests/engine/refusal.h"

namespace denoir {
namespace {

const JsonSource by_hand{"a.json", "/here"};
const JsonSource by_program{"a.json", {}, "get it again", false};
const JsonSource nowhere;

const Json object = parse_json(R"({"n": 7, "x": 1.5, "t": "abc", "b": true, "none": null, "list": [1, {"k": -1}],
    "large": 18446744073709551615})",
                               "a.json");

TEST(JsonReader, GivesWhatThereIs) {
    const JsonReader in(object, by_hand);
    EXPECT_EQ(in.at("n").integer(0, 7), 7);
    EXPECT_EQ(in.at("large").integer(), INT64_MAX);
    EXPECT_EQ(in.at("x").number(1.5, 2), 1.5);
    EXPECT_EQ(in.at("t").text(3), "abc");
    EXPECT_EQ(in.at("t").path(), "/here/abc");
    EXPECT_TRUE(in.at("b").boolean());
    EXPECT_TRUE(in.flag("none", true));
    EXPECT_FALSE(in.has("none"));
    EXPECT_TRUE(in.at("none").value().is_null());
    EXPECT_EQ(in.at("list").items(2), 2u);
    EXPECT_EQ(in.at("list").item(1).at("k").field(), "list[1].k");
    constexpr std::array<Named<int>, 2> names{{{"abd", 1}, {"abc", 2}}};
    EXPECT_EQ(in.at("t").one_of<int>(names), 2);
}

TEST(JsonReader, RefusesByNameWhatDoesNotFit) {
    static constexpr std::array<Named<int>, 2> names{{{"abd", 1}, {"xyz", 2}}};
    static constexpr std::string_view known[] = {"n", "x", "t", "b", "none", "lists", "large"};
    struct Case {
        std::function<void(const JsonReader&)> read;
        std::string hand, program; ///< what is said about a file written by a person, and by a program
    };
    const std::vector<Case> cases{
        {[](const auto& in) { in.at("m"); }, "m: is missing; correct the value", "m: is missing; get it again"},
        {[](const auto& in) { in.at("n").at("m"); }, "n: must be an object, not 7; correct the value",
         "n: must be an object, not 7; get it again"},
        {[](const auto& in) { in.at("t").integer(0, 9); },
         R"(t: must be a whole number from 0 to 9, not "abc"; correct the value)",
         R"(t: must be a whole number from 0 to 9, not "abc"; get it again)"},
        {[](const auto& in) { in.at("n").integer(0, 6); }, "n: 7 is out of range; use 0 to 6",
         "n: must be a whole number from 0 to 6, not 7; get it again"},
        {[](const auto& in) { in.at("large").integer(0, 6); },
         "large: 18446744073709551615 is out of range; use 0 to 6",
         "large: must be a whole number from 0 to 6, not 18446744073709551615; get it again"},
        {[](const auto& in) { in.at("large").integer(0, INT64_MAX); },
         "large: 18446744073709551615 is out of range; use 0 to 9223372036854775807",
         "large: must be a whole number from 0 to 9223372036854775807, not 18446744073709551615; get it again"},
        {[](const auto& in) { in.at("x").number(2, 3); }, "x: 1.5 is out of range; use 2 to 3",
         "x: must be a number from 2 to 3, not 1.5; get it again"},
        {[](const auto& in) { in.at("x").integer(); }, "x: must be a whole number, not 1.5; correct the value",
         "x: must be a whole number, not 1.5; get it again"},
        {[](const auto& in) { in.at("b").text(); }, "b: must be text, not true; correct the value",
         "b: must be text, not true; get it again"},
        {[](const auto& in) { in.at("n").boolean(); }, "n: must be true or false, not 7; correct the value",
         "n: must be true or false, not 7; get it again"},
        {[](const auto& in) { in.at("t").text(2); },
         "t: is longer than 2 bytes; shorten it: a model reads some hundred words",
         "t: is longer than 2 bytes; get it again"},
        {[](const auto& in) { in.at("t").template one_of<int>(names); },
         "t: 'abc' is unknown; did you mean abd? One of abd, xyz", "t: 'abc' is unknown; get it again"},
        {[](const auto& in) { in.at("list").items(1); }, "list: 2 are too many; name at most 1",
         "list: 2 are too many; get it again"},
        {[](const auto& in) { in.at("list").item(1).at("k").integer(0, 1); },
         "list[1].k: -1 is out of range; use 0 to 1",
         "list[1].k: must be a whole number from 0 to 1, not -1; get it again"},
        {[](const auto& in) { in.only(known); }, "list: is not a known key; did you mean lists?",
         "list: is not a known key; did you mean lists?"}};
    for (const Case& c : cases) {
        EXPECT_EQ(test::refusal([&] { c.read({object, by_hand}); }), "a.json: " + c.hand);
        EXPECT_EQ(test::refusal([&] { c.read({object, by_program}); }), "a.json: " + c.program);
    }
}

// The parser rounds such a number, and a message must not show another number than the file.
TEST(JsonReader, ANumberBeyond64BitsIsNotShown) {
    const Json value = parse_json("123456789012345678901", "a.json");
    const JsonReader in(value, by_hand, "n");
    for (const auto& read : {std::function<void()>([&] { in.integer(0, 5); }), {[&] { in.number(0, 5); }}})
        EXPECT_EQ(test::refusal(read), "a.json: n: a number beyond 64 bits is out of range; use 0 to 5");
}

// A whole number beyond 64 bits is out of range, which is not the same as 1.5 or 7.0: those are not whole numbers.
TEST(JsonReader, WholeNumbersBeyond64BitsAreWhole) {
    for (const auto& [text, clamped] : {std::pair{"123456789012345678901", INT64_MAX},
                                        {"18446744073709551616", INT64_MAX},
                                        {"-9223372036854775809", INT64_MIN},
                                        {"-1e300", INT64_MIN}}) {
        const Json value = parse_json(text, "a.json");
        const JsonReader in(value, by_hand, "n");
        EXPECT_EQ(in.integer(), clamped) << text;
        EXPECT_NE(test::refusal([&] { in.integer(0, INT64_MAX); }).find(" is out of range; use 0 to"),
                  std::string::npos);
    }
    for (const char* text : {"7.0", "1e3", "1e19", "-1e18"}) {
        const Json value = parse_json(text, "a.json");
        EXPECT_NE(test::refusal([&] { JsonReader(value, by_hand, "n").integer(); }).find("must be a whole number"),
                  std::string::npos)
            << text;
    }
}

// The command line exits with 2 for a UsageError and with 1 for any other Error.
TEST(JsonReader, AValueOfNoFileOrOutOfRangeIsAUsageError) {
    EXPECT_THROW(JsonReader(object, nowhere).at("t").integer(), UsageError);
    EXPECT_THROW(JsonReader(object, by_hand).at("n").integer(0, 1), UsageError);
    const auto usage = [](const JsonReader& in) {
        try {
            in.integer(0, 1);
        } catch (const UsageError&) {
            return true;
        } catch (const Error&) {
        }
        return false;
    };
    EXPECT_FALSE(usage(JsonReader(object, by_hand).at("t")));
    EXPECT_FALSE(usage(JsonReader(object, by_program).at("n")));
}

} // namespace
} // namespace denoir

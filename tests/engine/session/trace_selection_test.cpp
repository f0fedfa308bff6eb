// SPDX-License-Identifier: Apache-2.0
#include "engine/session/trace_selection.h"

#include <gtest/gtest.h>

#include "engine/session/trace.h"
#include "engine/weights/model_folder.h"
#include "tests/engine/refusal.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

class TracePatterns : public testing::Test {
protected:
    void SetUp() override {
        Request r;
        r.model = fs::path(DENOIR_FIXTURES) / "_models" / "Wan2.1-T2V-tiny", r.prompt = "a fox";
        model_ = ModelFolder::open(r.model);
        request_ = Pipeline::resolve(r, model_);
    }
    /// What is wrong with these patterns; "" if they may be used, whether a layer matches or not.
    std::string said(const std::vector<std::string>& patterns) {
        const std::string what = test::refusal([&] { TraceFilter({patterns, "last"}, request_, model_); });
        return what == "accepted" || what.find("no layer of this run matches") != std::string::npos ? "" : what;
    }
    std::vector<std::string> fitting(const std::string& pattern) {
        std::vector<std::string> out;
        const TraceFilter filter({{pattern}, "last"}, request_, model_);
        for (const TraceLayer& layer : filter.layers()) out.push_back(layer.component + "/" + layer.layer);
        return out;
    }

    Request request_;
    ModelFolder model_;
};

TEST_F(TracePatterns, WhoStopsWaitsForNoFurtherFile) {
    Observer observer;
    std::stop_source stop;
    const TraceSelection select{{}, "last"};
    EXPECT_FALSE(list_traceable(request_, select, observer, stop.get_token()).empty());
    stop.request_stop();
    EXPECT_THROW(list_traceable(request_, select, observer, stop.get_token()), Cancelled);
}

/// The time that matching takes grows with the product of the groups. Patterns that could take hours are refused.
TEST_F(TracePatterns, GroupsAreFewAndRepeatedOnesSimple) {
    for (const char* pattern : {"@(a)@(b)@(c)@(d)", "+(a)*(b)", "+(a)@(b|c)*", "?(a*)", "!(a|b)", "+([0-9*|(])",
                                "+([!]*])", "[(][+(][@(][!(][?(]", "(a)(b)(c)(d)(e)", "a(b)c(d)e(f)g(h)i(j)"})
        EXPECT_EQ(said({pattern}), "") << pattern;
    for (const auto& [pattern, what] : {std::pair{"@(a)@(b)@(c)@(d)@(e)", "has more than 4 groups"},
                                        {"?(a)!(b)*(c)+(d)@(e)", "has more than 4 groups"},
                                        {"+(a)+(b)+(c)", "repeats more than 2 groups"},
                                        {"*(a)@(b)+(c)*(d)", "repeats more than 2 groups"},
                                        {"+(a*)", "repeats a group with *, | or another group in it"},
                                        {"*(a|b)", "repeats a group with *, | or another group in it"},
                                        {"+(a(b))", "repeats a group with *, | or another group in it"},
                                        {"x*(a@(b))", "repeats a group with *, | or another group in it"}})
        EXPECT_NE(said({pattern}).find(std::string("'") + pattern + "' " + what), std::string::npos) << said({pattern});
}

TEST_F(TracePatterns, AreNeitherTooManyNorTooLong) {
    EXPECT_EQ(said(std::vector<std::string>(256, "a")), "");
    EXPECT_EQ(said(std::vector<std::string>(257, "a")),
              "--layers: 257 patterns are too many; give at most 256, with * for any letters");
    EXPECT_EQ(said({std::string(1024, 'a')}), "");
    EXPECT_NE(said({std::string(1025, 'a')}).find("is too long"), std::string::npos);
}

/// A pattern with a slash must match COMPONENT/LAYER, any other LAYER alone.
TEST_F(TracePatterns, SayWhoseLayersAreMeant) {
    EXPECT_EQ(fitting("transformer/blocks.+([0-9])"),
              (std::vector<std::string>{"transformer/blocks.0", "transformer/blocks.1"}));
    EXPECT_EQ(fitting("blocks.[!1]"), (std::vector<std::string>{"text_encoder/blocks.0", "transformer/blocks.0"}));
    EXPECT_EQ(fitting("*/head").size(), 1u);
    EXPECT_EQ(fitting("text_encoder/tokens"), std::vector<std::string>{"text_encoder/tokens"});
    EXPECT_NE(test::refusal([&] { fitting("transformer/tokens"); }), "accepted");
}

} // namespace
} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
// Which of the library's plans is taken, kept and given up. The stand-in's take the time that a test says and compute
// nothing; what they compute is in the kernels' own tests.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/log.h"
#include "tests/engine/backend/cuda/libraries/fake_dnn.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {
namespace {

using cuda::FusedAttention;
using cuda::FusedConv;
using Plan = FakeDnn::Plan;
constexpr std::int64_t mebibyte = 1 << 20;

/// A card on which the stand-in's plans take as long as they say.
class TimedRuntime final : public cuda::FakeRuntime {
public:
    std::size_t free = std::size_t{1} << 30;
    int timed = 0; ///< how often something was
    TimedRuntime() : FakeRuntime(1 << 20) {}
    std::size_t free_memory() override { return free; }
    float time(const std::function<void()>& work) override {
        ++timed;
        fake_dnn().spent = 0;
        FakeRuntime::time(work);
        return fake_dnn().spent;
    }
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

template <class T = void> T* address(std::uintptr_t at) { return reinterpret_cast<T*>(at); }

/// One whose plans are timed.
FusedConv large_conv() {
    FusedConv c;
    c.x = address(0x1000), c.w = address(0x2000), c.bias = address(0x3000), c.out = address(0x4000);
    c.height = c.width = 128, c.in = c.out_channels = 256;
    c.taps_down = c.taps_across = 3, c.pad_down = c.pad_across = 1;
    return c;
}

FusedAttention attention_of(std::int64_t queries, std::int64_t keys, std::int64_t all_keys) {
    FusedAttention a;
    a.q = address(0x1000), a.k = address(0x2000), a.v = address(0x3000), a.out = address(0x4000);
    a.queries = queries, a.keys = keys, a.all_keys = all_keys, a.heads = 12, a.size = 128;
    a.q_token = a.k_token = a.v_token = a.out_token = 12 * 128;
    a.q_head = a.k_head = a.v_head = a.out_head = 128;
    return a;
}
FusedAttention large_attention() { return attention_of(8000, 8000, 8000); }

class DnnGraph : public testing::Test {
protected:
    FakeDnn& fake = fake_dnn();
    TempFolder home{"dnn-graph"};
    std::unique_ptr<TimedRuntime> runtime = std::make_unique<TimedRuntime>();
    std::unique_ptr<cuda::Dnn> dnn;
    std::vector<std::string> lines; ///< that were logged
    std::size_t workspace = 0;      ///< the most that was asked for
    std::size_t most_workspace = std::size_t{1} << 30;
    int plans_before_stop = -1;

    void SetUp() override {
        fake = {};
        fake.computes = false;
        setenv("DENOIR_HOME", home.path().c_str(), 1);
        log::set_sink([this](log::Level, std::string_view line) { lines.emplace_back(line); });
    }
    void TearDown() override {
        dnn = nullptr;
        log::set_sink(nullptr);
        EXPECT_EQ(fake.handles, 0);
        EXPECT_EQ(fake.descriptors, 0);
        for (const std::string& why : fake.refused) ADD_FAILURE() << why;
    }
    /// As after a new start of the program: what was chosen is in the file alone, and nothing has been counted.
    void start_anew() {
        dnn = nullptr;
        for (auto& plans : fake.plans)
            for (Plan& plan : plans) plan.built = plan.started = 0;
        runtime->timed = 0;
        dnn = open_fake_dnn(*runtime);
    }
    cuda::Dnn::Caller caller() {
        return {[this](std::size_t bytes) {
                    workspace = std::max(workspace, bytes);
                    if (bytes > most_workspace) throw Error("", "memory", "there is none left");
                    return address<std::byte>(0x10000);
                },
                [this] {
                    if (plans_before_stop-- == 0) throw Cancelled();
                }};
    }
    bool conv(const FusedConv& c = large_conv()) {
        if (!dnn) start_anew();
        return dnn->conv(c, caller());
    }
    bool attention(const FusedAttention& a = large_attention()) {
        if (!dnn) start_anew();
        return dnn->attention(a, caller());
    }
    std::vector<int> counts(FakeDnn::Pattern pattern, int Plan::*count) const {
        std::vector<int> all;
        for (const Plan& plan : fake.plans[pattern]) all.push_back(plan.*count);
        return all;
    }
    std::vector<int> built(FakeDnn::Pattern pattern = FakeDnn::convolution) const {
        return counts(pattern, &Plan::built);
    }
    std::vector<int> started(FakeDnn::Pattern pattern = FakeDnn::convolution) const {
        return counts(pattern, &Plan::started);
    }
    /// The plans that run in one more call.
    template <class Call> std::vector<int> taken(Call call, FakeDnn::Pattern pattern = FakeDnn::convolution) {
        const std::vector<int> before = started(pattern);
        EXPECT_TRUE(call());
        std::vector<int> which, after = started(pattern);
        for (std::size_t i = 0; i < after.size(); ++i)
            for (int n = before[i]; n < after[i]; ++n) which.push_back(static_cast<int>(i));
        return which;
    }
    std::vector<int> taken_by_conv() {
        return taken([this] { return conv(); });
    }
    /// What was logged, one below the other.
    std::string logged() const {
        std::string all;
        for (const std::string& line : lines) all += line + '\n';
        return all;
    }
    std::string file(std::string_view name) const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(home.path()))
            if (entry.path().filename().string().starts_with(name)) return read_text(entry.path(), mebibyte);
        return {};
    }
};

using Taken = std::vector<int>;

TEST_F(DnnGraph, TheFastestThatCanBeBuiltFitsAndRunsIsTaken) {
    fake.plans[FakeDnn::convolution] = {{.cost = 5},
                                        {.cost = 1, .workspace = 64 * mebibyte + 1},
                                        {.cost = 1, .builds = false},
                                        {.cost = 1, .starts = false},
                                        {.cost = 2, .workspace = 3000},
                                        {.cost = 1, .notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}},
                                        {.cost = 1, .notes = {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION}},
                                        {.cost = 1, .notes = {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS}},
                                        {.cost = 4, .notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}},
                                        {.cost = 1.99f}}; // no gain
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{4});
    EXPECT_EQ(built(), (Taken{1, 0, 1, 1, 1, 0, 0, 0, 1, 1})); // nor what works in too much
    EXPECT_EQ(started()[1], 0);
    EXPECT_EQ(started()[3], 1);
    EXPECT_EQ(started()[8], 2); // clearly slower: not measured further
    EXPECT_EQ(workspace, 3000u);
    EXPECT_PRED2(contains, logged(),
                 "cuDNN takes plan 4 of 10 for c:1:128:128:256:256:1:3:3:1:1:1:1:true:false: 2.000 ms");
}

TEST_F(DnnGraph, PlansToFallBackOnComeLast) {
    fake.plans[FakeDnn::convolution] = {{.builds = false}, {.cost = 3, .fallback = true}, {.cost = 2}};
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{2});
    fake.plans[FakeDnn::convolution][2].builds = false;
    start_anew();
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{1});
}

TEST_F(DnnGraph, OneThatWasChosenIsTakenAgainAtOnce) {
    fake.plans[FakeDnn::convolution] = {{.cost = 5}, {.cost = 2}, {.cost = 3}};
    EXPECT_TRUE(conv());
    start_anew();
    EXPECT_EQ(taken_by_conv(), Taken{1});
    EXPECT_EQ(built(), (Taken{0, 1, 0}));
    EXPECT_EQ(runtime->timed, 0);
    EXPECT_PRED2(contains, file("convolutions-fake-device-"), " 1 3 40000000 0 "); // plan, of, 2.0f
    // By another version of the library with more plans the number says nothing.
    fake.plans[FakeDnn::convolution].push_back({.cost = 1});
    start_anew();
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{3});
}

TEST_F(DnnGraph, SmallOnesAreNotTimed) {
    fake.plans[FakeDnn::convolution] = {{.builds = false}, {.starts = false}, {.cost = 5}, {.cost = 1}};
    FusedConv c = large_conv();
    c.height = c.width = 8;
    EXPECT_TRUE(conv(c));
    EXPECT_EQ(taken([&] { return conv(c); }), Taken{2});
    EXPECT_EQ(runtime->timed, 0);
    EXPECT_EQ(started(), (Taken{0, 1, 2, 0}));
    dnn = nullptr;
    EXPECT_EQ(file("convolutions-"), "");
}

TEST_F(DnnGraph, WhatWasChosenAndNoLongerRunsIsChosenAnew) {
    const std::vector<Plan> plans{{.cost = 9}, {.cost = 5}, {.cost = 7}, {.cost = 2}};
    for (bool Plan::*fails : {&Plan::builds, &Plan::starts}) {
        fake.plans[FakeDnn::convolution] = plans;
        dnn = nullptr;
        std::filesystem::remove_all(home / "cache");
        start_anew();
        EXPECT_TRUE(conv());
        fake.plans[FakeDnn::convolution][3].*fails = false;
        start_anew();
        EXPECT_TRUE(conv());
        EXPECT_EQ(taken_by_conv(), Taken{1});
        start_anew(); // and is kept in its place
        EXPECT_EQ(taken_by_conv(), Taken{1});
        EXPECT_EQ(built(), (Taken{0, 1, 0, 0}));
    }
}

TEST_F(DnnGraph, OneThatFailsLaterGivesWayToTheBestOfTheOthers) {
    fake.plans[FakeDnn::convolution] = {{.cost = 3}, {.cost = 2}, {.cost = 9}};
    EXPECT_TRUE(conv());
    fake.plans[FakeDnn::convolution][1].starts = false;
    EXPECT_TRUE(conv());
    EXPECT_PRED2(contains, logged(), "cuDNN does not start plan 1 of");
    const int tried = started()[1];
    EXPECT_EQ(taken_by_conv(), Taken{0});
    EXPECT_EQ(started()[1], tried);
}

TEST_F(DnnGraph, WhereNoneRunsNoneIsLookedForAgain) {
    for (const std::vector<Plan>& plans :
         {std::vector<Plan>{{.builds = false}, {.starts = false}, {.workspace = 65 * mebibyte}},
          {{.workspace = 66 * mebibyte, .announced = 0}},
          {{.notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}}}}) {
        fake.plans[FakeDnn::convolution] = plans;
        dnn = nullptr;
        EXPECT_FALSE(conv());
        const std::vector<int> first = built();
        EXPECT_FALSE(conv());
        EXPECT_EQ(built(), first);
    }
    EXPECT_PRED2(contains, logged(),
                 "cuDNN cannot build a plan for c:1:128:128:256:256:1:3:3:1:1:1:1:true:false: [cudnn_frontend] Error: "
                 "Skipping plan since workspace violation. Requires 68157440");
    EXPECT_PRED2(contains, logged(),
                 "cuDNN cannot build a plan for c:1:128:128:256:256:1:3:3:1:1:1:1:true:false: it wants 69206016 bytes");
    EXPECT_PRED2(contains, logged(), "cuDNN has no plan for c:1:128:128:256:256:1:3:3:1:1:1:1:true:false: ");
}

TEST_F(DnnGraph, AStoppedChoiceIsMadeByTheNextCall) {
    fake.plans[FakeDnn::convolution] = {{.cost = 3}, {.cost = 2}, {.cost = 1}};
    plans_before_stop = 1;
    EXPECT_THROW(conv(), Cancelled);
    EXPECT_EQ(built(), (Taken{1, 0, 0}));
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{2});
}

TEST_F(DnnGraph, NothingIsTimedWhileItIsRecorded) {
    fake.plans[FakeDnn::convolution] = {{.builds = false}, {.cost = 2}, {.cost = 1}};
    start_anew();
    auto graph = runtime->record([&] { EXPECT_TRUE(conv()); });
    EXPECT_EQ(started(), (Taken{0, 1, 0}));
    EXPECT_EQ(runtime->timed, 0);
    fake.spent = 0;
    runtime->replay(*graph);
    runtime->wait();
    EXPECT_EQ(fake.spent, 2);
}

TEST_F(DnnGraph, WhatWasChosenIsTakenWhileItIsRecorded) {
    fake.plans[FakeDnn::convolution] = {{.cost = 2}, {.cost = 1}};
    EXPECT_TRUE(conv());
    start_anew();
    runtime->record([&] { EXPECT_TRUE(conv()); });
    EXPECT_EQ(started(), (Taken{0, 1}));
    EXPECT_EQ(built(), (Taken{0, 1}));
}

TEST_F(DnnGraph, APlanThatCannotBeRecordedIsAnErrorAndStays) {
    fake.plans[FakeDnn::convolution] = {{.cost = 2}, {.cost = 1}};
    EXPECT_TRUE(conv());
    fake.plans[FakeDnn::convolution][1].starts = false;
    try {
        runtime->record([&] { conv(); });
        ADD_FAILURE() << "recorded";
    } catch (const Error& e) {
        EXPECT_EQ(e.field(), "device");
        EXPECT_PRED2(contains, e.what(), "while it is recorded: ");
    }
    fake.plans[FakeDnn::convolution][1].starts = true;
    EXPECT_EQ(taken_by_conv(), Taken{1});
}

TEST_F(DnnGraph, AFullCardIsNoPropertyOfThePlans) {
    fake.plans[FakeDnn::convolution] = {{.builds = false}, {.starts = false}};
    runtime->free = 60 * mebibyte;
    for (int i = 0; i < 2; ++i) {
        try {
            conv();
            ADD_FAILURE() << "ran";
        } catch (const Error& e) {
            EXPECT_EQ(e.field(), "memory");
        }
    }
    fake.plans[FakeDnn::convolution][1].starts = true;
    EXPECT_TRUE(conv());
}

TEST_F(DnnGraph, AnotherIsTakenWhereOneFindsNoMemoryToWorkIn) {
    fake.plans[FakeDnn::convolution] = {{.cost = 2}, {.cost = 1, .workspace = 5000}};
    most_workspace = 4999;
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{0});
    // Where no other runs, or it was there when they were tried, that is the caller's error.
    fake.plans[FakeDnn::convolution][0].builds = false;
    dnn = nullptr;
    std::filesystem::remove_all(home / "cache");
    EXPECT_THROW(conv(), Error);
    most_workspace = 5000;
    EXPECT_TRUE(conv());
    most_workspace = 4999;
    EXPECT_THROW(conv(), Error);
    most_workspace = 5000;
    EXPECT_TRUE(conv());
}

TEST_F(DnnGraph, WhatWasTakenForLackOfMemoryIsNotKept) {
    fake.plans[FakeDnn::convolution] = {{.cost = 2}, {.cost = 1, .workspace = 5000}};
    most_workspace = 4999;
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{0});
    most_workspace = 5000;
    start_anew();
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{1});
}

TEST_F(DnnGraph, WhatFailedWhileMemoryWasMissingIsTriedAgain) {
    fake.plans[FakeDnn::convolution] = {{.starts = false}, {.workspace = 5000}};
    most_workspace = 4999;
    EXPECT_THROW(conv(), Error);
    fake.plans[FakeDnn::convolution][0].starts = true;
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{0});
}

TEST_F(DnnGraph, WithEnoughOfTheLibrarysOwnNoneIsCompiled) {
    std::vector<Plan> plans{{.cost = 9, .compiled = true}, {.cost = 8}, {.cost = 7}, {.cost = 6}, {.cost = 5}};
    plans.push_back({.cost = 1, .compiled = true});
    plans.push_back({.cost = 4});
    fake.plans[FakeDnn::convolution] = fake.plans[FakeDnn::unified_attention] = plans;
    fake.plans[FakeDnn::composite_attention] = {{.builds = false}};
    EXPECT_TRUE(conv());
    EXPECT_EQ(built(), (Taken{1, 1, 1, 1, 1, 0, 1}));
    EXPECT_EQ(taken_by_conv(), Taken{6});
    EXPECT_TRUE(attention()); // takes most of a step: all are tried
    EXPECT_EQ(taken([&] { return attention(); }, FakeDnn::unified_attention), Taken{5});
}

TEST_F(DnnGraph, SoManyAreTriedButMoreUntilOneRuns) {
    std::vector<Plan>& plans = fake.plans[FakeDnn::convolution];
    plans.assign(60, {.cost = 9});
    plans[50].cost = 1;
    EXPECT_TRUE(conv());
    EXPECT_EQ(built()[47], 1);
    EXPECT_EQ(built()[48], 0);
    for (Plan& plan : plans) plan.builds = false;
    plans[52].builds = plans[53].builds = true;
    start_anew();
    EXPECT_EQ(conv(), true);
    EXPECT_EQ(taken_by_conv(), Taken{52});
    EXPECT_EQ(built()[53], 0);
}

TEST_F(DnnGraph, WhereTheCardStoodIdleTheBestIsMeasuredAgain) {
    std::vector<Plan>& plans = fake.plans[FakeDnn::convolution];
    plans = {{.cost = 5}, {.cost = 3}};
    plans[1].when_built = [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(101));
        plans[0].cost = 2; // it was measured on a card that had not raised its clocks
    };
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{0});
}

TEST_F(DnnGraph, AttentionGoesTheFasterOfTwoWays) {
    const auto unified = FakeDnn::unified_attention, composite = FakeDnn::composite_attention;
    const auto call = [&] { return attention(); };
    fake.plans[unified] = {{.cost = 5}, {.cost = 4}};
    fake.plans[composite] = {{.cost = 6}, {.cost = 3, .workspace = 200 * mebibyte, .compiled = true}};
    EXPECT_TRUE(attention());
    EXPECT_EQ(taken(call, unified), Taken{});
    EXPECT_EQ(taken(call, composite), Taken{1});
    // Measured before: only the faster one's plan is made.
    start_anew();
    EXPECT_EQ(taken(call, composite), Taken{1});
    EXPECT_EQ(built(unified), (Taken{0, 0}));
    EXPECT_EQ(built(composite), (Taken{0, 1}));
    // A block that sees fewer keys goes the way of the one that sees all.
    EXPECT_TRUE(attention(attention_of(8000, 4000, 8000)));
    EXPECT_EQ(started(unified), (Taken{0, 0}));
    // The faster way no longer runs.
    for (Plan& plan : fake.plans[composite]) plan.starts = false;
    start_anew();
    EXPECT_TRUE(attention());
    EXPECT_EQ(taken(call, unified), Taken{1});
}

TEST_F(DnnGraph, AWayThatIsNotThereIsNotLookedForAgain) {
    for (const auto& [there, missing] : {std::pair{FakeDnn::unified_attention, FakeDnn::composite_attention},
                                         {FakeDnn::composite_attention, FakeDnn::unified_attention}}) {
        fake.plans[there] = {{.cost = 2}};
        fake.plans[missing] = {{.workspace = 257 * mebibyte}, {.builds = false}};
        for (const std::int64_t tokens : {8000, 100}) { // timed, and not
            start_anew();
            const auto call = [&] { return attention(attention_of(tokens, tokens, tokens)); };
            EXPECT_TRUE(call());
            const std::vector<int> tried = built(missing);
            EXPECT_EQ(taken(call, there), Taken{0});
            EXPECT_EQ(built(missing), tried);
        }
        fake.plans[there] = {{.builds = false}};
        start_anew();
        EXPECT_FALSE(attention());
        EXPECT_FALSE(attention());
    }
}

TEST_F(DnnGraph, RecordedAttentionGoesTheWayThatWasFaster) {
    fake.plans[FakeDnn::unified_attention] = {{.cost = 5}, {.cost = 4}};
    fake.plans[FakeDnn::composite_attention] = {{.cost = 6}, {.cost = 3}};
    EXPECT_TRUE(attention());
    start_anew();
    runtime->record([&] { EXPECT_TRUE(attention()); });
    EXPECT_EQ(started(FakeDnn::unified_attention), (Taken{0, 0}));
    EXPECT_EQ(started(FakeDnn::composite_attention), (Taken{0, 1}));
}

TEST_F(DnnGraph, WhatDoesNotLieAtMultiplesOfSixteenBytesIsNotAsked) {
    fake.plans[FakeDnn::convolution] = fake.plans[FakeDnn::unified_attention] = {{}};
    FusedConv c = large_conv();
    c.residual = address(0x5008);
    EXPECT_FALSE(conv(c));
    FusedAttention a = large_attention();
    a.k = address(0x2008);
    EXPECT_FALSE(attention(a));
    a = large_attention();
    a.v_head += 4;
    EXPECT_FALSE(attention(a));
    EXPECT_EQ(built(), Taken{0});
    EXPECT_EQ(built(FakeDnn::unified_attention), Taken{0});
}

TEST_F(DnnGraph, OlderLibrariesGetFramesAsChannels) {
    const auto stacks = [&](std::size_t version, cuda::Type type, std::int64_t channels) {
        fake.version = version;
        start_anew();
        return dnn->prefers_stacked_frames(type, channels);
    };
    EXPECT_TRUE(stacks(92300, cuda::Type::bf16, 8));
    EXPECT_TRUE(stacks(92300, cuda::Type::f32, 72));
    EXPECT_FALSE(stacks(92300, cuda::Type::f32, 64));
    EXPECT_FALSE(stacks(92400, cuda::Type::bf16, 8));
}

} // namespace
} // namespace denoir::test

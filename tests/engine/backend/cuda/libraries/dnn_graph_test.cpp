// SPDX-License-Identifier: Apache-2.0
// Which of the library's plans is taken, kept and given up. What they compute is in the kernels' own tests.
#include <chrono>
#include <thread>

#include "tests/engine/backend/cuda/libraries/dnn_fixture.h"

namespace denoir::test {
namespace {

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
                                        {.cost = 1.99f}}; // too little faster to be chosen
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{4});
    EXPECT_EQ(built(), (Taken{1, 0, 1, 1, 1, 0, 0, 0, 1, 1})); // what needs too much memory is not built
    EXPECT_EQ(started()[1], 0);
    EXPECT_EQ(started()[3], 1);
    EXPECT_EQ(started()[8], 2); // was clearly slower and is not measured further
    EXPECT_EQ(workspace, 3000u);
    EXPECT_PRED2(holds, logged(),
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
    // The number of the plan, how many there are, and 2.0f.
    EXPECT_PRED2(holds, file("convolutions-fake-device-"), " 1 3 40000000 0 ");
    // If another version of the library has more plans, the stored number means nothing.
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

TEST_F(DnnGraph, AChoiceThatNoLongerRunsIsMadeAnew) {
    const std::vector<Plan> plans{{.cost = 9}, {.cost = 5}, {.cost = 7}, {.cost = 2}};
    for (bool Plan::*fails : {&Plan::builds, &Plan::starts}) {
        fake.plans[FakeDnn::convolution] = plans;
        start_from_nothing();
        EXPECT_TRUE(conv());
        fake.plans[FakeDnn::convolution][3].*fails = false;
        start_anew();
        EXPECT_TRUE(conv());
        EXPECT_EQ(taken_by_conv(), Taken{1});
        start_anew(); // and is stored in its place
        EXPECT_EQ(taken_by_conv(), Taken{1});
        EXPECT_EQ(built(), (Taken{0, 1, 0, 0}));
    }
}

TEST_F(DnnGraph, OneThatFailsLaterGivesWayToTheBestOfTheOthers) {
    fake.plans[FakeDnn::convolution] = {{.cost = 3}, {.cost = 2}, {.cost = 9}};
    EXPECT_TRUE(conv());
    fake.plans[FakeDnn::convolution][1].starts = false;
    EXPECT_TRUE(conv());
    EXPECT_PRED2(holds, logged(), "cuDNN does not start plan 1 of");
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
    EXPECT_PRED2(holds, logged(),
                 "cuDNN cannot build a plan for c:1:128:128:256:256:1:3:3:1:1:1:1:true:false: [cudnn_frontend] Error: "
                 "Skipping plan since workspace violation. Requires 68157440");
    EXPECT_PRED2(holds, logged(),
                 "cuDNN cannot build a plan for c:1:128:128:256:256:1:3:3:1:1:1:1:true:false: it wants 69206016 bytes");
    EXPECT_PRED2(holds, logged(), "cuDNN has no plan for c:1:128:128:256:256:1:3:3:1:1:1:1:true:false: ");
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

TEST_F(DnnGraph, APlanTakenWhileRecordingStaysInTheRecordingAndTheChoiceIsMadeLater) {
    fake.plans[FakeDnn::convolution] = {{.builds = false}, {.cost = 3}, {.cost = 2}, {.cost = 1}};
    start_anew();
    auto graph = runtime->record([&] { EXPECT_TRUE(conv()); });
    auto again = runtime->record([&] { EXPECT_TRUE(conv()); });
    EXPECT_EQ(built(), (Taken{1, 1, 0, 0}));
    fake.plans[FakeDnn::convolution][0] = {.cost = 0.5f}; // perhaps it could not be built only because of the recording
    plans_before_stop = 2;
    EXPECT_THROW(conv(), Cancelled);
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{0});
    const auto replayed = [&] {
        fake.spent = 0;
        runtime->replay(*graph);
        runtime->replay(*again);
        runtime->wait();
        return fake.spent;
    };
    EXPECT_EQ(replayed(), 6);
    for (Plan& plan : fake.plans[FakeDnn::convolution]) plan.starts = false;
    EXPECT_FALSE(conv()); // only the choice is dropped, not the recording made with it
    EXPECT_EQ(replayed(), 6);
    for (Plan& plan : fake.plans[FakeDnn::convolution]) plan.starts = true;
    start_anew(); // and is stored
    EXPECT_EQ(taken_by_conv(), Taken{0});
    EXPECT_EQ(built(), (Taken{1, 0, 0, 0}));
}

TEST_F(DnnGraph, AnEarlierChoiceIsTakenWhileRecording) {
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
        EXPECT_PRED2(holds, e.what(), "while it is recorded: ");
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
    // If no other plan runs, or the memory was there when they were tried, the caller gets the error.
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

TEST_F(DnnGraph, APlanTakenForLackOfMemoryIsNotKept) {
    fake.plans[FakeDnn::convolution] = {{.cost = 2}, {.cost = 1, .workspace = 5000}};
    most_workspace = 4999;
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{0});
    most_workspace = 5000;
    start_anew();
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{1});
}

TEST_F(DnnGraph, APlanThatFailedWhileMemoryWasMissingIsTriedAgain) {
    fake.plans[FakeDnn::convolution] = {{.starts = false}, {.workspace = 5000}};
    most_workspace = 4999;
    EXPECT_THROW(conv(), Error);
    fake.plans[FakeDnn::convolution][0].starts = true;
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{0});
}

TEST_F(DnnGraph, WithEnoughReadyPlansNoneIsCompiled) {
    std::vector<Plan> plans{{.cost = 9, .compiled = true}, {.cost = 8}, {.cost = 7}, {.cost = 6}, {.cost = 5}};
    plans.push_back({.cost = 1, .compiled = true});
    plans.push_back({.cost = 4});
    fake.plans[FakeDnn::convolution] = fake.plans[FakeDnn::unified_attention] = plans;
    fake.plans[FakeDnn::composite_attention] = {{.builds = false}};
    EXPECT_TRUE(conv());
    EXPECT_EQ(built(), (Taken{1, 1, 1, 1, 1, 0, 1}));
    EXPECT_EQ(taken_by_conv(), Taken{6});
    EXPECT_TRUE(attention()); // it takes most of a step, so all are tried
    EXPECT_EQ(taken([&] { return attention(); }, FakeDnn::unified_attention), Taken{5});
}

TEST_F(DnnGraph, OnlyAFewAreTriedUnlessNoneOfThemRuns) {
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
        plans[0].cost = 2; // it was measured on a card that had not raised its clocks yet
    };
    EXPECT_TRUE(conv());
    EXPECT_EQ(taken_by_conv(), Taken{0});
}

TEST_F(DnnGraph, UnalignedTensorsAreNotPassedToTheLibrary) {
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

// SPDX-License-Identifier: Apache-2.0
// Which of the library's two ways of attention is gone.
#include "tests/engine/backend/cuda/libraries/dnn_fixture.h"

namespace denoir::test {
namespace {

TEST_F(DnnGraph, AttentionGoesTheFasterOfTwoWays) {
    const auto unified = FakeDnn::unified_attention, composite = FakeDnn::composite_attention;
    const auto call = [&] { return attention(); };
    fake.plans[unified] = {{.cost = 5}, {.cost = 4}};
    fake.plans[composite] = {{.cost = 6}, {.cost = 3, .workspace = 200 * mebibyte, .compiled = true}};
    EXPECT_TRUE(attention());
    EXPECT_EQ(taken(call, unified), Taken{});
    EXPECT_EQ(taken(call, composite), Taken{1});
    // After an earlier measurement only the plan of the faster way is made.
    start_anew();
    EXPECT_EQ(taken(call, composite), Taken{1});
    EXPECT_EQ(built(unified), (Taken{0, 0}));
    EXPECT_EQ(built(composite), (Taken{0, 1}));
    // A block that sees fewer keys goes the same way as the one that sees all.
    EXPECT_TRUE(attention(attention_of(8000, 4000, 8000)));
    EXPECT_EQ(started(unified), (Taken{0, 0}));
    // The faster way does not run any more.
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
        for (const std::int64_t tokens : {8000, 100}) { // long enough to be timed, and not
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

TEST_F(DnnGraph, WhereNoneCanBeBuiltNoneIsTriedInLaterSessions) {
    const auto unified = FakeDnn::unified_attention, composite = FakeDnn::composite_attention;
    for (const std::int64_t tokens : {8000, 100}) // long enough to be timed, and not
        for (const auto& [there, missing] : {std::pair{unified, composite}, {composite, unified}}) {
            const auto call = [&] { return attention(attention_of(tokens, tokens, tokens)); };
            fake.plans[there] = {{.cost = 2}};
            fake.plans[missing] = {{.builds = false}, {.workspace = 257 * mebibyte}, {.builds = false}};
            start_from_nothing();
            EXPECT_TRUE(call());
            start_anew();
            EXPECT_EQ(taken(call, there), Taken{0});
            EXPECT_EQ(built(missing), (Taken{0, 0, 0}));
            EXPECT_PRED2(holds, lines.back(), tokens == 100 && there == unified ? "" : "before");
            fake.plans[missing].push_back({.cost = 1}); // as in another version of the library
            start_anew();
            EXPECT_TRUE(call());
            if (there == composite || tokens == 8000) {
                EXPECT_EQ(taken(call, missing), Taken{3});
            }
        }
    fake.plans[FakeDnn::convolution] = {{.builds = false}};
    EXPECT_FALSE(conv());
    start_anew();
    EXPECT_FALSE(conv());
    EXPECT_EQ(built(), Taken{0});
}

TEST_F(DnnGraph, WhatMayBeMendedIsTriedInTheNextSession) {
    fake.plans[FakeDnn::unified_attention] = {{.cost = 2}};
    std::vector<Plan>& plans = fake.plans[FakeDnn::composite_attention];
    const auto failing_once = [&](const Plan& failing, const std::function<void()>& first) {
        plans = {{.builds = false}, failing};
        start_from_nothing();
        first();
        runtime->free = std::size_t{1} << 30;
        plans[1] = {.cost = 1};
        start_anew();
        EXPECT_TRUE(attention());
        EXPECT_EQ(taken([&] { return attention(); }, FakeDnn::composite_attention), Taken{1});
    };
    const auto call = [&] { EXPECT_TRUE(attention()); };
    const auto recorded = [&] { runtime->record(call); };
    failing_once({.builds = false, .fails_with = CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING}, call);
    failing_once({.builds = false, .fails_with = CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED}, call);
    failing_once({.starts = false}, call);
    failing_once({.builds = false}, recorded);
    runtime->free = 60 * mebibyte; // a full card says nothing about the plan
    failing_once({.builds = false}, call);
}

TEST_F(DnnGraph, AttentionGoesTheWayThatHasMemoryToWorkIn) {
    for (const std::int64_t tokens : {8000, 100}) // long enough to be timed, and not
        for (const auto& [there, missing] : {std::pair{FakeDnn::unified_attention, FakeDnn::composite_attention},
                                             {FakeDnn::composite_attention, FakeDnn::unified_attention}}) {
            const auto call = [&] { return attention(attention_of(tokens, tokens, tokens)); };
            fake.plans[missing] = {{.cost = 2, .workspace = 5000}, {.cost = 1, .workspace = 5001}};
            fake.plans[there] = {{.cost = 3, .workspace = 3000}};
            most_workspace = 4000;
            start_from_nothing();
            EXPECT_TRUE(call());
            const std::vector<int> tried = built(missing);
            EXPECT_EQ(taken(call, there), Taken{0});
            EXPECT_EQ(built(missing), tried); // and is not looked for again
            most_workspace = 2999;
            try {
                call();
                ADD_FAILURE() << "ran";
            } catch (const Error& e) {
                EXPECT_EQ(e.field(), "memory");
            }
            // At the next start neither way has enough memory; then the one that has enough cannot be built; then both
            // have enough.
            start_anew();
            EXPECT_THROW(call(), Error);
            most_workspace = 4000;
            fake.plans[there][0].builds = false;
            start_anew();
            EXPECT_THROW(call(), Error);
            most_workspace = 6000;
            fake.plans[there][0].builds = true;
            start_from_nothing();
            EXPECT_TRUE(call());
            if (tokens == 8000) {
                EXPECT_EQ(taken(call, missing), Taken{1});
                most_workspace = 4000; // a way that runs is kept, so that the same request gives the same bytes
                EXPECT_THROW(call(), Error);
            }
            most_workspace = 4000;
            start_anew(); // the earlier choice has not run since this start
            EXPECT_TRUE(call());
            EXPECT_EQ(taken(call, there), Taken{0});
        }
}

TEST_F(DnnGraph, AttentionThatWasRecordedFirstGoesTheFasterWayLater) {
    fake.plans[FakeDnn::unified_attention] = {{.cost = 5}, {.cost = 4}};
    fake.plans[FakeDnn::composite_attention] = {{.cost = 6}, {.cost = 3}};
    start_anew();
    auto graph = runtime->record([&] { EXPECT_TRUE(attention()); });
    EXPECT_TRUE(attention());
    EXPECT_EQ(taken([&] { return attention(); }, FakeDnn::composite_attention), Taken{1});
    fake.spent = 0;
    runtime->replay(*graph);
    runtime->wait();
    EXPECT_EQ(fake.spent, 5);
}

TEST_F(DnnGraph, AWayThatFailedWhileItWasRecordedIsTriedLater) {
    for (const auto& [there, missing] : {std::pair{FakeDnn::unified_attention, FakeDnn::composite_attention},
                                         {FakeDnn::composite_attention, FakeDnn::unified_attention}}) {
        fake.plans[there] = {{.cost = 2}};
        fake.plans[missing] = {{.cost = 1, .builds = false}};
        start_from_nothing();
        lines.clear();
        runtime->record([&] {
            for (int layer = 0; layer < 3; ++layer) EXPECT_TRUE(attention());
        });
        EXPECT_EQ(built(missing), Taken{1});
        EXPECT_LE(lines.size(), 1u); // the message that it cannot be built
        fake.plans[missing][0].builds = true;
        EXPECT_TRUE(attention());
        EXPECT_EQ(taken([&] { return attention(); }, missing), Taken{0});
    }
    // If no way could be recorded, the plain kernels are not chosen for good either.
    fake.plans[FakeDnn::convolution] = {{.builds = false}};
    start_from_nothing();
    runtime->record([&] { EXPECT_FALSE(conv()); });
    fake.plans[FakeDnn::convolution][0].builds = true;
    EXPECT_TRUE(conv());
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

} // namespace
} // namespace denoir::test

// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/staging.h"

#include <gtest/gtest.h>

#include <atomic>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/fake_runtime.h"
#include "engine/core/error.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

using Queue = cuda::Runtime::Queue;

/// The parameter says whether the card puts off its kernels or its transfers.
struct Staging : testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(PutOff, Staging, testing::Bool());

struct Staged {
    std::shared_ptr<cuda::FakeRuntime> runtime =
        std::make_shared<cuda::FakeRuntime>(std::size_t{1} << 20, Staging::GetParam());
    ThreadPool pool{2};
    Arena pinned;
    cuda::Staging staging;
    explicit Staged(cuda::Staging::Sizes sizes, Fit fit = Fit::own_class)
        : pinned(nullptr, cuda::pinned_memory(runtime), 0, fit), staging(*runtime, pool, pinned, sizes) {}

    /// What is in the card's memory after rows of these bytes were sent there.
    std::vector<std::byte> bring(const Tensor& rows, Queue queue) {
        const std::size_t bytes = rows.bytes(), row_bytes = bytes / static_cast<std::size_t>(rows.size(0));
        std::byte* const device = runtime->allocate(bytes);
        const auto read = [&](std::int64_t begin, std::int64_t end, std::byte* to) {
            std::memcpy(to, rows.raw() + static_cast<std::size_t>(begin) * row_bytes,
                        static_cast<std::size_t>(end - begin) * row_bytes);
        };
        staging.copy(device, rows.size(0), row_bytes, read, queue);
        if (queue == Queue::transfer) runtime->order(Queue::transfer, Queue::compute);
        std::vector<std::byte> found(bytes);
        runtime->to_host(found.data(), device, bytes);
        runtime->release(device);
        return found;
    }
};

std::vector<std::byte> raw_bytes(const Tensor& host) { return {host.raw(), host.raw() + host.bytes()}; }

TEST_P(Staging, EveryByteArrivesWhateverThePieces) {
    const Tensor rows = host({37, 5}, 1), one_row = host({1, 400}, 2);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{20}, std::size_t{50}, std::size_t{1000}})
        for (const std::size_t most : {1u, 2u, 4u})
            for (const Queue queue : {Queue::compute, Queue::transfer}) {
                Staged card({piece, most});
                for (int i = 0; i < 3; ++i) {
                    EXPECT_EQ(card.bring(rows, queue), raw_bytes(rows)) << piece << " " << most;
                    EXPECT_EQ(card.bring(one_row, queue), raw_bytes(one_row)) << piece << " " << most;
                }
                EXPECT_EQ(card.runtime->pageable_bytes(), 0u);
                EXPECT_LE(card.runtime->pinned_blocks(), most);
            }
}

TEST_P(Staging, WithoutPinnedMemoryItIsSlower) {
    const Tensor rows = host({37, 5}, 1);
    for (int n = 1; n <= 8; ++n) { // the number of pieces
        Staged card({100, 4}, Fit::apart);
        card.runtime->refuse_pinned(n);
        EXPECT_EQ(card.bring(rows, Queue::transfer), raw_bytes(rows)) << n;
        EXPECT_EQ(card.runtime->pageable_bytes(), rows.bytes() - static_cast<std::size_t>(n - 1) * 100);
    }
}

TEST_P(Staging, GoesOnAfterARowThatCouldNotBeRead) {
    const Tensor rows = host({37, 5}, 1);
    Staged card({100, 2});
    std::byte* const device = card.runtime->allocate(rows.bytes());
    const auto fails = [](std::int64_t begin, std::int64_t, std::byte*) {
        if (begin >= 20) throw Error("file", "field", "message", "hint");
    };
    EXPECT_THROW(card.staging.copy(device, 37, 20, fails, Queue::compute), Error);
    std::stop_source stop;
    card.pool.set_stop(stop.get_token());
    stop.request_stop();
    EXPECT_THROW(card.bring(rows, Queue::compute), Cancelled);
    card.pool.set_stop({});
    EXPECT_EQ(card.bring(rows, Queue::compute), raw_bytes(rows));
    card.staging.let_go();
    EXPECT_FALSE(card.staging.busy());
    card.pinned.trim();
    EXPECT_EQ(card.runtime->pinned_blocks(), 0u);
}

TEST_P(Staging, NothingIsNoWork) {
    Staged card({100, 2});
    const auto never = [](std::int64_t, std::int64_t, std::byte*) { FAIL(); };
    card.staging.copy(nullptr, 0, 20, never, Queue::compute);
    card.staging.copy(nullptr, 20, 0, never, Queue::compute);
    EXPECT_FALSE(card.staging.busy());
}

} // namespace
} // namespace denoir::test

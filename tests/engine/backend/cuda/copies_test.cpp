// SPDX-License-Identifier: Apache-2.0
// Copies to and from the host beside the card's work.
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

class Copies : public testing::TestWithParam<bool> {
protected:
    /// The parameter says whether the card puts off its kernels or its transfers.
    static Emulated card() { return Emulated(std::size_t{1} << 30, cuda::EightBit::off, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(PutOff, Copies, testing::Bool());

TEST_P(Copies, ADownloadIsThereOnceItIsFinished) {
    const Emulated device = card();
    Backend& backend = *device.backend;
    std::vector<Tensor> on_their_way;
    for (std::uint64_t i = 0; i < 20; ++i) {
        Tensor x = backend.upload(host({30, 7}, i)); // goes back to the arena while the copy still waits
        on_their_way.push_back(backend.download_later(i % 2 ? x : x.slice(1, 2, 5)));
    }
    for (std::uint64_t i = 0; i < 20; ++i) {
        backend.finish(on_their_way[i]);
        const Tensor expected = i % 2 ? host({30, 7}, i) : host({30, 7}, i).slice(1, 2, 5);
        EXPECT_EQ(doubles(on_their_way[i]), doubles(expected.to_host_f32())) << i;
    }
    EXPECT_EQ(device.runtime->pinned_blocks(), 1u); // the arena's, used again and again
    on_their_way.clear();
    backend.trim();
    EXPECT_EQ(device.runtime->pinned_blocks(), 0u);
}

TEST_P(Copies, ADownloadThatNobodyFinishes) {
    Tensor kept;
    {
        const Emulated device = card();
        kept = device.backend->download_later(device.backend->upload(host({100}, 1)));
    }
    EXPECT_EQ(kept.shape(), (Shape{100})); // its memory outlives the backend
}

TEST_P(Copies, CancelledWhileOneWaits) {
    const Emulated device = card();
    Backend& backend = *device.backend;
    const Tensor x = backend.upload(host({100}, 1)), first = backend.download_later(x);
    std::stop_source stop;
    backend.set_stop(stop.get_token());
    stop.request_stop();
    EXPECT_THROW(backend.download_later(x), Cancelled);
    backend.set_stop({});
    const Tensor second = backend.download_later(x);
    backend.finish(second);
    EXPECT_EQ(doubles(second), doubles(host({100}, 1)));
    EXPECT_EQ(doubles(first), doubles(second)); // it was asked for before the stop
}

TEST_P(Copies, WithoutPinnedMemoryTheyWaitInstead) {
    const Emulated device = card();
    device.runtime->refuse_pinned();
    const Tensor x = device.backend->upload(host({50, 3}, 4).slice(1, 0, 2));
    const Tensor there = device.backend->download_later(x);
    device.backend->finish(there);
    EXPECT_EQ(doubles(there), doubles(host({50, 3}, 4).slice(1, 0, 2).to_host_f32()));
}

TEST_P(Copies, LargeTensorsGoInPieces) {
    constexpr std::int64_t count = (std::int64_t{100} << 20) / 4 + 3;
    const Tensor x = Tensor::host({count});
    for (std::int64_t i = 0; i < count; ++i) x.data<float>()[i] = static_cast<float>(i & 0xFFFFFF);
    for (const bool refused : {false, true}) {
        const Emulated device = card();
        if (refused) device.runtime->refuse_pinned();
        const Tensor there = device.backend->download(device.backend->upload(x));
        EXPECT_EQ(std::memcmp(there.raw(), x.raw(), x.bytes()), 0) << refused;
        EXPECT_EQ(device.runtime->pinned_blocks(), refused ? 0u : 4u);
    }
    const Emulated device = card();
    std::stop_source stop;
    device.backend->set_stop(stop.get_token());
    stop.request_stop();
    EXPECT_THROW(device.backend->upload(x), Cancelled);
    device.backend->set_stop({});
    EXPECT_EQ(doubles(device.backend->upload(x.slice(0, 0, 7))), doubles(x.slice(0, 0, 7).to_host_f32()));
}

TEST(ProcessorCopies, ThereIsNothingToWaitFor) {
    const auto backend = open_backend({});
    const Tensor there = backend->download_later(backend->upload(host({9}, 1)));
    backend->finish(there);
    EXPECT_EQ(doubles(there), doubles(host({9}, 1)));
}

} // namespace
} // namespace denoir::test

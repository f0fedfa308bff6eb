// SPDX-License-Identifier: Apache-2.0
// Kernels recorded once and repeated.
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

using cuda::FakeRuntime;
using cuda::Runtime;

struct Network {
    Weight first{"first", host({48, 32}, 1)}, second{"second", host({32, 48}, 2)};
    int runs = 0;
    Backend::Body body(Backend& backend) {
        return [&](std::span<const Tensor> in) {
            ++runs;
            Tensor wide = backend.empty({20, 48}, DType::f32), out = backend.empty({20, 32}, DType::f32);
            backend.linear(in[0], first, nullptr, {Activation::silu, DType::f32}, wide);
            backend.linear(wide, second, nullptr, {}, out);
            if (in[1]) backend.add(out, in[1], out);
            return out;
        };
    }
};

TEST(Recording, RepeatsOnOtherInputs) {
    const Emulated device;
    Backend& backend = *device.backend;
    Network network, eager;
    for (std::uint64_t i = 0; i < 5; ++i) {
        const std::vector<Tensor> in = {backend.upload(host({20, 32}, 10 + i)), backend.upload(host({20, 32}, 20 + i))};
        const Tensor expected = eager.body(backend)(in);
        EXPECT_EQ(doubles(backend.captured("net", in, network.body(backend))), doubles(expected)) << i;
    }
    EXPECT_EQ(network.runs, 2); // once as it is, and once to be recorded
    EXPECT_EQ(device.runtime->replays(), 4);
}

/// More inputs than one kernel copies, of all sizes, some of which are not aligned or not a whole number of packs.
TEST(Recording, TakesInHundredsOfInputs) {
    const Emulated device;
    Backend& backend = *device.backend;
    constexpr std::int64_t count = 230;
    const auto shape = [](std::int64_t i) { return Shape{i % 11 == 0 ? 17000 + i : 4 * (1 + i % 7) + i % 3}; };
    const auto body = [&](std::span<const Tensor> in) {
        Tensor out = backend.empty({count}, DType::f32);
        for (std::int64_t i = 0; i < count; ++i) { // changes the last value of each
            const Tensor& x = in[static_cast<std::size_t>(i)];
            Tensor place = out.slice(0, i, i + 1);
            if (x)
                backend.copy(x.slice(0, x.size(0) - 1, x.size(0)), place);
            else
                backend.fill(place, -1.0f);
        }
        return out;
    };
    for (std::uint64_t call = 0; call < 4; ++call) {
        std::vector<Tensor> in;
        std::vector<double> expected;
        for (std::int64_t i = 0; i < count; ++i) {
            if (i % 50 == 3) {
                in.emplace_back();
                expected.push_back(-1);
                continue;
            }
            const Tensor values = host(shape(i), 1000 * call + static_cast<std::uint64_t>(i));
            // The input begins one value behind another tensor and is not aligned.
            Tensor longer = backend.empty({shape(i)[0] + 1}, DType::f32);
            Tensor there = i % 5 == 0 ? longer.slice(0, 1, longer.size(0)) : backend.empty(values.shape(), DType::f32);
            backend.copy(values, there);
            in.push_back(there);
            expected.push_back(static_cast<double>(values.data<float>()[values.elements() - 1]));
        }
        EXPECT_EQ(doubles(backend.captured("many", in, body)), expected) << call;
    }
    EXPECT_EQ(device.runtime->replays(), 3);
}

TEST(Recording, StretchesAreCopiedWholeAndNothingBesideThem) {
    FakeRuntime device;
    constexpr std::size_t bytes = 100000;
    std::vector<std::byte> from(bytes), to(bytes), expected(bytes);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 7 + i / 256), to[i] = std::byte{0xAB};
    expected = to;
    std::byte *const a = device.allocate(bytes), *const b = device.allocate(bytes);
    device.to_device(a, from.data(), bytes, Runtime::Queue::compute);
    device.to_device(b, to.data(), bytes, Runtime::Queue::compute);
    cuda::Stretches all;
    std::size_t at = 0;
    for (const std::size_t size : {16, 0, 16 * 1024, 16 * 1024 + 16, 48, 16 * 4096, 32}) {
        EXPECT_TRUE(all.add(b + at, a + at, size));
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), size,
                    expected.begin() + static_cast<std::ptrdiff_t>(at));
        at += size + 16;
    }
    ASSERT_LE(at, bytes);
    EXPECT_FALSE(all.add(b + 8, a, 16));
    EXPECT_FALSE(all.add(b, a + 4, 16));
    EXPECT_FALSE(all.add(b, a, 15));
    cuda::copy_all(device, all);
    device.to_host(to.data(), b, bytes);
    EXPECT_EQ(to, expected);
    while (all.count < cuda::Stretches::most) EXPECT_TRUE(all.add(b, a, 16));
    EXPECT_FALSE(all.add(b, a, 16));
    device.release(a);
    device.release(b);
}

TEST(Recording, PlannedRoomIsTakenInOnePieceAndGivenBack) {
    const Emulated device;
    Backend& backend = *device.backend;
    Network network;
    constexpr std::size_t room = std::size_t{100} << 20;
    const std::vector<Tensor> in = {backend.upload(host({20, 32}, 1)), Tensor()};
    EXPECT_EQ(backend.plan_memory({1 << 20, 1 << 20, room}), "");
    backend.captured("net", in, network.body(backend));
    EXPECT_GE(backend.memory().held, room);
    backend.captured("net", in, network.body(backend)); // is recorded and has memory of its own
    EXPECT_LT(backend.memory().held, room);
}

TEST(Recording, TakesTheMemoryOfTheCallBefore) {
    const Emulated device;
    Backend& backend = *device.backend;
    Network network;
    constexpr std::size_t room = std::size_t{100} << 20;
    EXPECT_EQ(backend.plan_memory({1 << 20, 1 << 20, room}), "");
    Tensor in_the_room;
    const auto large = [&](std::span<const Tensor> in) {
        const Tensor held = backend.empty({room / 8}, DType::f32);
        // Keeps the room from being given back as a whole.
        if (!in_the_room) in_the_room = backend.empty({64}, DType::f32);
        return network.body(backend)(in);
    };
    const std::vector<Tensor> in = {backend.upload(host({20, 32}, 1)), Tensor()};
    const std::vector<double> first = doubles(backend.captured("net", in, large));
    const std::size_t held = backend.memory().held;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(doubles(backend.captured("net", in, large)), first);
    EXPECT_EQ(device.runtime->replays(), 3);
    EXPECT_LT(backend.memory().held, held + room / 8);
}

TEST(Recording, TwoShareTheirMemoryAndKeepTheirResults) {
    const Emulated device;
    Backend& backend = *device.backend;
    Network a, b;
    std::vector<std::vector<double>> results;
    for (int i = 0; i < 4; ++i) {
        const std::vector<Tensor> in = {backend.upload(host({20, 32}, 7)), Tensor()};
        const std::vector<Tensor> other = {backend.upload(host({20, 32}, 8)), backend.upload(host({20, 32}, 9))};
        const Tensor first = backend.captured("a", in, a.body(backend)),
                     second = backend.captured("b", other, b.body(backend));
        results.push_back(doubles(first));
        results.push_back(doubles(second));
        EXPECT_EQ(results[0], doubles(first)) << i;
        EXPECT_EQ(results[1], doubles(second)) << i;
    }
    const std::size_t before = device.runtime->used();
    backend.trim();
    EXPECT_LT(device.runtime->used(), before);
}

TEST(Recording, ABodyThatCannotBeRecordedRunsAsItIs) {
    const Emulated device;
    Backend& backend = *device.backend;
    int runs = 0;
    for (int i = 0; i < 3; ++i) {
        const std::vector<Tensor> in = {backend.upload(host({4, 4}, 1))};
        const Tensor out = backend.captured("uploads", in, [&](std::span<const Tensor> x) {
            ++runs;
            Tensor sum = backend.empty({4, 4}, DType::f32);
            backend.add(x[0], backend.upload(host({4, 4}, 2)), sum);
            return sum;
        });
        std::vector<double> expected = doubles(host({4, 4}, 1));
        const std::vector<double> other = doubles(host({4, 4}, 2));
        for (std::size_t k = 0; k < expected.size(); ++k)
            expected[k] = static_cast<double>(static_cast<float>(expected[k]) + static_cast<float>(other[k]));
        EXPECT_EQ(doubles(out), expected);
    }
    EXPECT_EQ(runs, 4); // the third is a recording that fails
    EXPECT_EQ(device.runtime->replays(), 0);
}

TEST(Recording, NothingIsWaitedForMeanwhile) {
    FakeRuntime device;
    const int mark = device.make_mark();
    const auto records = [&](const std::function<void()>& work) { return device.record(work) != nullptr; };
    EXPECT_TRUE(records([] {}));
    for (const std::function<void()>& refused :
         {std::function<void()>([&] { device.wait(); }), std::function<void()>([&] { device.idle(); }),
          std::function<void()>([&] { device.time([] {}); }),
          std::function<void()>([&] { device.mark(mark, Runtime::Queue::compute); }),
          std::function<void()>([&] { device.await(mark, Runtime::Queue::compute); }),
          std::function<void()>([&] { device.order(Runtime::Queue::transfer, Runtime::Queue::compute); })}) {
        EXPECT_THROW(device.record(refused), Error);
        EXPECT_FALSE(device.recording());
        EXPECT_NO_THROW(refused());
    }
}

TEST(Recording, CancelledWhileItIsMade) {
    const Emulated device;
    Backend& backend = *device.backend;
    Network network;
    const std::vector<Tensor> in = {backend.upload(host({20, 32}, 1)), Tensor()};
    const std::vector<double> expected = doubles(backend.captured("net", in, network.body(backend)));
    std::stop_source stop;
    backend.set_stop(stop.get_token());
    EXPECT_THROW(backend.captured("net", in,
                                  [&](std::span<const Tensor> x) {
                                      stop.request_stop();
                                      return network.body(backend)(x);
                                  }),
                 Cancelled);
    backend.set_stop({});
    EXPECT_EQ(doubles(backend.captured("net", in, network.body(backend))), expected);
    EXPECT_EQ(device.runtime->replays(), 1);
}

TEST(Recording, AFirstCallThatFailsIsNotTheOneBeforeTheRecording) {
    const Emulated device;
    Backend& backend = *device.backend;
    Network network;
    const std::vector<Tensor> in = {backend.upload(host({20, 32}, 1)), Tensor()};
    EXPECT_THROW(backend.captured("net", in, [](std::span<const Tensor>) -> Tensor { throw Error("", "f", "m", "h"); }),
                 Error);
    const std::vector<double> first = doubles(backend.captured("net", in, network.body(backend)));
    EXPECT_EQ(device.runtime->replays(), 0); // its weights come only now
    EXPECT_EQ(doubles(backend.captured("net", in, network.body(backend))), first);
    EXPECT_EQ(device.runtime->replays(), 1);
}

TEST(Recording, TheDefaultRunsTheBody) {
    const auto backend = open_backend({});
    int runs = 0;
    const Tensor x = backend->upload(host({3}, 1));
    for (int i = 0; i < 3; ++i)
        backend->captured("k", {&x, 1}, [&](std::span<const Tensor> in) {
            ++runs;
            return in[0];
        });
    EXPECT_EQ(runs, 3);
}

} // namespace
} // namespace denoir::test

// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ctime>
#include <thread>

#include "engine/backend/cpu/kernels.h"
#include "engine/core/error.h"
#include "kernel_test.h"
#include "tests/engine/sanitized.h"

namespace denoir::test {
namespace {

TEST(Device, Names) {
    EXPECT_EQ(Device::parse("cpu"), Device{});
    EXPECT_EQ(Device::parse("cuda"), (Device{Device::Kind::cuda, 0}));
    EXPECT_EQ(Device::parse("cuda:12").name(), "cuda:12");
    for (const char* wrong : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda: 1", "cuda:99999999999", "CPU"})
        EXPECT_THROW(Device::parse(wrong), UsageError) << wrong;
}

TEST(OpenBackend, SaysWhyThereIsNoCuda) {
    try {
        open_backend(Device::parse("cuda:99"));
        FAIL();
    } catch (const Error& error) {
        // The module, the driver or the card is missing. Whichever it is on this machine, one line says what to do.
        EXPECT_EQ(error.field(), "device");
        EXPECT_FALSE(error.hint().empty());
        EXPECT_LE(std::string(error.what()).size(), 360u);
    }
    EXPECT_THROW(open_backend({}, -1), UsageError);
    EXPECT_EQ(open_backend({}, 3)->threads(), 3);
}

// The VAE asks for it. In a build without oneDNN, or with oneDNN switched off, our own loops use the processor's units.
TEST(OpenBackend, TheProcessorsUnitsForBf16AreUsedWithoutALibrary) {
    if (!cpu::kernels().gemm_bf16) GTEST_SKIP() << "not on this processor";
    EXPECT_TRUE(open_backend({})->fast_bf16());
}

TEST(Parameter, IsWidenedScaledAndKept) {
    const auto backend = open_backend({});
    Weight w("w", host({2, 5}, 1, DType::f16));
    w.scale = Tensor::from(std::vector<float>{2.0f}, {1});
    const Tensor first = backend->parameter(w, false);
    std::vector<double> expected = doubles(w.stored());
    for (double& v : expected) v *= 2;
    expect_near(first, expected, 0);
    EXPECT_EQ(first.shape(), w.shape());
    EXPECT_EQ(backend->parameter(w, false).raw(), first.raw());
    expect_near(backend->parameter(w, true), rounded(expected), 0);
    EXPECT_EQ(backend->parameter(Weight("s", Tensor::from(std::vector<float>{3.0f}, {})), false).data<float>()[0],
              3.0f);
}

TEST(Gather, Rows) {
    for (const DType stored : {DType::f32, DType::bf16, DType::q8_0})
        for (const DType out : {DType::f32, DType::bf16}) {
            const Weight table("t", host({20, 64}, 1, stored));
            const std::vector<std::int64_t> ids = {19, 0, 7, 7};
            std::vector<double> all = doubles(table.stored()), expected;
            for (const std::int64_t id : ids)
                expected.insert(expected.end(), all.begin() + id * 64, all.begin() + (id + 1) * 64);
            const Tensor found = same_on_any_threads([&](Backend& backend) {
                Tensor result = backend.empty({4, 64}, out);
                backend.gather(table, ids, result);
                return result;
            });
            expect_near(found, expected, out == DType::bf16 ? bf16_tolerance : 0);
        }
}

/// The kernels that a step of a transformer needs, on small tensors.
void step(Backend& backend, const Tensor& x, const Weight& w, const Weight& kernel) {
    Tensor a = backend.empty(x.shape(), DType::f32), b = backend.empty(x.shape(), DType::bf16);
    backend.layer_norm(x, nullptr, nullptr, 1e-6f, a);
    backend.linear(a, w, nullptr, {}, b);
    const Tensor heads = b.split(1, 16);
    Tensor c = backend.empty(heads.shape(), DType::bf16);
    backend.attention(heads, heads, heads, {}, c);
    const Tensor frame = a.reshape({10, 30, 64});
    Tensor out = backend.empty({1, 10, 30, 8}, DType::f32);
    backend.conv({&frame, 1}, kernel, nullptr, nullptr, {.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1},
                 out);
}

TEST(Memory, ARepeatedStepAsksTheSystemForNothing) {
    const auto backend = open_backend({}, 2);
    const Weight w("w", host({64, 64}, 2)), kernel("k", host({8, 64, 3, 3}, 3));
    const Tensor x = backend->upload(host({300, 64}, 1));
    step(*backend, x, w, kernel);
    const auto before = backend->memory();
    step(*backend, x, w, kernel);
    EXPECT_EQ(backend->memory().system_allocations, before.system_allocations);
    EXPECT_EQ(backend->memory().in_use, before.in_use);
    EXPECT_GT(before.peak, 0u);
    backend->trim();
    EXPECT_LE(backend->memory().held, before.held);
}

class Cancel : public testing::Test {
protected:
    /// Runs `kernel`, asks it to stop after 30 ms and returns how long it took to stop, in seconds of processor time so
    /// that other programs on the machine do not count.
    static double answer_time(Backend& backend, const std::function<void()>& kernel) {
        std::stop_source stop;
        backend.set_stop(stop.get_token());
        std::clock_t asked = 0;
        std::jthread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            asked = std::clock();
            stop.request_stop();
        });
        EXPECT_THROW(kernel(), Cancelled);
        const std::clock_t answered = std::clock();
        other.join();
        backend.set_stop({});
        return static_cast<double>(answered - asked) / CLOCKS_PER_SEC;
    }
};

TEST_F(Cancel, WithinATenthOfASecond) {
    const auto backend = open_backend({}, 1);
    const auto zeros = [&](const Shape& shape) {
        Tensor x = backend->empty(shape, DType::f32);
        backend->fill(x, 0.01f);
        return x;
    };
    const auto weight = [](const Shape& shape) { return Weight("w", Tensor::zeros(shape)); };
    constexpr double limit = sanitized ? 2 : 0.1;
    {
        const Tensor x = zeros({1000, 8960});
        const Weight w = weight({2048, 8960});
        Tensor out = zeros({1000, 2048});
        EXPECT_LT(answer_time(*backend, [&] { backend->linear(x, w, nullptr, {}, out); }), limit);
    }
    {
        const Tensor x = zeros({6000, 8, 128});
        Tensor out = zeros({6000, 8, 128});
        EXPECT_LT(answer_time(*backend, [&] { backend->attention(x, x, x, {}, out); }), limit);
    }
    {
        const Tensor frame = zeros({120, 416, 192});
        const Weight w = weight({192, 192, 3, 3, 3});
        const std::vector<Tensor> frames(6, frame);
        Tensor out = zeros({4, 120, 416, 192});
        EXPECT_LT(answer_time(*backend,
                              [&] {
                                  backend->conv(frames, w, nullptr, nullptr,
                                                {.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1}, out);
                              }),
                  limit);
    }
}

TEST_F(Cancel, ABackendCanBeUsedAfterwards) {
    const auto backend = open_backend({}, 2);
    std::stop_source stop;
    stop.request_stop();
    backend->set_stop(stop.get_token());
    Tensor x = backend->empty({4}, DType::f32);
    EXPECT_THROW(backend->fill(x, 1), Cancelled);
    backend->set_stop({});
    backend->fill(x, 1);
    EXPECT_EQ(x.data<float>()[3], 1.0f);
}

} // namespace
} // namespace denoir::test

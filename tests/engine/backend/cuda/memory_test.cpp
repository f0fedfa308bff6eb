// SPDX-License-Identifier: Apache-2.0
// The memory ladder, and what is left after memory ran out.
#include "engine/backend/cuda/memory_plan.h"
#include "engine/core/error.h"
#include "engine/core/memory.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

using cuda::MemoryPlan;
constexpr std::size_t mib = std::size_t{1} << 20;

TEST(MemoryPlan, TheRungsOfOneStage) {
    const MemoryNeeds needs{3000 * mib, 30 * mib, 1000 * mib};
    const MemoryPlan all = cuda::plan_memory(needs, 4500 * mib, 500 * mib);
    EXPECT_EQ(all.rung, MemoryPlan::Rung::resident);
    EXPECT_EQ(cuda::describe(all, needs), "");

    const MemoryPlan some = cuda::plan_memory(needs, 4499 * mib, 500 * mib);
    ASSERT_EQ(some.rung, MemoryPlan::Rung::streamed);
    EXPECT_LE(some.resident + some.ring + needs.activations + 500 * mib, 4499 * mib);
    EXPECT_GE(some.ring, 3 * needs.largest_weight);
    EXPECT_NE(cuda::describe(some, needs).find("stay on the card"), std::string::npos);

    const MemoryPlan none = cuda::plan_memory(needs, 1200 * mib, 500 * mib);
    ASSERT_EQ(none.rung, MemoryPlan::Rung::none);
    const MemoryPlan just = cuda::plan_memory(needs, 1200 * mib + none.missing, 500 * mib);
    EXPECT_EQ(just.rung, MemoryPlan::Rung::streamed);
    EXPECT_EQ(just.resident, 0u);
}

TEST(MemoryPlan, WeightsThatTheHostCannotHoldAreReadFromTheFile) {
    const MemoryNeeds needs{28'000 * mib, 140 * mib, 3000 * mib};
    const auto plan = [&](std::size_t host) { return cuda::plan_memory(needs, 16'000 * mib, 500 * mib, host); };
    const std::size_t elsewhere = needs.weights - plan(0).resident;
    EXPECT_EQ(plan(0).from_file, 0u); // the host's memory is not known
    EXPECT_EQ(plan(elsewhere + host_reserve).from_file, 0u);
    EXPECT_EQ(plan(elsewhere + host_reserve - mib).from_file, mib);
    EXPECT_EQ(plan(mib).from_file, elsewhere);
    EXPECT_EQ(cuda::describe(plan(elsewhere + host_reserve), needs).find("file"), std::string::npos);
    EXPECT_NE(cuda::describe(plan(mib), needs).find("from the file"), std::string::npos);
}

TEST(MemoryPlan, WeightsReadOnceOrTwiceDoNotFillTheCard) {
    MemoryNeeds needs{9000 * mib, 84 * mib, 300 * mib};
    EXPECT_EQ(cuda::plan_memory(needs, 80'000 * mib).rung, MemoryPlan::Rung::resident);
    needs.once = true;
    const MemoryPlan passing = cuda::plan_memory(needs, 80'000 * mib);
    ASSERT_EQ(passing.rung, MemoryPlan::Rung::passing);
    EXPECT_EQ(passing.resident, 0u);
    EXPECT_GE(passing.ring, 3 * needs.largest_weight);
    EXPECT_LE(passing.ring, 512 * mib);
    EXPECT_EQ(cuda::describe(passing, needs), ""); // of no interest to the user
    needs.weights = 1200 * mib;
    EXPECT_EQ(cuda::plan_memory(needs, 80'000 * mib).rung, MemoryPlan::Rung::resident);
}

TEST(MemoryPlan, NeverPlansMoreThanThereIs) {
    for (std::size_t free = 0; free < 6000; free += 37)
        for (const std::size_t activations : {0u, 700u, 5000u}) {
            const MemoryNeeds needs{2500 * mib, 90 * mib, activations * mib};
            const MemoryPlan plan = cuda::plan_memory(needs, free * mib, 100 * mib);
            if (plan.rung == MemoryPlan::Rung::none) continue;
            ASSERT_LE(plan.resident + plan.ring + needs.activations + 100 * mib, free * mib);
        }
}

struct Layer {
    Weight first{"first", host({96, 64}, 1)}, second{"second", host({64, 96}, 2)}, bias{"bias", host({96}, 3)};
    std::vector<double> run(Backend& backend) const {
        const Tensor x = backend.upload(host({40, 64}, 4));
        Tensor wide = backend.empty({40, 96}, DType::f32), out = backend.empty({40, 64}, DType::f32);
        backend.linear(x, first, &bias, {Activation::gelu_tanh, DType::f32}, wide);
        backend.linear(wide, second, nullptr, {}, out);
        backend.add(out, x, out);
        return doubles(out);
    }
};

TEST(OutOfMemory, EveryNthAllocationFailsAndTheBackendGoesOn) {
    const std::vector<double> expected = Layer().run(*Emulated().backend);
    for (int n = 1; n < 12; ++n) {
        const Emulated device;
        const Layer layer;
        device.backend->arena().fail_system_allocation(n);
        bool failed = false;
        try {
            layer.run(*device.backend);
        } catch (const Error& e) {
            failed = true;
            EXPECT_EQ(e.field(), "memory");
            EXPECT_NE(e.message().find("on the card"), std::string::npos) << e.what();
            EXPECT_FALSE(e.hint().empty());
        }
        device.backend->arena().fail_system_allocation(0);
        EXPECT_EQ(layer.run(*device.backend), expected) << n;
        EXPECT_TRUE(failed || n > 1);
    }
}

TEST(OutOfMemory, ACardThatIsFullSaysSo) {
    const Emulated device(4 * mib);
    try {
        device.backend->empty({64, 1 << 20}, DType::f32);
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("on the card"), std::string::npos) << e.what();
    }
    EXPECT_EQ(device.backend->memory().in_use, 0u);
    Tensor small = device.backend->empty({16}, DType::f32);
    device.backend->fill(small, 2.0f);
    EXPECT_EQ(doubles(small), std::vector<double>(16, 2.0));
}

TEST(OutOfMemory, WhatAnotherArenaHoldsUnusedIsGivenBack) {
    const Emulated device(16 * mib);
    const Weight weight("w", host({1536, 1024}, 1));     // a weight of 6 MiB
    device.backend->empty({12 * 1024, 1024}, DType::u8); // goes back to the arena at once, but not to the card
    EXPECT_GE(device.backend->memory().held, 12 * mib);
    const Tensor there = device.backend->parameter(weight, false);
    EXPECT_EQ(bytes_of(there), bytes_of(device.backend->upload(weight.stored())));
}

/// An emulated device whose options `set` may change.
Emulated with(const std::function<void(cuda::CudaBackend::Options&)>& set) {
    cuda::CudaBackend::Options options;
    set(options);
    return Emulated(std::size_t{1} << 30, cuda::EightBit::off, false, std::move(options));
}

TEST(Poisoned, EveryBlockStartsAsNaNUsedOnesToo) {
    const Emulated device = with([](auto& o) { o.poison = true; });
    Backend& backend = *device.backend;
    const auto all_nan = [&] {
        const std::vector<double> found = doubles(backend.empty({50}, DType::bf16));
        return std::all_of(found.begin(), found.end(), [](double v) { return std::isnan(v); });
    };
    EXPECT_TRUE(all_nan());
    for (int i = 0; i < 3; ++i) {
        Tensor used = backend.empty({50}, DType::bf16);
        backend.fill(used, 2.0f);
        used = {};
        EXPECT_TRUE(all_nan());
    }
    EXPECT_EQ(Layer().run(backend), Layer().run(*Emulated().backend));
}

TEST(Poisoned, ARecordingPoisonsAtEveryReplay) {
    const Emulated device = with([](auto& o) { o.poison = true; });
    Backend& backend = *device.backend;
    const Tensor x = backend.upload(host({4, 4}, 1));
    for (int i = 0; i < 4; ++i) {
        const Tensor out = backend.captured("half", {&x, 1}, [&](std::span<const Tensor> in) {
            Tensor two = backend.empty({2, 4, 4}, DType::f32), one = two.select(0, 0);
            backend.copy(in[0], one); // the other half of the memory is not written
            return two;
        });
        const std::vector<double> found = doubles(out);
        for (std::size_t k = 0; k < 16; ++k) EXPECT_FALSE(std::isnan(found[k])) << i;
        for (std::size_t k = 16; k < 32; ++k) EXPECT_TRUE(std::isnan(found[k])) << i;
    }
    EXPECT_EQ(device.runtime->replays(), 3);
}

TEST(Exact, EveryBlockIsTheCardsOwnAndGoesBackAtOnce) {
    const Emulated device = with([](auto& o) { o.exact = true; });
    Backend& backend = *device.backend;
    const std::size_t before = device.backend->memory().held;
    {
        const Tensor a = backend.empty({3}, DType::u8), b = backend.empty({5, 7}, DType::f32);
        EXPECT_EQ(device.backend->memory().held, before + 3 + 140);
    }
    EXPECT_EQ(device.backend->memory().held, before);
    EXPECT_EQ(backend.empty({0, 5}, DType::f32).elements(), 0);
    EXPECT_EQ(Layer().run(backend), Layer().run(*Emulated().backend));
    const Tensor x = backend.upload(host({4}, 1));
    for (int i = 0; i < 3; ++i)
        backend.captured("sum", {&x, 1}, [&](std::span<const Tensor> in) {
            Tensor out = backend.empty({4}, DType::f32);
            backend.add(in[0], in[0], out);
            return out;
        });
    EXPECT_EQ(device.runtime->replays(), 0);
}

TEST(Ladder, ALimitIsASmallerCard) {
    const Emulated device = with([](auto& o) { o.memory = 8 * mib; });
    Backend& backend = *device.backend;
    EXPECT_EQ(backend.free_memory(), 8 * mib);
    {
        const Tensor held = backend.empty({5, 1 << 20}, DType::u8);
        EXPECT_EQ(backend.free_memory(), 3 * mib);
        EXPECT_THROW(backend.empty({4, 1 << 20}, DType::u8), Error);
    }
    backend.trim();
    EXPECT_EQ(backend.free_memory(), 8 * mib);
    EXPECT_NE(backend.plan_memory({6 * mib, mib, 2 * mib + mib / 2}).find("MiB of weights stay"), std::string::npos);
    EXPECT_THROW(backend.plan_memory({60 * mib, 20 * mib, 4 * mib}), Error);
}

/// Six layers as they lie in their files, in f32 and in types that are widened.
struct Layers {
    std::vector<Weight> weights;
    Layers() {
        const DType types[] = {DType::f32, DType::f16, DType::bf16};
        for (std::uint64_t i = 0; i < 6; ++i)
            weights.emplace_back("w" + std::to_string(i), host({64, 64}, 10 + i, types[i % 3]));
    }
    std::vector<std::byte> run(Backend& backend) const {
        Tensor x = backend.upload(host({5, 64}, 3));
        for (const Weight& w : weights) {
            Tensor y = backend.empty({5, 64}, DType::f32);
            backend.linear(x, w, nullptr, {Activation::silu, DType::f32}, y);
            x = y;
        }
        return bytes_of(x);
    }
};
/// What a text encoder needs, of which these layers are a part.
constexpr MemoryNeeds read_once{3000 * mib, mib, mib, true};

TEST(Ladder, WeightsThatAreReadOnceComeThroughPinnedMemory) {
    const auto expected = Layers().run(*Emulated().backend);
    const Emulated device;
    EXPECT_EQ(device.backend->plan_memory(read_once), "");
    const Layers layers;
    for (int round = 0; round < 2; ++round) EXPECT_EQ(layers.run(*device.backend), expected) << round;
    EXPECT_EQ(device.runtime->pageable_bytes(), 0u);
    EXPECT_LE(device.backend->memory().held, 256 * mib);
    device.backend->plan_memory({});
    EXPECT_EQ(device.runtime->pinned_blocks(), 0u); // none of the pinned memory is kept
}

TEST(OutOfMemory, EveryNthPinnedAllocationFailsAndTheBytesAreTheSame) {
    const auto expected = Layers().run(*Emulated().backend);
    for (const MemoryNeeds& needs : {read_once, MemoryNeeds{3000 * mib, mib, mib}, MemoryNeeds{}})
        for (int n = 1; n < 8; ++n)
            for (const int last : {n, 1000}) {
                const Emulated device(8 * mib); // so small that all weights are streamed
                device.runtime->refuse_pinned(n, last);
                device.backend->plan_memory(needs);
                const Layers layers;
                for (int round = 0; round < 2; ++round) EXPECT_EQ(layers.run(*device.backend), expected) << n;
            }
}

TEST(Ladder, StreamedWeightsGiveTheSameBytes) {
    // Six layers of 1 MiB each, on a card with room for about two.
    std::vector<Weight> weights;
    for (std::uint64_t i = 0; i < 6; ++i) weights.emplace_back("w" + std::to_string(i), host({512, 512}, 10 + i));
    const auto run = [&](Backend& backend, const std::vector<Weight>& all) {
        Tensor x = backend.upload(host({5, 512}, 3));
        for (const Weight& w : all) {
            Tensor y = backend.empty({5, 512}, DType::f32);
            backend.linear(x, w, nullptr, {Activation::silu, DType::f32}, y);
            x = y;
        }
        return bytes_of(x);
    };
    const auto fresh = [&] {
        std::vector<Weight> all;
        for (const Weight& w : weights) all.emplace_back(w.name(), w.stored());
        return all;
    };
    const Emulated roomy;
    const auto plain = fresh();
    EXPECT_EQ(roomy.backend->plan_memory({6 * mib, mib, mib}), "");
    const auto expected = run(*roomy.backend, plain);

    const Emulated tight(8 * mib);
    const auto streamed = fresh();
    const std::string told = tight.backend->plan_memory({6 * mib, mib, 2 * mib + mib / 2});
    EXPECT_NE(told.find("MiB of weights stay"), std::string::npos) << told;
    for (int round = 0; round < 3; ++round) EXPECT_EQ(run(*tight.backend, streamed), expected) << round;
    EXPECT_LE(tight.runtime->used(), 8 * mib);

    // Needs that are too large for every rung are refused before anything is loaded.
    EXPECT_THROW(tight.backend->plan_memory({60 * mib, 20 * mib, 4 * mib}), Error);
    EXPECT_EQ(tight.backend->plan_memory({}), "");
    EXPECT_EQ(run(*tight.backend, std::vector<Weight>(streamed.begin(), streamed.begin() + 1)).size(), 5u * 512 * 4);
}

} // namespace
} // namespace denoir::test

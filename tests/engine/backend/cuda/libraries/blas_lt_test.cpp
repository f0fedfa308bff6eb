// SPDX-License-Identifier: Apache-2.0
// How blas_lt.cpp chooses among the ways that cuBLASLt knows, keeps its choice, and gives up.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/backend/cuda/kernels/eight_bit.h"
#include "engine/core/error.h"
#include "engine/core/tensor.h"
#include "tests/engine/backend/cuda/libraries/fake_blas.h"
#include "tests/engine/temp_folder.h"

namespace denoir::test {
namespace {

using Numbers = std::vector<std::size_t>;

/// A product A[4,K]·B[8,K]ᵀ of ones, on a device of its own.
class Products : public testing::Test {
protected:
    Products() {
        library_ = {};
        ::setenv("DENOIR_HOME", home_.path().c_str(), 1);
        open();
    }
    ~Products() override {
        blas_.reset();
        EXPECT_EQ(library_.misuse, std::vector<std::string>{});
        EXPECT_EQ(library_.alive, 0);
    }

    /// Opens the library again, as a new start of the program does.
    void open() {
        blas_.reset();
        std::string why;
        blas_ = open_fake_blas(runtime_, why);
        ASSERT_TRUE(blas_) << why;
        blas_->set_workspace(workspace_);
    }

    cuda::Product product(std::int64_t k = 128) {
        cuda::Product p;
        p.m = 4, p.n = 8, p.k = p.lda = p.ldb = k, p.ldc = 8;
        p.a = ones_, p.b = ones_, p.c = result_;
        return p;
    }
    /// The algorithms that were started for this product, by their numbers.
    Numbers started_by(const cuda::Product& p, bool done = true) {
        library_.started.clear();
        EXPECT_EQ(blas_->multiply(p), done);
        return library_.started;
    }
    template <class T> std::byte* on_device(const std::vector<T>& host) {
        const std::size_t bytes = host.size() * sizeof(T);
        std::byte* memory = runtime_.allocate(bytes);
        runtime_.to_device(memory, reinterpret_cast<const std::byte*>(host.data()), bytes,
                           cuda::Runtime::Queue::compute);
        return memory;
    }
    float result() {
        float value = 0;
        runtime_.to_host(reinterpret_cast<std::byte*>(&value), result_, sizeof value);
        return value;
    }

    FakeBlas& library_ = fake_blas();
    TimedByBlas runtime_{std::size_t{256} << 20};
    std::byte* workspace_ = runtime_.allocate(std::size_t{64} << 20);
    std::byte* result_ = runtime_.allocate(4096);
    std::byte* ones_ = on_device(std::vector<float>(8 * 1024, 1.0f));
    TempFolder home_;
    std::unique_ptr<cuda::Blas> blas_;
};

TEST_F(Products, TheFastestIsTakenAndTakenAgainAtTheNextStart) {
    library_.algorithms = {{.cost = 3}, {.cost = 1}, {.cost = 2}};
    const Numbers tried = started_by(product());
    EXPECT_EQ(tried.back(), 1u);
    for (const std::size_t number : {0, 1, 2}) EXPECT_GT(std::ranges::count(tried, number), 0) << number;
    EXPECT_EQ(result(), 128);
    EXPECT_EQ(started_by(product()), Numbers{1});
    open();
    library_.questions = 0;
    EXPECT_EQ(started_by(product()), Numbers{1});
    EXPECT_EQ(library_.questions, 0);
}

TEST_F(Products, SuggestionsThatIgnoreAPreferenceAreNotTaken) {
    for (const auto name : {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES}) {
        library_.unknown = {name};
        open();
        EXPECT_EQ(started_by(product(), false), Numbers{});
    }
    library_.unknown = {};
    open();
    EXPECT_EQ(started_by(product()).back(), 0u);
}

TEST_F(Products, AHardlyFasterAlgorithmDoesNotReplaceTheLibrarysFirst) {
    library_.algorithms = {{.cost = 1}, {.cost = 0.995f}};
    EXPECT_EQ(started_by(product()).back(), 0u);
}

TEST_F(Products, AMuchSlowerAlgorithmIsMeasuredOnce) {
    library_.algorithms = {{.cost = 10}, {.cost = 20}, {.cost = 10}};
    const Numbers tried = started_by(product());
    const auto times = [&](std::size_t number) { return std::ranges::count(tried, number); };
    EXPECT_LT(times(1), times(2));
}

TEST_F(Products, NoneIsBegunWhenMeasuringTookTooLong) {
    library_.algorithms = {{.cost = 400}, {.cost = 1}};
    EXPECT_EQ(std::ranges::count(started_by(product()), 1u), 0);
}

TEST_F(Products, AnAlgorithmThatDoesNotStartIsPassedOver) {
    library_.algorithms = {{.suggested = CUBLAS_STATUS_NOT_SUPPORTED},
                           {.starts = CUBLAS_STATUS_EXECUTION_FAILED},
                           {.cost = 5},
                           {.starts = CUBLAS_STATUS_NOT_SUPPORTED}};
    const Numbers tried = started_by(product());
    EXPECT_EQ(std::ranges::count(tried, 0u), 0);
    EXPECT_EQ(tried.back(), 2u);
    EXPECT_EQ(result(), 128);
}

TEST_F(Products, WhereNoneRunsTheLibraryIsNotAskedAgain) {
    library_.algorithms = {{.starts = CUBLAS_STATUS_EXECUTION_FAILED}};
    EXPECT_EQ(started_by(product(), false), Numbers{0});
    EXPECT_EQ(started_by(product(), false), Numbers{});
    EXPECT_EQ(library_.questions, 1);
    library_.algorithms = {};
    EXPECT_FALSE(blas_->multiply(product(256)));
}

TEST_F(Products, AChoiceThatTheLibraryNoLongerAcceptsIsMadeAnew) {
    library_.algorithms = {{.cost = 1}, {.cost = 2}};
    started_by(product());
    open();
    // This may happen with another version that has the same number.
    library_.algorithms[0].checked = CUBLAS_STATUS_NOT_SUPPORTED;
    library_.algorithms[0].starts = CUBLAS_STATUS_NOT_SUPPORTED;
    EXPECT_EQ(started_by(product()).back(), 1u);
    open();
    EXPECT_EQ(started_by(product()), Numbers{1});
    // The same for an algorithm that asks for more memory than before.
    open();
    library_.algorithms[1].workspace = std::size_t{65} << 20;
    library_.algorithms[0] = {};
    EXPECT_EQ(started_by(product()).back(), 0u);
}

TEST_F(Products, AChoiceThatFailsAfterItHasRunIsMadeAnew) {
    library_.algorithms = {{.cost = 1}, {.cost = 2}};
    started_by(product());
    library_.algorithms[0].starts = CUBLAS_STATUS_INTERNAL_ERROR;
    EXPECT_EQ(started_by(product()).back(), 1u);
    EXPECT_EQ(started_by(product()), Numbers{1});
}

TEST_F(Products, NothingIsTimedWhileRecording) {
    library_.algorithms = {{.cost = 2}, {.cost = 1}};
    const auto graph = runtime_.record([&] { EXPECT_EQ(started_by(product()), Numbers{0}); });
    EXPECT_EQ(library_.spent, 0);
    runtime_.replay(*graph);
    EXPECT_EQ(result(), 128);
    EXPECT_EQ(started_by(product()).back(), 1u); // that choice was not kept
    runtime_.record([&] { EXPECT_EQ(started_by(product()), Numbers{1}); });
}

TEST_F(Products, WhatCannotBeRecordedIsAnError) {
    library_.algorithms = {{.starts = CUBLAS_STATUS_NOT_SUPPORTED}};
    EXPECT_THROW(runtime_.record([&] { blas_->multiply(product()); }), Error);
}

TEST_F(Products, MissingMemoryIsAnErrorAndTheAlgorithmAsGoodAsItWas) {
    library_.algorithms = {{}};
    started_by(product());
    library_.algorithms[0].starts = CUBLAS_STATUS_ALLOC_FAILED;
    for (const std::int64_t k : {128, 256}) { // a product that is known and a new one
        try {
            blas_->multiply(product(k));
            ADD_FAILURE();
        } catch (const Error& e) {
            EXPECT_EQ(e.field(), "memory");
        }
    }
    library_.algorithms[0].starts = CUBLAS_STATUS_SUCCESS;
    library_.questions = 0;
    EXPECT_EQ(started_by(product()), Numbers{0});
    EXPECT_EQ(library_.questions, 0);
}

TEST_F(Products, SumsAreCutIntoPartsOnlyWhereTheyFit) {
    library_.algorithms = {{.cost = 2}, {.cost = 1, .splits_k = true}};
    EXPECT_EQ(started_by(product(256)).back(), 1u);
    EXPECT_EQ(result(), 256);
    EXPECT_EQ(started_by(product(260)).back(), 0u);
    EXPECT_EQ(result(), 260);
}

TEST_F(Products, WithoutAWorkspaceThoseThatNeedNoneAreUsed) {
    library_.algorithms = {{.cost = 1, .workspace = 1024}, {.cost = 2}};
    blas_->set_workspace(nullptr);
    EXPECT_EQ(started_by(product()).back(), 1u);
}

TEST_F(Products, TheLibraryIsToldHowAddressesAreAligned) {
    library_.algorithms = {{.cost = 1, .alignment = 16}, {.cost = 2, .alignment = 4}};
    EXPECT_EQ(started_by(product()).back(), 0u);
    cuda::Product p = product();
    p.a = ones_ + sizeof(float);
    EXPECT_EQ(started_by(p).back(), 1u);
    p = product();
    p.b = ones_ + sizeof(float);
    EXPECT_EQ(started_by(p).back(), 1u);
    p = product();
    p.c = result_ + sizeof(float);
    EXPECT_EQ(started_by(p).back(), 1u);
    p = product();
    p.batch = 2;
    p.a_step = p.b_step = 4 * 128 + 1; // the second matrix is not aligned as the first is
    p.c_step = 4 * 8;
    EXPECT_EQ(started_by(p).back(), 1u);
}

/// Products of 8-bit values in which each row has a scale.
class EightBitProducts : public Products, public testing::WithParamInterface<cuda::EightBit> {
protected:
    static constexpr std::int64_t m = 20, n = 32, k = 48;

    cuda::EightBitProduct eight_bit_product() {
        std::vector<std::uint8_t> a(m * k), b(n * k);
        std::vector<float> a_scale(m), b_scale(n), bias(n);
        std::vector<bf16> bias_bf16(n);
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = cuda::quantised(GetParam(), std::sin(0.7f * float(i)) * 40, 1);
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = cuda::quantised(GetParam(), std::cos(1.3f * float(i)) * 40, 1);
        for (std::size_t i = 0; i < a_scale.size(); ++i) a_scale[i] = 0.01f * float(i + 1);
        for (std::size_t i = 0; i < b_scale.size(); ++i) b_scale[i] = 0.02f * float(i * i + 1);
        for (std::size_t i = 0; i < bias.size(); ++i) bias_bf16[i] = bf16::from(bias[i] = float(i));
        cuda::EightBitProduct p;
        p.kind = GetParam();
        p.m = m, p.n = n, p.k = k, p.ldc = n;
        p.a = reinterpret_cast<std::uint8_t*>(on_device(a)), p.b = reinterpret_cast<std::uint8_t*>(on_device(b));
        p.a_scale = reinterpret_cast<float*>(on_device(a_scale));
        p.b_scale = reinterpret_cast<float*>(on_device(b_scale));
        p.bias = reinterpret_cast<float*>(on_device(bias)), p.bias_bf16 = on_device(bias_bf16);
        return p;
    }
    template <class T> std::vector<T> host(const void* memory) {
        std::vector<T> values(m * n);
        runtime_.to_host(reinterpret_cast<std::byte*>(values.data()), static_cast<const std::byte*>(memory),
                         values.size() * sizeof(T));
        return values;
    }
};
INSTANTIATE_TEST_SUITE_P(Kinds, EightBitProducts, testing::Values(cuda::EightBit::fp8, cuda::EightBit::int8));

TEST_P(EightBitProducts, AreThoseOfThePlainKernel) {
    cuda::EightBitProduct p = eight_bit_product();
    std::byte* const expected = runtime_.allocate(m * n * sizeof(bf16));
    std::byte* const found = runtime_.allocate(m * n * sizeof(bf16));
    p.c = expected;
    cuda::multiply_eight_bit(runtime_, p);
    p.c = found;
    if (GetParam() == cuda::EightBit::fp8) {
        ASSERT_TRUE(blas_->multiply(p));
    } else {
        std::byte* const sums = runtime_.allocate(m * n * sizeof(std::int32_t));
        cuda::EightBitProduct bare = p;
        bare.c = sums;
        ASSERT_TRUE(blas_->multiply(bare));
        cuda::scale_sums(runtime_, p, reinterpret_cast<std::int32_t*>(sums));
    }
    const auto right = host<bf16>(expected), got = host<bf16>(found);
    for (std::size_t i = 0; i < right.size(); ++i)
        EXPECT_NEAR(got[i].value(), right[i].value(), std::abs(right[i].value()) / 200 + 1e-3) << i;
}

TEST_P(EightBitProducts, AnOlderLibraryKnowsNoScaleForEveryRow) {
    library_.version = 120800;
    open();
    cuda::EightBitProduct p = eight_bit_product();
    p.c = runtime_.allocate(m * n * sizeof(std::int32_t));
    EXPECT_EQ(blas_->multiply(p), GetParam() == cuda::EightBit::int8);
}

TEST(OpenBlas, SaysWhatTheLibrarySaid) {
    TimedByBlas runtime;
    fake_blas() = {};
    fake_blas().creates = CUBLAS_STATUS_NOT_INITIALIZED;
    std::string why;
    EXPECT_FALSE(open_fake_blas(runtime, why));
    EXPECT_TRUE(why.starts_with("libcublasLt.so.1") && why.ends_with(" does not start (1)")) << why;
}

} // namespace
} // namespace denoir::test

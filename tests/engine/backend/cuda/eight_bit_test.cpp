// SPDX-License-Identifier: Apache-2.0
#include "engine/core/log.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

class EightBitLinear : public testing::TestWithParam<cuda::EightBit> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EightBitLinear, testing::Values(cuda::EightBit::fp8, cuda::EightBit::int8));

double relative(const std::vector<double>& found, const std::vector<double>& expected) {
    double error = 0, size = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        error += (found[i] - expected[i]) * (found[i] - expected[i]);
        size += expected[i] * expected[i];
    }
    return std::sqrt(error / size);
}

TEST_P(EightBitLinear, StaysNearTheExactProduct) {
    const Emulated exact, quick(std::size_t{1} << 30, GetParam());
    // Rows of very different size, each of which needs a scale of its own.
    Tensor x = host({300, 48}, 1), w = host({32, 48}, 2);
    for (std::int64_t i = 0; i < x.elements(); ++i)
        x.data<float>()[i] *= std::exp2(static_cast<float>(i / 48 % 20 - 10));
    for (std::int64_t i = 0; i < w.elements(); ++i) w.data<float>()[i] *= std::exp2(static_cast<float>(i / 48 % 8 - 4));
    const auto run = [&](Backend& backend) {
        const Weight weight("w", w), bias("b", host({32}, 3));
        Tensor out = backend.empty({300, 32}, DType::bf16);
        backend.linear(backend.upload(x), weight, &bias, {Activation::gelu_tanh, DType::bf16}, out);
        return doubles(out);
    };
    const double error = relative(run(*quick.backend), run(*exact.backend));
    EXPECT_LT(error, GetParam() == cuda::EightBit::fp8 ? 0.05 : 0.015);
    EXPECT_GT(error, 1e-4); // an exact result would mean that it was computed in bf16
}

TEST_P(EightBitLinear, SmallAndOddProductsStayInBf16) {
    const Emulated exact, quick(std::size_t{1} << 30, GetParam());
    struct Product {
        std::int64_t m, k, n;
    };
    for (const Product p : {Product{8, 48, 32}, {300, 50, 32}, {300, 48, 30}}) {
        const auto run = [&](Backend& backend) {
            const Weight weight("w", host({p.n, p.k}, 2));
            Tensor out = backend.empty({p.m, p.n}, DType::bf16);
            backend.linear(backend.upload(host({p.m, p.k}, 1)), weight, nullptr, {Activation::none, DType::bf16}, out);
            return bytes_of(out);
        };
        EXPECT_EQ(run(*quick.backend), run(*exact.backend)) << p.m << " x " << p.k << " x " << p.n;
    }
}

/// A library that multiplies bf16 and nothing shorter.
struct Bf16Blas final : cuda::Blas {
    explicit Bf16Blas(cuda::Runtime& r) : runtime(r) {}
    bool multiply(const cuda::Product& p) override {
        cuda::multiply(runtime, p);
        return true;
    }
    bool multiply(const cuda::EightBitProduct&) override {
        ++asked;
        return false;
    }
    std::size_t workspace_bytes() const override { return 0; }
    void set_workspace(std::byte*) override {}
    cuda::Runtime& runtime;
    int asked = 0;
};

TEST_P(EightBitLinear, ALibraryThatRefusesIsAskedOnceAndTheUserTold) {
    static std::vector<std::string> warnings;
    warnings.clear();
    log::set_sink([](log::Level level, std::string_view text) {
        if (level == log::Level::warning) warnings.emplace_back(text);
    });
    const Emulated exact;
    const auto runtime = std::make_shared<cuda::FakeRuntime>(std::size_t{1} << 30);
    cuda::CudaBackend::Options options;
    options.index = 1;
    options.eight_bit = GetParam();
    auto blas = std::make_unique<Bf16Blas>(*runtime);
    Bf16Blas& library = *blas;
    options.blas = std::move(blas);
    const auto refused = std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
    const Weight weight("w", host({32, 48}, 2));
    const auto run = [&](Backend& backend) {
        Tensor out = backend.empty({300, 32}, DType::bf16);
        backend.linear(backend.upload(host({300, 48}, 1)), weight, nullptr, {Activation::none, DType::bf16}, out);
        return bytes_of(out);
    };
    const auto expected = run(*exact.backend);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(*refused), expected);
    log::set_sink({});
    EXPECT_EQ(library.asked, 1);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("computed in bf16"), std::string::npos) << warnings[0];
}

/// A library that gives the sums of whole numbers and nothing else.
struct Int8Blas final : cuda::Blas {
    explicit Int8Blas(cuda::FakeRuntime& r) : runtime(r) {}
    bool multiply(const cuda::Product&) override { return false; }
    bool multiply(const cuda::EightBitProduct& p) override {
        rows.push_back(p.m);
        runtime.submit([p] {
            for (std::int64_t i = 0; i < p.m; ++i)
                for (std::int64_t j = 0; j < p.n; ++j) {
                    std::int32_t sum = 0;
                    for (std::int64_t k = 0; k < p.k; ++k)
                        sum += static_cast<std::int8_t>(p.a[i * p.k + k]) * static_cast<std::int8_t>(p.b[j * p.k + k]);
                    static_cast<std::int32_t*>(p.c)[i * p.ldc + j] = sum;
                }
        });
        return true;
    }
    std::size_t workspace_bytes() const override { return 0; }
    void set_workspace(std::byte*) override {}
    cuda::FakeRuntime& runtime;
    std::vector<std::int64_t> rows;
};

TEST(EightBitSums, ComeInPiecesAndGiveTheSameBytes) {
    const Emulated own(std::size_t{1} << 30, cuda::EightBit::int8);
    cuda::CudaBackend::Options options;
    options.index = 1;
    options.eight_bit = cuda::EightBit::int8;
    options.piece_bytes = 300 * 32 * 4;
    const auto runtime = std::make_shared<cuda::FakeRuntime>(std::size_t{1} << 30);
    auto blas = std::make_unique<Int8Blas>(*runtime);
    const Int8Blas& library = *blas;
    options.blas = std::move(blas);
    const auto pieces = std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
    const auto run = [&](Backend& backend) {
        const Weight weight("w", host({32, 48}, 2)), bias("b", host({32}, 3));
        Tensor out = backend.empty({700, 32}, DType::bf16);
        backend.linear(backend.upload(host({700, 48}, 1)), weight, &bias, {Activation::none, DType::bf16}, out);
        return bytes_of(out);
    };
    EXPECT_EQ(run(*pieces), run(*own.backend));
    EXPECT_EQ(library.rows, (std::vector<std::int64_t>{240, 240, 220}));
}

TEST_P(EightBitLinear, RowsOfZeros) {
    const Emulated quick(std::size_t{1} << 30, GetParam());
    const Weight weight("w", Tensor::zeros({16, 16}));
    Tensor out = quick.backend->empty({256, 16}, DType::bf16);
    quick.backend->linear(quick.backend->upload(Tensor::zeros({256, 16})), weight, nullptr,
                          {Activation::none, DType::bf16}, out);
    EXPECT_EQ(doubles(out), std::vector<double>(256 * 16, 0.0));
}

} // namespace
} // namespace denoir::test

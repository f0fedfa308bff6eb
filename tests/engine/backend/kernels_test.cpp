// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels.h"

#include <cstring>
#include <numeric>

#include "engine/backend/conv_scratch.h"
#include "engine/backend/cpu/cpu_backend.h"
#include "kernel_test.h"

namespace denoir::test {
namespace {

/// The inner loops of every instruction set that this processor has.
class Kernels : public testing::TestWithParam<InstructionSet> {
protected:
    void SetUp() override {
        if (!cpu::kernels(GetParam())) GTEST_SKIP() << "not on this processor";
    }
    const cpu::Kernels& k() const { return *cpu::kernels(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Isa, Kernels,
                         testing::Values(InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512,
                                         InstructionSet::avx512_bf16, InstructionSet::amx));

TEST_P(Kernels, ExponentialWithinTwoUnitsInTheLastPlace) {
    std::vector<float> x, e;
    for (float v = 0; v > -87.3f; v = v * 1.001f - 1e-6f) x.push_back(v);
    e = x;
    const float sum = k().exponentials(e.data(), 1, 0, false, static_cast<std::int64_t>(e.size()));
    double worst = 0, total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double exact = std::exp(static_cast<double>(x[i]));
        const auto nearest = static_cast<float>(exact);
        const double unit = static_cast<double>(std::nextafter(nearest, INFINITY) - nearest);
        worst = std::max(worst, std::abs(static_cast<double>(e[i]) - exact) / unit);
        total += exact;
    }
    EXPECT_LE(worst, 2);
    EXPECT_NEAR(static_cast<double>(sum), total, total * 1e-5);
    std::vector<float> edges = {-INFINITY, -1e30f, -200, -87.4f, 0};
    k().exponentials(edges.data(), 1, 0, false, 5);
    EXPECT_EQ(edges, (std::vector<float>{0, 0, 0, 0, 1}));
    std::vector<float> bad(37, 0.0f); // softmax must not hide a NaN
    bad[5] = bad[36] = NAN;
    EXPECT_TRUE(std::isnan(k().exponentials(bad.data(), 1, 0, false, 37)) && std::isnan(bad[5]) && std::isnan(bad[36]));
    std::vector<float> large(37, 3e30f); // the greatest one gives 1, however large it is
    k().exponentials(large.data(), 0.7f, 3e30f * 0.7f, false, 37);
    EXPECT_EQ(large, std::vector<float>(37, 1.0f));
}

TEST_P(Kernels, PowersOfTwoAreExactToBf16) {
    double total = 0;
    std::vector<float> x;
    for (float v = 3; v > -62.4f; v -= 0.0137f) {
        std::uint16_t narrow;
        const float power = k().powers_of_two_bf16(&v, 2, 1, &narrow, 1);
        const double exact = std::exp2(static_cast<double>(v * 2 - 1));
        ASSERT_NEAR(static_cast<double>(power) / exact, 1, 5e-6) << v;
        ASSERT_EQ(bf16{narrow}.value(), round_to_bf16(power)) << v;
        total += exact;
        x.push_back(v);
    }
    std::vector<std::uint16_t> out(x.size());
    const float sum = k().powers_of_two_bf16(x.data(), 2, 1, out.data(), static_cast<std::int64_t>(x.size()));
    EXPECT_NEAR(static_cast<double>(sum), total, total * 5e-6);
    for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(static_cast<double>(bf16{out[i]}.value()) / std::exp2(static_cast<double>(x[i] * 2 - 1)), 1,
                    0x1p-8);
    const std::vector<float> edges = {-INFINITY, -1e30f, -200, -149.5f, 0, 1};
    std::vector<std::uint16_t> got(edges.size());
    EXPECT_NEAR(k().powers_of_two_bf16(edges.data(), 1, 0, got.data(), 6), 3, 1e-5);
    EXPECT_EQ(got, (std::vector<std::uint16_t>{0, 0, 0, 0, 0x3F80, 0x4000}));
    std::vector<float> large(37, 3e30f), bad(37, 0.0f);
    std::vector<std::uint16_t> ones(37);
    k().powers_of_two_bf16(large.data(), 0.7f, 3e30f * 0.7f, ones.data(), 37);
    EXPECT_EQ(ones, std::vector<std::uint16_t>(37, 0x3F80));
    bad[5] = bad[36] = NAN; // softmax must not hide a NaN
    EXPECT_TRUE(std::isnan(k().powers_of_two_bf16(bad.data(), 1, 0, ones.data(), 37)));
    EXPECT_TRUE(std::isnan(bf16{ones[5]}.value()) && std::isnan(bf16{ones[36]}.value()));
}

TEST_P(Kernels, TheGreatestOfAnyNumberOfValues) {
    for (const std::int64_t n : {0, 1, 3, 15, 16, 17, 63, 64, 65, 200}) {
        std::vector<float> x = values(static_cast<std::size_t>(n), 9);
        const float plain = n == 0 ? -INFINITY : *std::max_element(x.begin(), x.end());
        EXPECT_EQ(k().greatest(x.data(), n), plain) << n;
        for (float& v : x) v -= 100; // so that the zero of an empty lane would be noticed
        EXPECT_EQ(k().greatest(x.data(), n), n == 0 ? plain : *std::max_element(x.begin(), x.end())) << n;
    }
    std::vector<float> x(40, NAN);
    x[33] = -5;
    EXPECT_EQ(k().greatest(x.data(), 40), -5);
}

TEST_P(Kernels, RoundsToBf16AsTheType) {
    std::vector<float> x = values(1001, 3);
    for (const float v : {0.0f, -0.0f, 1.00390625f, 1.01171875f, 3.4e38f, 1e-40f, INFINITY, -INFINITY}) x.push_back(v);
    std::vector<float> rounded(x.size()), widened(x.size());
    std::vector<std::uint16_t> bits(x.size());
    const auto n = static_cast<std::int64_t>(x.size());
    k().round_bf16(x.data(), rounded.data(), n);
    k().narrow_bf16(x.data(), bits.data(), n);
    k().widen_bf16(bits.data(), widened.data(), n);
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(bits[i], bf16::from(x[i]).bits) << x[i];
        EXPECT_EQ(rounded[i], round_to_bf16(x[i]));
        EXPECT_EQ(widened[i], rounded[i]);
    }
    float nan = NAN;
    k().narrow_bf16(&nan, bits.data(), 1);
    EXPECT_TRUE(std::isnan(bf16{bits[0]}.value()));
}

TEST_P(Kernels, WidensEveryValueAsTheType) {
    const auto same = [](DType type, const auto& values, auto widen) {
        // Starts within a vector, and ends with one that is partly empty.
        for (const std::size_t first : {0, 3}) {
            const auto n = static_cast<std::int64_t>(values.size() - first);
            std::vector<float> expected(values.size() - first), widened = expected;
            to_f32(type, values.data() + first, expected.data(), n);
            widen(values.data() + first, widened.data(), n);
            EXPECT_EQ(std::memcmp(widened.data(), expected.data(), expected.size() * sizeof(float)), 0)
                << info(type).name << " from " << first;
        }
    };
    std::vector<std::uint16_t> halves(65536);
    std::iota(halves.begin(), halves.end(), std::uint16_t{0});
    std::vector<std::uint8_t> bytes(256);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    same(DType::bf16, halves, k().widen_bf16);
    same(DType::f16, halves, k().widen_f16);
    same(DType::f8_e5m2, bytes, k().widen_e5m2);
    same(DType::f8_e4m3, bytes, k().widen_e4m3);
    same(DType::i8, bytes, k().widen_i8);
}

TEST_P(Kernels, ProductOfPairs) {
    const bool expected = GetParam() == InstructionSet::avx512_bf16 || GetParam() == InstructionSet::amx;
    EXPECT_EQ(k().gemm_bf16 != nullptr, expected);
    for (const std::int64_t m : {1, 7, 8, 13, 16, 40, 67})
        for (const std::int64_t n : {1, 15, 16, 47, 100})
            for (const std::int64_t depth : {2, 10, 64, 514}) {
                std::vector<float> a = values(m * depth, 1), w = values(n * depth, 2);
                const std::int64_t padded = (n + k().tile_columns - 1) / k().tile_columns * k().tile_columns;
                std::vector<float> panels(static_cast<std::size_t>(padded * depth));
                k().pack_transposed(w.data(), depth, n, depth, panels.data());
                std::vector<std::uint16_t> rows(a.size()), pairs(panels.size());
                k().narrow_bf16(a.data(), rows.data(), m * depth);
                k().pair_rows(panels.data(), padded / k().tile_columns * depth, pairs.data());
                const auto at = [&](std::int64_t column, std::int64_t p) { // where a value lies in the paired panels
                    const std::int64_t panel = column / k().tile_columns, inside = column % k().tile_columns;
                    return static_cast<std::size_t>((panel * depth + p / 2 * 2) * k().tile_columns + inside * 2 +
                                                    p % 2);
                };
                for (std::int64_t j = 0; j < n; ++j)
                    for (std::int64_t p = 0; p < depth; ++p)
                        ASSERT_EQ(pairs[at(j, p)], bf16::from(w[static_cast<std::size_t>(j * depth + p)]).bits);
                if (!k().gemm_bf16) continue;
                std::vector<float> c(static_cast<std::size_t>(m * padded), 1.0f);
                k().gemm_bf16(rows.data(), depth, pairs.data(), depth, m, n, c.data(), padded, true);
                for (std::int64_t i = 0; i < m; ++i)
                    for (std::int64_t j = 0; j < n; ++j) {
                        double sum = 1, size = 1;
                        for (std::int64_t p = 0; p < depth; ++p) {
                            const double term =
                                static_cast<double>(bf16{rows[static_cast<std::size_t>(i * depth + p)]}.value()) *
                                static_cast<double>(bf16{pairs[at(j, p)]}.value());
                            sum += term;
                            size += std::abs(term);
                        }
                        ASSERT_NEAR(static_cast<double>(c[static_cast<std::size_t>(i * padded + j)]), sum, 2e-6 * size)
                            << m << " x " << n << " x " << depth;
                    }
            }
}

TEST_P(Kernels, ProductFromPanels) {
    for (const std::int64_t m : {1, 5, 13, 40})
        for (const std::int64_t n : {1, 15, 47, 100})
            for (const std::int64_t depth : {1, 9, 64}) {
                const std::vector<float> a = values(m * depth, 1), w = values(n * depth, 2);
                const std::int64_t padded = (n + k().tile_columns - 1) / k().tile_columns * k().tile_columns;
                std::vector<float> v(w.size()), rows(static_cast<std::size_t>(padded * depth)), columns = rows;
                for (std::int64_t i = 0; i < n; ++i)
                    for (std::int64_t d = 0; d < depth; ++d)
                        v[static_cast<std::size_t>(d * n + i)] = w[static_cast<std::size_t>(i * depth + d)];
                k().pack_transposed(w.data(), depth, n, depth, rows.data());
                k().pack(v.data(), n, depth, n, columns.data());
                EXPECT_EQ(rows, columns);
                std::vector<float> c(static_cast<std::size_t>(m * padded), 1.0f), d(static_cast<std::size_t>(m * n));
                k().gemm(a.data(), depth, rows.data(), depth, m, n, c.data(), padded, true);
                for (std::int64_t j = 0; j < n; ++j)
                    k().dot(a.data(), depth, m, w.data() + j * depth, depth, d.data() + j, n);
                for (std::int64_t i = 0; i < m; ++i)
                    for (std::int64_t j = 0; j < n; ++j) {
                        double sum = 0;
                        for (std::int64_t p = 0; p < depth; ++p)
                            sum += static_cast<double>(a[static_cast<std::size_t>(i * depth + p)]) *
                                   static_cast<double>(w[static_cast<std::size_t>(j * depth + p)]);
                        EXPECT_NEAR(c[static_cast<std::size_t>(i * padded + j)], sum + 1, 1e-5);
                        EXPECT_NEAR(d[static_cast<std::size_t>(i * n + j)], sum, 1e-5);
                    }
            }
}

TEST_P(Kernels, ResultsDoNotDependOnAlignment) {
    const std::vector<float> x = values(600, 1);
    std::vector<float> expected(500), moved(520);
    k().activate(Activation::silu, x.data(), expected.data(), 500);
    const double sum = k().sum(x.data(), 500);
    for (std::size_t shift = 1; shift < 9; ++shift) {
        std::vector<float> copy(600);
        std::copy(x.begin(), x.begin() + 500, copy.begin() + static_cast<std::ptrdiff_t>(shift));
        k().activate(Activation::silu, copy.data() + shift, moved.data() + shift, 500);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift)));
        EXPECT_EQ(k().sum(copy.data() + shift, 500), sum);
    }
}

TEST(FullMemory, WeightsArePackedForEachProductAndGiveTheSameBytes) {
    cpu::CpuBackend roomy(2), full(2, [] { return std::size_t{1}; });
    const Weight kept("w", host({1024, 1024}, 1)), passing("w", host({1024, 1024}, 1));
    const Tensor x = host({64, 1024}, 2);
    const auto run = [&](Backend& backend, const Weight& w, DType compute) {
        Tensor out = backend.empty({64, 1024}, DType::f32);
        backend.linear(backend.upload(x), w, nullptr, {Activation::none, compute}, out);
        return bytes_of(out);
    };
    for (const DType compute : {DType::bf16, DType::f32})
        for (int i = 0; i < 2; ++i) EXPECT_EQ(run(full, passing, compute), run(roomy, kept, compute)) << i;
    for (const auto& [use, packed] : passing.prepared) EXPECT_EQ(packed, nullptr) << use;
}

/// Memory estimates count on this size for each thread of a convolution.
TEST(CpuBackend, ScratchOfConvolutionsIsAsEstimated) {
    const auto peak_of = [](std::int64_t channels, int threads) {
        cpu::CpuBackend backend(threads);
        const Tensor frame = Tensor::host({32, 112, channels});
        std::fill_n(frame.data<float>(), frame.elements(), 0.0f);
        const Tensor taps = Tensor::host({channels, channels, 3, 3});
        std::fill_n(taps.data<float>(), taps.elements(), 0.0f);
        const Weight weight("w", taps);
        Tensor out = backend.empty({1, 32, 112, channels}, DType::f32);
        ConvOptions options;
        options.pad_top = options.pad_left = options.pad_bottom = options.pad_right = 1;
        backend.conv(std::span(&frame, 1), weight, nullptr, nullptr, options, out);
        return backend.memory().peak;
    };
    for (const std::int64_t channels : {64, 384, 768}) {
        const std::size_t each = (peak_of(channels, 3) - peak_of(channels, 1)) / 2,
                          counted = conv_scratch_bytes(Device{}, channels, 1);
        EXPECT_NEAR(double(each), double(counted), 0.1 * double(counted)) << channels; // the system rounds blocks up
        EXPECT_EQ(conv_scratch_bytes(Device{}, channels, 5), 5 * counted);
    }
    EXPECT_EQ(conv_scratch_bytes(Device{Device::Kind::cuda, 0}, 384, 4), 0u);
}

} // namespace
} // namespace denoir::test

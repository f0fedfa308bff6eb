// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/onednn.h"
#include "engine/backend/weight_changes.h"
#include "kernel_test.h"

namespace denoir::test {
namespace {

double activated(Activation kind, double x) {
    switch (kind) {
    case Activation::silu:
        return x / (1 + std::exp(-x));
    case Activation::gelu_tanh:
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::gelu_erf:
        return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    default:
        return x;
    }
}

struct Case {
    std::int64_t m, k, n;
    DType in, weight, out, compute;
    Activation activation;
    bool bias;
    bool dense = false; ///< x lies as libraries can read it fastest
};

std::vector<double> plain(const Case& c, std::vector<double> x, std::vector<double> w, std::vector<double> b) {
    const bool bf16 = c.compute == DType::bf16;
    if (bf16) {
        x = rounded(x);
        w = rounded(w);
        b = rounded(b);
    }
    std::vector<double> out(static_cast<std::size_t>(c.m * c.n));
    for (std::int64_t i = 0; i < c.m; ++i)
        for (std::int64_t j = 0; j < c.n; ++j) {
            double sum = c.bias ? b[static_cast<std::size_t>(j)] : 0;
            for (std::int64_t k = 0; k < c.k; ++k)
                sum += x[static_cast<std::size_t>(i * c.k + k)] * w[static_cast<std::size_t>(j * c.k + k)];
            if (bf16) sum = static_cast<double>(round_to_bf16(static_cast<float>(sum)));
            out[static_cast<std::size_t>(i * c.n + j)] = activated(c.activation, sum);
        }
    return out;
}

void check(const Case& c) {
    SCOPED_TRACE(testing::Message() << c.m << " x " << c.k << " x " << c.n << " " << info(c.in).name << " "
                                    << info(c.weight).name);
    const Tensor x = host({c.m, c.k}, 1, c.in);
    const Weight w("w", host({c.n, c.k}, 2, c.weight)), b("b", host({c.n}, 3));
    const Tensor out = same_on_any_threads([&](Backend& backend) {
        Tensor result = backend.empty({c.m, c.n}, c.out);
        const Weight weight(w.name(), w.stored()), bias(b.name(), b.stored());
        backend.linear(c.dense ? backend.upload(x) : strided(backend, x), weight, c.bias ? &bias : nullptr,
                       {c.activation, c.compute}, result);
        return result;
    });
    const bool bf16 = c.out == DType::bf16 || c.compute == DType::bf16;
    expect_near(out, plain(c, doubles(x), doubles(w.stored()), doubles(b.stored())),
                bf16 ? 2 * bf16_tolerance : f32_tolerance);
}

constexpr DType f32 = DType::f32, bf16 = DType::bf16;

TEST(Linear, OddShapes) {
    // One row, the largest sizes of the path for few rows and the first beyond them, less than a register tile, and
    // more than one tile and one step of depth.
    for (const std::int64_t m : {1, 3, 8, 9, 31, 133, 600})
        for (const std::int64_t n : {1, 5, 16, 65, 300})
            for (const std::int64_t k : {1, 7, 64, 515}) check({m, k, n, f32, f32, f32, f32, Activation::none, true});
    check({40, 1100, 530, f32, f32, f32, f32, Activation::none, false});
}

// So many rows that packing the weights pays. With an odd depth the bf16 values do not all make pairs.
TEST(Linear, ManyRows) {
    for (const std::int64_t m : {512, 513, 700})
        for (const std::int64_t n : {5, 300})
            for (const std::int64_t k : {7, 64, 1026})
                for (const bool dense : {false, true})
                    check({m, k, n, bf16, bf16, bf16, bf16, Activation::none, true, dense});
}

// An algorithm that cuts sums into parts could lose the last terms, and here all others are zero.
TEST(Linear, AddsTheLastTerms) {
    constexpr std::int64_t depth = 64; // the depth of a tile
    for (const DType type : {f32, bf16})
        for (const std::int64_t k : {65, 129, 257, 515, 1026})
            for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{64, 8}, {600, 5}, {128, 512}}) {
                const std::int64_t last = k % depth;
                Tensor x = Tensor::zeros({m, k}), ones = Tensor::zeros({n, k});
                for (std::int64_t row = 0; row < m; ++row)
                    for (std::int64_t i = k - last; i < k; ++i) x.data<float>()[row * k + i] = 1;
                std::ranges::fill(ones.span<float>(), 1.0f);
                const Tensor out = same_on_any_threads([&](Backend& backend) {
                    Tensor result = backend.empty({m, n}, f32);
                    backend.linear(backend.upload(x), Weight("ones", ones), nullptr, {Activation::none, type}, result);
                    return result;
                });
                for (const double sum : doubles(out)) ASSERT_EQ(sum, static_cast<double>(last)) << k;
            }
}

// Few rows are turned into factors once and cut into narrower tiles, many rows may use panels that are kept. Either way
// each sum must have the same order.
TEST(Linear, ARowIsTheSameAmongFewAndMany) {
    if (cpu::OneDnnMatrix::forced() || (cpu::OneDnnMatrix::available() && !cpu::kernels().bf16_in_tiles))
        GTEST_SKIP() << "many rows go to the library";
    for (const std::size_t memory : {std::size_t{1} << 40, std::size_t{0}}) { // enough memory to keep panels, and none
        cpu::CpuBackend backend(2, [=] { return memory; });
        for (const auto& [type, stored] : {std::pair{f32, f32}, {bf16, bf16}, {bf16, DType::f16}, {bf16, f32}})
            for (const std::int64_t k : {70, 1030, 2048})
                for (const bool changed : {false, true}) {
                    Weight w("w", host({300, k}, 2, stored));
                    WeightChange change;
                    change.difference = host({300, k}, 5, bf16), change.factor = 0.5f;
                    if (changed) w.changes = {change};
                    const Tensor x = backend.upload(host({600, k}, 1, type));
                    const auto product = [&](std::int64_t rows) {
                        Tensor out = backend.empty({rows, 300}, type);
                        backend.linear(x.slice(0, 0, rows), w, nullptr, {Activation::none, type}, out);
                        return out;
                    };
                    const Tensor many = product(600), again = product(600);
                    EXPECT_EQ(std::memcmp(again.raw(), many.raw(), many.bytes()), 0) << "again, depth " << k;
                    for (const std::int64_t rows : {9, 100, 512}) {
                        const Tensor few = product(rows);
                        EXPECT_EQ(std::memcmp(few.raw(), many.raw(), few.bytes()), 0) << rows << " of depth " << k;
                    }
                }
    }
}

TEST(Linear, DenseRows) {
    for (const DType type : {f32, bf16})
        for (const std::int64_t m : {1, 64, 257})
            for (const Activation activation : {Activation::none, Activation::gelu_tanh})
                check({m, 128, 192, type, type, type, type, activation, true, true});
}

TEST(Linear, Types) {
    for (const DType in : {f32, bf16})
        for (const DType out : {f32, bf16})
            for (const DType compute : {f32, bf16})
                for (const std::int64_t m : {2, 50})
                    check({m, 70, 90, in, bf16, out, compute, Activation::gelu_tanh, true});
}

TEST(Linear, StorageTypes) {
    for (const DType weight : {f32, bf16, DType::f16, DType::f64, DType::f8_e4m3, DType::f8_e5m2, DType::q8_0})
        for (const std::int64_t m : {2, 50}) {
            check({m, 544, 37, f32, weight, f32, f32, Activation::none, false});
            check({m, 544, 37, bf16, weight, bf16, bf16, Activation::none, true});
        }
}

TEST(Linear, Activations) {
    for (const Activation a : {Activation::silu, Activation::gelu_tanh, Activation::gelu_erf})
        for (const std::int64_t m : {1, 20}) check({m, 200, 33, f32, f32, f32, f32, a, true});
}

// A LoRA's changes must give the bytes of a weight into which they were merged, also when the product is repeated.
TEST(Linear, ChangedWeights) {
    constexpr std::int64_t k = 96, n = 70;
    for (const DType stored : {f32, bf16, DType::f16, DType::f8_e4m3})
        for (const DType compute : {f32, bf16})
            for (const std::int64_t m : {2, 50}) {
                SCOPED_TRACE(testing::Message() << m << " " << info(stored).name << " " << info(compute).name);
                const Tensor x = host({m, k}, 1, bf16);
                WeightChange low, whole;
                low.up = host({n, 5}, 3, bf16), low.down = host({5, k}, 4, DType::f16), low.factor = 0.7f;
                whole.difference = host({n, k}, 5, bf16), whole.factor = -0.3f;
                const auto changed = [&] {
                    Weight weight("w", host({n, k}, 2, stored));
                    weight.changes = {low, whole};
                    return weight;
                };
                Tensor merged = changed().stored().to_host_f32();
                const ChangedRows rows(changed().changes, stored, false);
                for (std::int64_t row = 0; row < n; ++row) rows.add(row, k, 0, k, merged.data<float>() + row * k);
                const auto product = [&](Backend& backend, const Weight& weight) {
                    Tensor result = backend.empty({m, n}, f32);
                    backend.linear(backend.upload(x), weight, nullptr, {Activation::none, compute}, result);
                    return result;
                };
                same_on_any_threads([&](Backend& backend) {
                    const Weight one = changed(), other("w", merged);
                    const auto wanted = bytes_of(product(backend, other));
                    EXPECT_EQ(bytes_of(product(backend, one)), wanted);
                    const Tensor again = product(backend, one);
                    EXPECT_EQ(bytes_of(again), wanted);
                    return again;
                });
            }
}

TEST(Linear, JoinedLayersAreTheSameAsEachAlone) {
    constexpr std::int64_t k = 72;
    const std::vector<std::int64_t> columns{48, 17, 80};
    for (const DType compute : {f32, bf16})
        for (const bool with_bias : {false, true})
            for (const std::int64_t m : {1, 3, 70}) {
                SCOPED_TRACE(testing::Message() << m << " " << info(compute).name << with_bias);
                const Tensor x = host({m, k}, 1, bf16);
                for (std::size_t i = 0; i < columns.size(); ++i) {
                    const Case c{m, k, columns[i], bf16, bf16, compute, compute, Activation::none, with_bias};
                    const auto stored = [&](std::size_t layer) { return host({columns[layer], k}, 10 + layer, bf16); };
                    const auto offsets = [&](std::size_t layer) { return host({columns[layer]}, 20 + layer); };
                    const Tensor out = same_on_any_threads([&](Backend& backend) {
                        std::vector<Weight> weights, biases;
                        for (std::size_t layer = 0; layer < columns.size(); ++layer) {
                            weights.emplace_back("w", stored(layer));
                            biases.emplace_back("b", offsets(layer));
                        }
                        std::vector<LinearLayer> layers;
                        for (std::size_t layer = 0; layer < columns.size(); ++layer)
                            layers.push_back({&weights[layer], with_bias ? &biases[layer] : nullptr});
                        // The first product packs the weights.
                        backend.linear_joined(strided(backend, x), layers, {Activation::none, compute});
                        return backend.linear_joined(strided(backend, x), layers, {Activation::none, compute}).at(i);
                    });
                    expect_near(out, plain(c, doubles(x), doubles(stored(i)), doubles(offsets(i))),
                                compute == bf16 ? 2 * bf16_tolerance : f32_tolerance);
                }
            }
}

TEST(Linear, Scales) {
    for (const DType stored : {DType::f8_e4m3, DType::i8})
        for (const DType compute : {f32, bf16})
            for (const bool per_row : {false, true})
                for (const std::int64_t m : {2, 20}) {
                    Weight w("w", host({11, 24}, 5, stored));
                    w.scale = per_row ? host({11, 1}, 6) : host({}, 6);
                    Tensor wide = w.stored().to_host_f32();
                    const std::vector<double> scale = doubles(w.scale), x = doubles(host({m, 24}, 7));
                    for (std::int64_t i = 0; i < wide.elements(); ++i)
                        wide.data<float>()[i] *=
                            static_cast<float>(scale[static_cast<std::size_t>(per_row ? i / 24 : 0)]);
                    const auto product = [&](Backend& backend, const Weight& weight) {
                        Tensor result = backend.empty({m, 11}, f32);
                        backend.linear(backend.upload(host({m, 24}, 7)), weight, nullptr, {Activation::none, compute},
                                       result);
                        return result;
                    };
                    const Tensor out = same_on_any_threads([&](Backend& backend) {
                        const Tensor scaled = product(backend, w);
                        // They are the same values in f32.
                        EXPECT_EQ(bytes_of(scaled), bytes_of(product(backend, Weight("w", wide))));
                        return scaled;
                    });
                    expect_near(
                        out, plain({m, 24, 11, f32, f32, f32, compute, Activation::none, false}, x, doubles(wide), {}),
                        compute == bf16 ? 2 * bf16_tolerance : f32_tolerance);
                }
}

TEST(Linear, FoldsTheAxesOfAConvolutionsWeight) {
    const auto& backend = backend_under_test();
    const Weight w("w", host({6, 4, 1, 2, 2}, 1));
    Tensor out = backend->empty({10, 6}, f32);
    backend->linear(backend->upload(host({10, 16}, 2)), w, nullptr, {}, out);
    expect_near(out,
                plain({10, 16, 6, f32, f32, f32, f32, Activation::none, false}, doubles(host({10, 16}, 2)),
                      doubles(w.stored()), {}),
                f32_tolerance);
}

TEST(Linear, NothingToDo) {
    const auto& backend = backend_under_test();
    const Weight w("w", host({6, 4}, 1));
    const Tensor room = backend->upload(host({3, 6}, 2));
    Tensor out = room.slice(0, 1, 1); // a row between others, which must not change
    backend->linear(backend->empty({0, 4}, f32), w, nullptr, {}, out);
    expect_near(room, doubles(host({3, 6}, 2)), 0);
}

} // namespace
} // namespace denoir::test

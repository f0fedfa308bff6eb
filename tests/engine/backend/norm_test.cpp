// SPDX-License-Identifier: Apache-2.0
#include "kernel_test.h"

namespace denoir::test {
namespace {

using Row = std::function<void(std::vector<double>& row, std::int64_t token)>;

std::vector<double> by_rows(const Tensor& x, const Row& f) {
    std::vector<double> all = doubles(x), out;
    const std::int64_t channels = x.size(-1);
    for (std::int64_t token = 0; token * channels < static_cast<std::int64_t>(all.size()); ++token) {
        std::vector<double> row(all.begin() + token * channels, all.begin() + (token + 1) * channels);
        f(row, token);
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

void normalize(std::vector<double>& row, double eps) {
    double mean = 0, variance = 0;
    for (const double v : row) mean += v / static_cast<double>(row.size());
    for (const double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
    for (double& v : row) v = (v - mean) / std::sqrt(variance + eps);
}

double rms(const std::vector<double>& row, double eps) {
    double sum = 0;
    for (const double v : row) sum += v * v;
    return std::sqrt(sum / static_cast<double>(row.size()) + eps);
}

/// Rows far from zero, as in a residual stream, where a mean that cancels digits would be noticed.
Tensor offset_rows(const Shape& shape, std::uint64_t seed, DType dtype, float offset) {
    Tensor wide = host(shape, seed);
    for (float& v : wide.span<float>()) v += offset;
    Tensor out = Tensor::host(shape, dtype);
    from_f32(dtype, wide.data<float>(), out.raw(), shape.elements());
    return out;
}

/// Rows at odd addresses with gaps between them, or as the networks have them.
Tensor laid(Backend& backend, const Tensor& x, bool dense) { return dense ? backend.upload(x) : strided(backend, x); }

/// Widths that a kernel holds in a part of a warp, in a warp, in a block, or not at all.
constexpr std::int64_t widths[] = {1, 5, 7, 33, 64, 96, 100, 192, 384, 768, 1024, 1536, 1537, 2048, 5120, 10248};
std::int64_t tokens_of(std::int64_t channels) { return channels > 2000 ? 3 : channels > 400 ? 9 : 67; }

class Norm : public testing::TestWithParam<std::tuple<DType, DType>> {
protected:
    DType in() const { return std::get<0>(GetParam()); }
    DType out() const { return std::get<1>(GetParam()); }
    Tensor run(const Shape& shape, const std::function<void(Backend&, Tensor&)>& kernel) const {
        return same_on_any_threads([&](Backend& backend) {
            Tensor result = backend.empty(shape, out());
            kernel(backend, result);
            return result;
        });
    }
};

INSTANTIATE_TEST_SUITE_P(Types, Norm,
                         testing::Combine(testing::Values(DType::f32, DType::bf16),
                                          testing::Values(DType::f32, DType::bf16)));

TEST_P(Norm, Layer) {
    for (const std::int64_t channels : widths) {
        const Tensor x = offset_rows({tokens_of(channels), channels}, 1, in(), 3.0f), w = host({channels}, 2),
                     b = host({channels}, 3);
        for (const int way : {0, 1, 2, 3}) {
            const bool affine = way % 2 != 0, dense = way / 2 != 0;
            const auto found = run(x.shape(), [&](Backend& backend, Tensor& to) {
                const Tensor weight = backend.upload(w), bias = backend.upload(b);
                backend.layer_norm(laid(backend, x, dense), affine ? &weight : nullptr, affine ? &bias : nullptr, 1e-6f,
                                   to);
            });
            const std::vector<double> weight = doubles(w), bias = doubles(b);
            expect_near(found,
                        by_rows(x,
                                [&](auto& row, auto) {
                                    normalize(row, 1e-6);
                                    for (std::size_t c = 0; c < row.size() && affine; ++c)
                                        row[c] = row[c] * weight[c] + bias[c];
                                }),
                        channels == 1 ? 1 : tolerance(out()));
        }
    }
}

TEST_P(Norm, LayerModulated) {
    for (const auto& [groups, channels, dense] : {std::tuple<std::int64_t, std::int64_t, bool>{1, 100, false},
                                                  {3, 100, false},
                                                  {60, 100, false},
                                                  {3, 96, true},
                                                  {12, 1536, true},
                                                  {2, 5120, true}}) {
        const std::int64_t tokens = channels > 1000 ? 12 : 60;
        const Tensor x = offset_rows({tokens, channels}, 1, in(), 0.5f), table = host({groups, 6, channels}, 2);
        const auto found = run(x.shape(), [&](Backend& backend, Tensor& to) {
            const Tensor rows = backend.upload(table); // strided rows, as in a table of modulations
            backend.layer_norm_modulate(laid(backend, x, dense), rows.select(1, 0), rows.select(1, 1), 1e-6f, to);
        });
        const std::vector<double> m = doubles(table);
        expect_near(found,
                    by_rows(x,
                            [&](auto& row, std::int64_t token) {
                                normalize(row, 1e-6);
                                const auto group = static_cast<std::size_t>(token / (tokens / groups) * 6 * channels);
                                for (std::size_t c = 0; c < row.size(); ++c)
                                    row[c] = row[c] * (1 + m[group + row.size() + c]) + m[group + c];
                            }),
                    tolerance(out()));
    }
}

/// A sum and its norm, in one pass over x and y or in several, must equal those of the separate kernels.
TEST_P(Norm, OfASum) {
    struct Case {
        std::int64_t groups;
        bool gated, modulated, rounded, dense, narrow_sum = false;
    };
    for (const std::int64_t channels : {33, 96, 768, 1024, 1536, 2048, 5120, 10248})
        for (const Case& c : {Case{1, true, false, true, true},
                              {3, true, true, false, true},
                              {1, false, true, false, true},
                              {9, false, true, true, true},
                              {1, true, false, false, false},
                              {3, true, true, false, true, true},
                              {1, true, false, true, false, true}}) {
            SCOPED_TRACE(testing::Message() << channels << " channels in " << c.groups << " groups");
            const Tensor x = offset_rows({9, channels}, 1, in(), 3.0f), y = host({9, channels}, 2, out()),
                         table = host({c.groups, 3, channels}, 3), w = host({channels}, 4), b = host({channels}, 5);
            const auto run_by = [&](const auto& kernel) {
                const auto& backend = backend_under_test();
                const Tensor rows = backend->upload(table), gate = rows.select(1, 0), scale = rows.select(1, 1),
                             shift = rows.select(1, 2), weight = backend->upload(w), bias = backend->upload(b);
                const LayerNormOptions options{.weight = c.modulated ? &scale : &weight,
                                               .bias = c.modulated ? &shift : &bias,
                                               .modulate = c.modulated,
                                               .round_before = c.rounded};
                Tensor sum = backend->empty(x.shape(), c.narrow_sum ? DType::bf16 : DType::f32),
                       result = backend->empty(x.shape(), out());
                kernel(*backend, laid(*backend, x, c.dense), laid(*backend, y, c.dense), c.gated ? &gate : nullptr,
                       options, sum, result);
                return std::pair(doubles(sum), result);
            };
            const auto [sum, normalised] = run_by([](Backend& backend, auto&&... a) { backend.add_layer_norm(a...); });
            const auto [plain_sum, plain] =
                run_by([](Backend& backend, auto&&... a) { backend.Backend::add_layer_norm(a...); });
            EXPECT_EQ(sum, plain_sum);
            expect_near(normalised, doubles(plain), tolerance(out()));
        }
}

TEST_P(Norm, Rms) {
    for (const std::int64_t channels : widths)
        for (const int way : {0, 1, 2, 3}) {
            const bool round = way % 2 != 0, dense = way / 2 != 0;
            const Tensor x = host({tokens_of(channels), channels}, 1, in()), w = host({channels}, 2);
            const RmsOptions options{.eps = 1e-6f, .round_normalised = round, .round_weight = round};
            const auto found = run(x.shape(), [&](Backend& backend, Tensor& to) {
                backend.rms_norm(laid(backend, x, dense), backend.upload(w), options, to);
            });
            const std::vector<double> weight = round ? rounded(doubles(w)) : doubles(w);
            expect_near(found,
                        by_rows(x,
                                [&](auto& row, auto) {
                                    const double r = rms(row, 1e-6);
                                    for (double& v : row) v /= r;
                                    if (round) row = rounded(row);
                                    for (std::size_t c = 0; c < row.size(); ++c) row[c] *= weight[c];
                                }),
                        round ? 2 * bf16_tolerance : tolerance(out()));
        }
}

/// The cosines and sines of a table of positions.
std::pair<Tensor, Tensor> rotation(std::int64_t tokens, std::int64_t pairs) {
    Tensor cos = host({tokens, pairs}, 8), sin = Tensor::host({tokens, pairs});
    for (std::int64_t i = 0; i < tokens * pairs; ++i) {
        const float angle = cos.data<float>()[i] * 7;
        cos.data<float>()[i] = std::cos(angle);
        sin.data<float>()[i] = std::sin(angle);
    }
    return {cos, sin};
}

void rotate(std::vector<double>& row, const std::vector<double>& cos, const std::vector<double>& sin,
            std::int64_t token, std::int64_t heads) {
    const std::size_t pairs = row.size() / static_cast<std::size_t>(heads) / 2,
                      at = static_cast<std::size_t>(token) * pairs;
    for (std::size_t i = 0; i < row.size(); i += 2) {
        const double a = row[i], b = row[i + 1], c = cos[at + i / 2 % pairs], s = sin[at + i / 2 % pairs];
        row[i] = a * c - b * s;
        row[i + 1] = a * s + b * c;
    }
}

TEST_P(Norm, RopeAndRmsWithRope) {
    struct Case {
        int heads;
        std::int64_t size;
        bool dense;
    };
    // Heads whose size divides what a warp holds at a time, and heads whose size does not.
    for (const auto& [heads, size, dense] :
         {Case{3, 2, false}, Case{3, 16, false}, Case{3, 18, false}, Case{12, 128, false}, Case{3, 16, true},
          Case{4, 24, true}, Case{3, 96, true}, Case{3, 128, true}, Case{12, 128, true}, Case{16, 96, true},
          Case{40, 128, true}, Case{30, 208, true}, Case{50, 128, true}}) {
        const std::int64_t channels = heads * size, tokens = tokens_of(channels);
        const Tensor x = host({tokens, channels}, 1, in()), w = host({channels}, 2);
        const std::pair<Tensor, Tensor> angles = rotation(tokens, size / 2);
        const std::vector<double> c = doubles(angles.first), s = doubles(angles.second), weight = doubles(w);
        const auto table = [&](Backend& backend) {
            return Rope{backend.upload(angles.first), backend.upload(angles.second)};
        };
        const auto turned = run(x.shape(), [&](Backend& backend, Tensor& to) {
            backend.rope(laid(backend, x, dense), table(backend), heads, to);
        });
        expect_near(turned, by_rows(x, [&](auto& row, std::int64_t token) { rotate(row, c, s, token, heads); }),
                    tolerance(out()));
        const auto both = run(x.shape(), [&](Backend& backend, Tensor& to) {
            backend.rms_norm_rope(laid(backend, x, dense), backend.upload(w), {}, table(backend), heads, to);
        });
        expect_near(both,
                    by_rows(x,
                            [&](auto& row, std::int64_t token) {
                                const double r = rms(row, 1e-6);
                                for (std::size_t i = 0; i < row.size(); ++i) row[i] *= weight[i] / r;
                                rotate(row, c, s, token, heads);
                            }),
                    tolerance(out()));
    }
}

TEST_P(Norm, GatedAdd) {
    for (const std::int64_t groups : {1, 4}) {
        const Tensor x = host({24, 77}, 1, in()), y = host({24, 77}, 2, out()), table = host({groups, 6, 77}, 3);
        const auto found = run(x.shape(), [&](Backend& backend, Tensor& to) {
            backend.gated_add(strided(backend, x), strided(backend, y), backend.upload(table).select(1, 2), to);
        });
        const std::vector<double> add = doubles(y), gate = doubles(table);
        expect_near(found,
                    by_rows(x,
                            [&](auto& row, std::int64_t token) {
                                const auto at = static_cast<std::size_t>(token / (24 / groups) * 6 * 77 + 2 * 77);
                                for (std::size_t c = 0; c < row.size(); ++c)
                                    row[c] += add[static_cast<std::size_t>(token) * 77 + c] * gate[at + c];
                            }),
                    tolerance(out()));
    }
}

TEST_P(Norm, Channel) {
    for (const std::int64_t channels : {1, 6, 96, 160, 192, 384, 385, 1024})
        for (const bool silu : {false, true}) {
            Tensor x = host({1, 5, 7, channels}, 1, in());
            std::memset(x.raw(), 0,
                        static_cast<std::size_t>(channels * element_bytes(in()))); // a pixel of zeros stays zero
            const Tensor gamma = host({channels}, 2);
            const auto found = run(x.shape(), [&](Backend& backend, Tensor& to) {
                backend.channel_norm(backend.upload(x), backend.upload(gamma), silu, to);
            });
            const std::vector<double> g = doubles(gamma);
            expect_near(found,
                        by_rows(x,
                                [&](auto& row, auto) {
                                    double length = 0;
                                    for (const double v : row) length += v * v;
                                    length = std::max(std::sqrt(length), 1e-12);
                                    for (std::size_t c = 0; c < row.size(); ++c) {
                                        row[c] *= std::sqrt(static_cast<double>(channels)) * g[c] / length;
                                        if (silu) row[c] /= 1 + std::exp(-row[c]);
                                    }
                                }),
                        tolerance(out()));
        }
}

/// A NaN must still be seen in the result.
TEST_P(Norm, ChannelKeepsNaN) {
    for (const std::int64_t channels : {6, 96, 1024}) {
        Tensor wide = host({3, channels}, 1);
        wide.data<float>()[channels + channels / 2] = std::nanf("");
        Tensor x = Tensor::host(wide.shape(), in());
        from_f32(in(), wide.data<float>(), x.raw(), x.elements());
        const Tensor gamma = host({channels}, 2);
        for (const bool silu : {false, true}) {
            const Tensor found = run(x.shape(), [&](Backend& backend, Tensor& to) {
                backend.channel_norm(backend.upload(x), backend.upload(gamma), silu, to);
            });
            const std::vector<double> values = doubles(found);
            for (std::size_t i = 0; i < values.size(); ++i)
                ASSERT_EQ(std::isnan(values[i]), i / static_cast<std::size_t>(channels) == 1) << channels << " " << i;
        }
    }
}

TEST(NormInPlace, RopeAndGatedAdd) {
    const auto& backend = backend_under_test();
    const auto [cos, sin] = rotation(9, 4);
    const Rope table{backend->upload(cos), backend->upload(sin)};
    Tensor x = backend->upload(host({9, 16}, 1)), expected = backend->empty({9, 16}, DType::f32);
    backend->rope(x, table, 2, expected);
    backend->rope(x, table, 2, x);
    EXPECT_EQ(bytes_of(x), bytes_of(expected));
}

/// The defaults are written with plain kernels and are a second definition of the fused ones.
TEST(NormDefaults, AgreeWithTheFusedKernels) {
    const auto& backend = backend_under_test();
    const Tensor x = backend->upload(offset_rows({60, 48}, 1, DType::f32, 1.0f)),
                 rows = backend->upload(host({3, 2, 48}, 2));
    Tensor fused = backend->empty({60, 48}, DType::f32), plain = backend->empty({60, 48}, DType::f32);
    backend->layer_norm_modulate(x, rows.select(1, 0), rows.select(1, 1), 1e-6f, fused);
    backend->Backend::layer_norm_modulate(x, rows.select(1, 0), rows.select(1, 1), 1e-6f, plain);
    expect_near(fused, doubles(plain), f32_tolerance);

    const auto [cos, sin] = rotation(60, 8);
    const Rope table{backend->upload(cos), backend->upload(sin)};
    const Tensor weight = backend->upload(host({48}, 4));
    backend->rms_norm_rope(x, weight, {}, table, 3, fused);
    backend->Backend::rms_norm_rope(x, weight, {}, table, 3, plain);
    expect_near(fused, doubles(plain), f32_tolerance);
}

} // namespace
} // namespace denoir::test

// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>

#include "kernel_test.h"

namespace denoir::test {
namespace {

struct Case {
    std::int64_t queries, keys, heads, size, causal_block = 0;
    bool bias = false, key_bias = false;
    DType in = DType::f32, compute = DType::f32;
    float scale = 0; ///< 0 for 1 / sqrt(size)
};

std::vector<double> plain(const Case& c, std::vector<double> q, std::vector<double> k, std::vector<double> v,
                          const std::vector<double>& bias, const std::vector<double>& key_bias, double scale) {
    if (c.compute == DType::bf16) {
        q = rounded(q);
        k = rounded(k);
        v = rounded(v);
    }
    const auto at = [&](std::int64_t token, std::int64_t head, std::int64_t d) {
        return static_cast<std::size_t>((token * c.heads + head) * c.size + d);
    };
    std::vector<double> out(q.size()), p(static_cast<std::size_t>(c.keys));
    for (std::int64_t h = 0; h < c.heads; ++h)
        for (std::int64_t i = 0; i < c.queries; ++i) {
            double top = -1e300, total = 0;
            for (std::int64_t j = 0; j < c.keys; ++j) {
                double s = 0;
                for (std::int64_t d = 0; d < c.size; ++d) s += q[at(i, h, d)] * k[at(j, h, d)];
                s *= scale;
                if (c.bias) s += bias[static_cast<std::size_t>((h * c.queries + i) * c.keys + j)];
                if (c.key_bias) s += key_bias[static_cast<std::size_t>(j)];
                if (c.causal_block && j / c.causal_block > i / c.causal_block) s = -INFINITY;
                p[static_cast<std::size_t>(j)] = s;
                top = std::max(top, s);
            }
            for (double& s : p) total += s = std::exp(s - top);
            for (std::int64_t j = 0; j < c.keys; ++j)
                for (std::int64_t d = 0; d < c.size; ++d)
                    out[at(i, h, d)] += p[static_cast<std::size_t>(j)] / total * v[at(j, h, d)];
        }
    return out;
}

void check(const Case& c) {
    SCOPED_TRACE(testing::Message() << c.queries << " x " << c.keys << ", " << c.heads << " heads of " << c.size
                                    << ", block " << c.causal_block);
    // The scores differ by a few units, so that the softmax is neither flat nor a plain maximum.
    const float scale = c.scale != 0 ? c.scale : 6.0f / std::sqrt(static_cast<float>(c.size));
    const Tensor q = host({c.queries, c.heads, c.size}, 1, c.in), k = host({c.keys, c.heads, c.size}, 2, c.in);
    const Tensor v = host({c.keys, c.heads, c.size}, 3, c.in), bias = host({c.heads, c.queries, c.keys}, 4),
                 key_bias = host({c.keys}, 5);
    const Tensor out = same_on_any_threads([&](Backend& backend) {
        AttentionOptions options{.scale = scale, .causal_block = c.causal_block, .compute = c.compute};
        if (c.bias) options.bias = backend.upload(bias);
        if (c.key_bias) options.key_bias = backend.upload(key_bias);
        Tensor result = backend.empty(q.shape(), c.in);
        backend.attention(strided(backend, q), strided(backend, k), strided(backend, v), options, result);
        return result;
    });
    const bool bf16 = c.in == DType::bf16 || c.compute == DType::bf16;
    expect_near(
        out, plain(c, doubles(q), doubles(k), doubles(v), doubles(bias), doubles(key_bias), static_cast<double>(scale)),
        bf16 ? bf16_product_tolerance : f32_tolerance);
}

TEST(Attention, HeadSizes) {
    for (const std::int64_t size : {1, 16, 17, 24, 64, 80, 128, 384}) check({50, 70, 2, size});
}

TEST(Attention, Lengths) {
    // One token, and a little less and more than a block of queries or keys.
    for (const std::int64_t queries : {1, 95, 97, 200})
        for (const std::int64_t keys : {1, 15, 256, 257, 515}) check({queries, keys, 2, 20});
}

TEST(Attention, CausalBlocks) {
    for (const std::int64_t block : {1, 7, 64, 300}) check({330, 330, 2, 16, block});
    check({40, 600, 1, 16, 50}); // the last keys are seen by no query
}

/// The result must be the same as if the tensor were added afterwards.
TEST(Attention, AddedToTheResult) {
    for (const DType type : {DType::f32, DType::bf16})
        for (const std::int64_t keys : {0, 40}) {
            const auto& backend = backend_under_test();
            const Tensor q = backend->upload(host({30, 2, 16}, 1, type)),
                         k = backend->upload(host({keys, 2, 16}, 2, type)),
                         v = backend->upload(host({keys, 2, 16}, 3, type)),
                         added = backend->upload(host({30, 2, 16}, 4, type));
            AttentionOptions options{.scale = 0.5f, .compute = DType::bf16};
            Tensor found = backend->empty(q.shape(), type), alone = found, expected = backend->empty(q.shape(), type);
            backend->attention(q, k, v, options, alone);
            backend->add(alone, added, expected);
            found = backend->empty(q.shape(), type);
            options.added = added;
            backend->attention(q, k, v, options, found);
            EXPECT_EQ(bytes_of(found), bytes_of(expected));
        }
}

TEST(Attention, Biases) {
    check({70, 300, 3, 24, 0, true});
    check({70, 300, 3, 24, 0, false, true});
    check({300, 300, 2, 24, 100, true, true});
}

TEST(Attention, MoreQueriesThanABlockHolds) {
    for (const std::int64_t causal_block : {0, 11})
        for (const DType dtype : {DType::f32, DType::bf16})
            check({700, 90, 30, 16, causal_block, false, true, dtype, dtype});
}

TEST(Attention, Bf16) {
    check({70, 300, 3, 64, 0, false, false, DType::bf16, DType::bf16});
    check({70, 300, 3, 64, 0, true, true, DType::f32, DType::bf16});
    check({70, 300, 3, 64, 0, false, false, DType::bf16, DType::f32});
}

TEST(Attention, Bf16InRowsThatFusedKernelsRead) {
    // As in the models: q, k and v are columns of one tensor, and the last key may stand for the padding.
    struct Dense {
        std::int64_t queries, keys, size, causal_block, last_key_count;
    };
    constexpr std::int64_t heads = 2;
    for (const Dense& d : {Dense{95, 95, 64, 0, 0}, Dense{257, 257, 128, 0, 0}, Dense{96, 96, 128, 32, 0},
                           Dense{1, 300, 80, 0, 0}, Dense{70, 33, 128, 0, 480}, Dense{64, 2, 64, 0, 511}}) {
        SCOPED_TRACE(testing::Message() << d.queries << " x " << d.keys << " of " << d.size);
        const std::int64_t width = heads * d.size;
        const Tensor joined = host({std::max(d.queries, d.keys), 3 * width}, 1, DType::bf16);
        Tensor key_bias = Tensor::zeros({d.keys});
        if (d.last_key_count) key_bias.data<float>()[d.keys - 1] = std::log(static_cast<float>(d.last_key_count));
        const float scale = 6.0f / std::sqrt(static_cast<float>(d.size));
        const auto part = [&](const Tensor& all, int i) {
            return all.slice(0, 0, i == 0 ? d.queries : d.keys).slice(1, i * width, (i + 1) * width).split(1, d.size);
        };
        const Tensor out = same_on_any_threads([&](Backend& backend) {
            const Tensor all = backend.upload(joined);
            AttentionOptions options{.scale = scale, .causal_block = d.causal_block, .compute = DType::bf16};
            if (d.last_key_count) options.key_bias = backend.upload(key_bias);
            options.last_key_count = d.last_key_count;
            Tensor result = backend.empty({d.queries, heads, d.size}, DType::bf16);
            backend.attention(part(all, 0), part(all, 1), part(all, 2), options, result);
            return result;
        });
        const Case c{d.queries, d.keys, heads, d.size, d.causal_block, false, true, DType::bf16, DType::bf16};
        expect_near(out,
                    plain(c, doubles(part(joined, 0)), doubles(part(joined, 1)), doubles(part(joined, 2)), {},
                          doubles(key_bias), static_cast<double>(scale)),
                    bf16_product_tolerance);
    }
}

TEST(Attention, FarApartScores) { check({40, 400, 1, 32, 0, false, false, DType::f32, DType::f32, 8.0f}); }

TEST(Attention, ANaNInComesOutAsNaN) {
    // A broken weight must not give a plausible picture. There are 40 queries and keys, 2 heads, and blocks of 8.
    const auto& backend = backend_under_test();
    for (const DType dtype : {DType::f32, DType::bf16})
        for (const int which : {0, 1, 2}) {
            std::array<Tensor, 3> qkv{host({40, 2, 16}, 1), host({40, 2, 16}, 2), host({40, 2, 16}, 3)};
            qkv[std::size_t(which)].data<float>()[(20 * 2 + 1) * 16 + 5] = std::numeric_limits<float>::quiet_NaN();
            const AttentionOptions options{.scale = 0.25f, .causal_block = which == 1 ? 8 : 0, .compute = dtype};
            Tensor out = backend->empty({40, 2, 16}, DType::f32);
            backend->attention(backend->upload(qkv[0]), backend->upload(qkv[1]), backend->upload(qkv[2]), options, out);
            const Tensor got = backend->download(out);
            for (int i = 0; i < 40; ++i) {
                const bool lost = which == 0 ? i == 20 : which == 1 ? i >= 16 : true;
                EXPECT_FALSE(std::isnan(got.data<float>()[i * 2 * 16])) << which; // the other head is not touched
                EXPECT_EQ(std::isnan(got.data<float>()[(i * 2 + 1) * 16 + 5]), lost) << which << ' ' << i;
            }
        }
}

TEST(Attention, AScoreBeyondTheRangeOfF32IsNoNumber) {
    const auto& backend = backend_under_test();
    for (const DType dtype : {DType::f32, DType::bf16}) {
        Tensor q = host({40, 2, 16}, 1), k = Tensor::zeros({40, 2, 16});
        for (int c = 0; c < 16; ++c)
            q.data<float>()[(20 * 2 + 1) * 16 + c] = k.data<float>()[(9 * 2 + 1) * 16 + c] = 1e25f;
        Tensor out = backend->empty({40, 2, 16}, DType::f32);
        backend->attention(backend->upload(q), backend->upload(k), backend->upload(host({40, 2, 16}, 3)),
                           {.scale = 0.25f, .compute = dtype}, out);
        const Tensor got = backend->download(out);
        for (int i = 0; i < 40; ++i) {
            EXPECT_FALSE(std::isnan(got.data<float>()[i * 2 * 16])); // the other head is not touched
            EXPECT_EQ(std::isnan(got.data<float>()[(i * 2 + 1) * 16 + 5]), i == 20) << i;
        }
    }
}

TEST(Attention, AViewOfJoinedProjections) {
    const auto& backend = backend_under_test();
    const Tensor joined = backend->upload(host({90, 3 * 2 * 16}, 1));
    const auto part = [&](int i) { return joined.slice(1, i * 32, i * 32 + 32).split(1, 16); };
    Tensor out = backend->empty({90, 2, 16}, DType::f32), expected = backend->empty({90, 2, 16}, DType::f32);
    backend->attention(part(0), part(1), part(2), {}, out);
    const auto dense = [&](int i) { return backend->upload(backend->download(part(i))); };
    backend->attention(dense(0), dense(1), dense(2), {}, expected);
    if (backend->device().kind == Device::Kind::cpu)
        EXPECT_EQ(bytes_of(out), bytes_of(expected));
    else // a library may use another algorithm for rows that are further apart
        expect_near(out, doubles(expected), f32_tolerance);
}

TEST(Attention, HeadsOutsideTokens) {
    // [N, L, D] viewed as [L, N, D].
    const auto& backend = backend_under_test();
    const Tensor q = backend->upload(host({3, 40, 16}, 1)).permute({1, 0, 2});
    Tensor out = backend->empty({40, 3, 16}, DType::f32);
    backend->attention(q, q, q, {}, out);
    const std::vector<double> dense = doubles(q);
    expect_near(out, plain({40, 40, 3, 16}, dense, dense, dense, {}, {}, 1.0), f32_tolerance);
}

TEST(Attention, NoKeysGiveZero) {
    const auto& backend = backend_under_test();
    Tensor out = backend->upload(host({5, 2, 16}, 1));
    const Tensor none = backend->empty({0, 2, 16}, DType::f32);
    backend->attention(backend->upload(host({5, 2, 16}, 1)), none, none, {}, out);
    expect_near(out, std::vector<double>(160, 0.0), 0);
}

} // namespace
} // namespace denoir::test

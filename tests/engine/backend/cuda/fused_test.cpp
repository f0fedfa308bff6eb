// SPDX-License-Identifier: Apache-2.0
// What the backend asks of the card's library of fused attention and convolution: a stand-in does exactly that, slowly,
// and the results must be those of the plain kernels.
#include <bit>

#include "engine/backend/cuda/dnn.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

using cuda::FusedAttention;
using cuda::FusedConv;

/// bf16 or f32 values of the fake device.
class Values {
public:
    Values(cuda::Runtime& runtime, const void* device, std::int64_t count, cuda::Type type = cuda::Type::bf16)
        : runtime_(runtime),
          device_(static_cast<std::byte*>(const_cast<void*>(device))),
          host_(Tensor::host({count}, type == cuda::Type::f32 ? DType::f32 : DType::bf16)) {
        runtime_.to_host(host_.raw(), device_, host_.bytes());
    }
    double operator[](std::int64_t i) const {
        return host_.dtype() == DType::f32 ? static_cast<double>(host_.span<float>()[static_cast<std::size_t>(i)])
                                           : static_cast<double>(bf16{bits(i)}.value());
    }
    /// As a factor of TF32: the other bits are cut off, the worst that a card may do.
    double factor(std::int64_t i) const {
        if (host_.dtype() != DType::f32) return (*this)[i];
        return static_cast<double>(
            std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>((*this)[i])) & ~0x1FFFu));
    }
    void set(std::int64_t i, double v) {
        const float value = static_cast<float>(v);
        if (host_.dtype() == DType::f32)
            host_.span<float>()[static_cast<std::size_t>(i)] = value;
        else
            bits(i) = bf16::from(value).bits;
    }
    void write() { runtime_.to_device(device_, host_.raw(), host_.bytes(), cuda::Runtime::Queue::compute); }

private:
    std::uint16_t& bits(std::int64_t i) const { return host_.span<std::uint16_t>()[static_cast<std::size_t>(i)]; }
    cuda::Runtime& runtime_;
    std::byte* device_;
    Tensor host_;
};

class PlainDnn final : public cuda::Dnn {
public:
    explicit PlainDnn(std::shared_ptr<cuda::Runtime> runtime) : runtime_(std::move(runtime)) {}
    int attentions = 0, convs = 0, with_residual = 0;
    bool stacked = false, adds = true, refuses = false;

    bool prefers_stacked_frames(cuda::Type, std::int64_t) const override { return stacked; }

    bool attention(const FusedAttention& a, const Workspace& workspace) override {
        ++attentions;
        EXPECT_NE(workspace(1000), nullptr);
        const auto extent = [&](std::int64_t tokens, std::int64_t token, std::int64_t head) {
            return (tokens - 1) * token + (a.heads - 1) * head + a.size;
        };
        const Values q(*runtime_, a.q, extent(a.queries, a.q_token, a.q_head)),
            k(*runtime_, a.k, extent(a.keys, a.k_token, a.k_head)),
            v(*runtime_, a.v, extent(a.keys, a.v_token, a.v_head));
        Values out(*runtime_, a.out, extent(a.queries, a.out_token, a.out_head));
        std::vector<float> sums(static_cast<std::size_t>(a.heads * a.queries));
        for (std::int64_t h = 0; h < a.heads; ++h)
            for (std::int64_t i = 0; i < a.queries; ++i) {
                std::vector<double> p(static_cast<std::size_t>(a.keys));
                double total = 0;
                for (std::int64_t j = 0; j < a.keys; ++j) {
                    double s = 0;
                    for (std::int64_t d = 0; d < a.size; ++d)
                        s += q[i * a.q_token + h * a.q_head + d] * k[j * a.k_token + h * a.k_head + d];
                    total += p[static_cast<std::size_t>(j)] = std::exp(s * static_cast<double>(a.scale));
                }
                sums[static_cast<std::size_t>(h * a.queries + i)] = static_cast<float>(std::log(total));
                for (std::int64_t d = 0; d < a.size; ++d) {
                    double sum = 0;
                    for (std::int64_t j = 0; j < a.keys; ++j)
                        sum += p[static_cast<std::size_t>(j)] / total * v[j * a.v_token + h * a.v_head + d];
                    out.set(i * a.out_token + h * a.out_head + d, sum);
                }
            }
        out.write();
        if (a.log_sum)
            runtime_->to_device(reinterpret_cast<std::byte*>(a.log_sum),
                                reinterpret_cast<const std::byte*>(sums.data()), sums.size() * 4,
                                cuda::Runtime::Queue::compute);
        return true;
    }

    bool conv(const FusedConv& c, const Workspace&) override {
        if (refuses || (c.residual && !adds)) return false;
        ++convs;
        with_residual += c.residual != nullptr;
        EXPECT_TRUE(!stacked || c.time == 1);
        EXPECT_EQ(c.in % 8, 0);
        EXPECT_EQ(c.out_channels % 8, 0);
        const std::int64_t results = c.out_time() * c.out_height() * c.out_width() * c.out_channels;
        const Values x(*runtime_, c.x, c.time * c.height * c.width * c.in, c.type),
            w(*runtime_, c.w, c.out_channels * c.taps_time * c.taps_down * c.taps_across * c.in, c.type);
        Values out(*runtime_, c.out, results, c.type);
        std::vector<double> bias(static_cast<std::size_t>(c.out_channels), 0.0);
        if (c.bias) {
            const Values given(*runtime_, c.bias, c.out_channels, c.type);
            for (std::int64_t o = 0; o < c.out_channels; ++o) bias[static_cast<std::size_t>(o)] = given[o];
        }
        std::optional<Values> residual;
        if (c.residual) residual.emplace(*runtime_, c.residual, results, c.type);
        std::int64_t to = 0;
        for (std::int64_t t = 0; t < c.out_time(); ++t)
            for (std::int64_t y = 0; y < c.out_height(); ++y)
                for (std::int64_t p = 0; p < c.out_width(); ++p)
                    for (std::int64_t o = 0; o < c.out_channels; ++o, ++to)
                        out.set(to, bias[static_cast<std::size_t>(o)] + sum(c, x, w, t, y, p, o) +
                                        (residual ? (*residual)[to] : 0.0));
        out.write();
        return true;
    }

private:
    static double sum(const FusedConv& c, const Values& x, const Values& w, std::int64_t t, std::int64_t y,
                      std::int64_t p, std::int64_t o) {
        double total = 0;
        for (std::int64_t dt = 0; dt < c.taps_time; ++dt)
            for (std::int64_t dy = 0; dy < c.taps_down; ++dy)
                for (std::int64_t dx = 0; dx < c.taps_across; ++dx) {
                    const std::int64_t yy = y * c.stride - c.pad_down + dy, xx = p * c.stride - c.pad_across + dx;
                    if (yy < 0 || xx < 0 || yy >= c.height || xx >= c.width) continue;
                    for (std::int64_t i = 0; i < c.in; ++i)
                        total +=
                            x.factor((((t * c.time_stride + dt) * c.height + yy) * c.width + xx) * c.in + i) *
                            w.factor((((o * c.taps_time + dt) * c.taps_down + dy) * c.taps_across + dx) * c.in + i);
                }
        return total;
    }
    std::shared_ptr<cuda::Runtime> runtime_;
};

struct Fused {
    std::shared_ptr<cuda::FakeRuntime> runtime = std::make_shared<cuda::FakeRuntime>(std::size_t{1} << 28);
    PlainDnn* dnn = nullptr;
    std::shared_ptr<cuda::CudaBackend> backend;
    Fused() {
        cuda::CudaBackend::Options options;
        auto made = std::make_unique<PlainDnn>(runtime);
        dnn = made.get();
        options.dnn = std::move(made);
        backend = std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
    }
};

struct AttentionCase {
    std::int64_t queries, keys, heads, size, causal_block = 0, last_key_count = 0;
    bool narrow_out = true, dense = false;
};

void check(const AttentionCase& c) {
    SCOPED_TRACE(testing::Message() << c.queries << " x " << c.keys << ", block " << c.causal_block << ", last "
                                    << c.last_key_count);
    const Fused fused;
    const Emulated plain;
    const auto run = [&](Backend& backend) {
        const Tensor q = host({c.queries, c.heads, c.size}, 1, DType::bf16),
                     k = host({c.keys, c.heads, c.size}, 2, DType::bf16),
                     v = host({c.keys, c.heads, c.size}, 3, DType::bf16);
        AttentionOptions options{.scale = 0.7f, .causal_block = c.causal_block, .compute = DType::bf16};
        if (c.last_key_count) {
            Tensor bias = Tensor::zeros({c.keys});
            bias.data<float>()[c.keys - 1] = std::log(static_cast<float>(c.last_key_count));
            options.key_bias = backend.upload(bias);
            options.last_key_count = c.last_key_count;
        }
        Tensor out = backend.empty({c.queries, c.heads, c.size}, c.narrow_out ? DType::bf16 : DType::f32);
        const auto laid = [&](const Tensor& x) { return c.dense ? backend.upload(x) : strided(backend, x); };
        backend.attention(laid(q), laid(k), laid(v), options, out);
        return doubles(out);
    };
    Tensor found = Tensor::host({c.queries * c.heads * c.size});
    const std::vector<double> values = run(*fused.backend);
    for (std::size_t i = 0; i < values.size(); ++i) found.data<float>()[i] = static_cast<float>(values[i]);
    expect_near(found, run(*plain.backend), bf16_product_tolerance);
    EXPECT_GT(fused.dnn->attentions, 0);
}

TEST(FusedAttention, StridesCausalBlocksAndTheExtraKey) {
    check({20, 33, 2, 16});
    check({24, 24, 2, 16, 8});
    check({21, 21, 3, 8, 5});
    check({20, 12, 2, 16, 0, 500});
    check({20, 2, 1, 8, 0, 3});
    check({20, 33, 2, 16, 0, 0, false});
    for (const std::int64_t size : {24, 128, 256}) check({7, 12, 3, size, 0, 500, true, true});
}

TEST(FusedAttention, WhatItDoesNotKnowGoesThePlainWay) {
    const Fused fused;
    Backend& b = *fused.backend;
    const auto run = [&](DType type, std::int64_t size, const AttentionOptions& options) {
        const Tensor x = b.upload(host({6, 1, size}, 1, type));
        Tensor out = b.empty({6, 1, size}, type);
        b.attention(x, x, x, options, out);
    };
    run(DType::f32, 16, {});
    run(DType::bf16, 12, {.compute = DType::bf16});
    run(DType::bf16, 384, {.compute = DType::bf16});
    run(DType::bf16, 16, {.key_bias = b.upload(host({6}, 2)), .compute = DType::bf16});
    run(DType::bf16, 16, {.bias = b.upload(host({1, 6, 6}, 2)), .compute = DType::bf16});
    EXPECT_EQ(fused.dnn->attentions, 0);
}

struct ConvCase {
    std::int64_t frames, height, width, in, out;
    Shape kernel;
    ConvOptions options;
    bool residual = false, bias = true, missing = false, in_place = false;
};

void check(const ConvCase& c, bool stacked, bool adds = true, DType type = DType::bf16) {
    SCOPED_TRACE(testing::Message() << c.frames << " x " << c.height << " x " << c.width << " x " << c.in << " -> "
                                    << c.out << (stacked ? ", stacked" : ""));
    const Fused fused;
    fused.dnn->stacked = stacked;
    fused.dnn->adds = adds;
    const Emulated plain;
    const std::int64_t time = c.kernel.rank() == 3 ? c.kernel[0] : 1, grown = c.options.duplicate ? 2 : 1;
    const std::int64_t height =
        (c.height * grown + c.options.pad_top + c.options.pad_bottom - c.kernel[-2]) / c.options.stride + 1;
    const std::int64_t width =
        (c.width * grown + c.options.pad_left + c.options.pad_right - c.kernel[-1]) / c.options.stride + 1;
    const auto run = [&](Backend& backend) {
        Shape shape({c.out, c.in});
        for (const std::int64_t n : c.kernel) shape.push_back(n);
        const Weight w("w", host(shape, 1)), bias("b", host({c.out}, 2));
        std::vector<Tensor> frames;
        for (std::int64_t t = 0; t < (c.frames - 1) * c.options.time_stride + time; ++t)
            frames.push_back(c.missing && t == 0 ? Tensor()
                                                 : strided(backend, host({c.height, c.width, c.in},
                                                                         10 + static_cast<std::uint64_t>(t), type)));
        ConvOptions options = c.options;
        options.compute = type;
        options.tf32 = type == DType::f32;
        const Tensor residual = backend.upload(host({c.frames, height, width, c.out}, 5, type));
        Tensor out = c.in_place ? residual : backend.empty({c.frames, height, width, c.out}, type);
        backend.conv(frames, w, c.bias ? &bias : nullptr, c.residual ? &residual : nullptr, options, out);
        return backend.download(out);
    };
    expect_near(run(*fused.backend), doubles(run(*plain.backend)),
                type == DType::f32 ? tf32_tolerance : 2 * bf16_tolerance);
    EXPECT_EQ(fused.dnn->convs, c.frames);
    EXPECT_EQ(fused.dnn->with_residual, c.residual && c.bias && adds && !c.in_place ? c.frames : 0);
}

TEST(FusedConv, BordersTimeAndDuplication) {
    const ConvOptions same{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};
    ConvOptions grown = same;
    grown.duplicate = true;
    for (const bool stacked : {false, true}) {
        check(ConvCase{2, 5, 6, 8, 16, {3, 3, 3}, same, true}, stacked, true, DType::f32);
        check(ConvCase{1, 4, 5, 8, 3, {3, 3, 3}, same, false, true, true}, stacked, true, DType::f32);
        check(ConvCase{1, 5, 6, 8, 16, {3, 3, 3}, same, true}, stacked);
        check(ConvCase{2, 5, 6, 8, 8, {3, 3, 3}, same, true}, stacked, false);
        check(ConvCase{2, 5, 6, 8, 8, {3, 3, 3}, same, true, false}, stacked);
        check(ConvCase{2, 5, 6, 8, 8, {3, 3, 3}, same, false, true, true}, stacked);
        check(ConvCase{2, 5, 6, 8, 8, {3, 3, 3}, same, true, true, false, true}, stacked);
        check(ConvCase{1, 5, 6, 16, 8, {3, 3}, grown, true}, stacked);
        check(ConvCase{1, 6, 8, 8, 8, {3, 3}, {.stride = 2, .pad_bottom = 1, .pad_right = 1}}, stacked);
        check(ConvCase{2, 4, 5, 8, 8, {3, 1, 1}, {.time_stride = 2}, false, false}, stacked);
        check(ConvCase{1, 4, 5, 8, 3, {3, 3, 3}, same}, stacked); // three colours: padded to eight
        check(ConvCase{1, 4, 5, 8, 8, {1, 1, 1}, {}}, stacked);
    }
}

TEST(FusedConv, F32GoesTheExactWayUnlessTf32IsAllowed) {
    const Fused fused;
    const Emulated plain;
    const auto run = [](Backend& backend, DType type) {
        const Weight w("w", host({8, 8, 3, 3}, 1)), bias("b", host({8}, 2));
        const std::vector<Tensor> frames{backend.upload(host({5, 6, 8}, 3, type))};
        const Tensor residual = backend.upload(host({1, 5, 6, 8}, 5, type));
        Tensor out = backend.empty({1, 5, 6, 8}, type);
        backend.conv(frames, w, &bias, &residual, {.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1}, out);
        return doubles(out);
    };
    for (const DType type : {DType::f32, DType::bf16}) EXPECT_EQ(run(*fused.backend, type), run(*plain.backend, type));
    EXPECT_EQ(fused.dnn->convs, 0);
}

TEST(Conv, AResidualIsAddedBeforeTheSumIsRounded) {
    const auto run = [](Backend& backend, DType compute, DType type) {
        const Weight w("w", host({8, 8, 3, 3, 3}, 1, DType::bf16)), bias("b", host({8}, 2, DType::bf16));
        const Tensor frame = backend.upload(host({5, 6, 8}, 3, DType::bf16));
        const std::vector<Tensor> frames{Tensor(), Tensor(), frame, Tensor(), Tensor()}; // the last of three sees none
        const ConvOptions options{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1, .compute = compute};
        const Tensor residual = backend.upload(host({3, 5, 6, 8}, 5, DType::bf16));
        Tensor out = backend.empty({3, 5, 6, 8}, type);
        backend.conv(frames, w, &bias, &residual, options, out);
        return doubles(out);
    };
    const Emulated plain;
    const std::vector<double> once = rounded(run(*plain.backend, DType::f32, DType::f32));
    EXPECT_EQ(run(*plain.backend, DType::bf16, DType::bf16), once);
    const Fused fused; // a library that takes none of it
    fused.dnn->refuses = true;
    EXPECT_EQ(run(*fused.backend, DType::bf16, DType::bf16), once);
}

} // namespace
} // namespace denoir::test

// SPDX-License-Identifier: Apache-2.0
// What the backend asks of the card's library of fused attention and convolution: a stand-in does exactly that, slowly,
// and the results must be those of the plain kernels.
#include "tests/engine/backend/cuda/plain_dnn.h"

namespace denoir::test {
namespace {

struct AttentionCase {
    std::int64_t queries, keys, heads, size, causal_block = 0, last_key_count = 0;
    bool narrow_out = true, dense = false, added = false;
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
        if (c.added) options.added = backend.upload(host({c.queries, c.heads, c.size}, 4, out.dtype()));
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
    check({20, 3, 1, 8, 0, 3});
    check({20, 33, 2, 16, 0, 0, false});
    for (const std::int64_t size : {24, 128, 256}) check({7, 12, 3, size, 0, 500, true, true});
}

/// The result is added by the kernel of the extra key, or by one of its own.
TEST(FusedAttention, ATensorIsAddedToTheResult) {
    for (const bool narrow_out : {true, false})
        for (const std::int64_t last : {0, 500})
            for (const bool dense : {true, false}) check({20, 12, 2, 16, 0, last, narrow_out, dense, true});
}

TEST(FusedAttention, UnsupportedAttentionGoesThePlainWay) {
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
    // One key is too few, alone as in the first causal block.
    const Tensor q = b.upload(host({4, 1, 16}, 1, DType::bf16)), one = b.upload(host({1, 1, 16}, 2, DType::bf16));
    Tensor out = b.empty({4, 1, 16}, DType::bf16);
    b.attention(q, one, one, {.compute = DType::bf16}, out);
    b.attention(q, q, q, {.causal_block = 1, .compute = DType::bf16}, out);
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
        for (const DType type : {DType::bf16, DType::f32}) {
            check(ConvCase{1, 5, 6, 16, 16, {3, 3}, grown}, stacked, true, type);
            check(ConvCase{1, 1, 3, 8, 8, {3, 3}, grown, false, false}, stacked, true, type);
            check(ConvCase{1, 4, 3, 8, 3, {3, 3}, grown}, stacked, true, type); // is not computed in phases
        }
        check(ConvCase{1, 6, 8, 8, 8, {3, 3}, {.stride = 2, .pad_bottom = 1, .pad_right = 1}}, stacked);
        check(ConvCase{2, 4, 5, 8, 8, {3, 1, 1}, {.time_stride = 2}, false, false}, stacked);
        check(ConvCase{1, 4, 5, 8, 3, {3, 3, 3}, same}, stacked); // three colours, which are padded to eight channels
        check(ConvCase{1, 4, 5, 8, 8, {1, 1, 1}, {}}, stacked);
    }
}

/// With taps of whole numbers all sums are whole, so both ways must agree to the bit and each value must come from the
/// right pixel.
TEST(FusedConv, PhasesAreTheDuplicatedPicture) {
    const Tensor kernel = host({8, 8, 3, 3}, 1), picture = host({5, 4, 8}, 2), offsets = host({8}, 3);
    for (const Tensor* x : {&kernel, &picture, &offsets})
        for (float& v : x->span<float>()) v = std::round(3 * v);
    const auto run = [&](Backend& backend) {
        const Weight w("w", kernel), bias("b", offsets);
        const std::vector<Tensor> frames{backend.upload(picture)};
        Tensor out = backend.empty({1, 10, 8, 8}, DType::f32);
        ConvOptions options{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1, .duplicate = true};
        options.tf32 = true;
        // The second time uses the phases' taps that were kept.
        for (int i = 0; i < 2; ++i) backend.conv(frames, w, &bias, nullptr, options, out);
        return doubles(out);
    };
    const Fused fused;
    EXPECT_EQ(run(*fused.backend), run(*Emulated().backend));
    EXPECT_EQ(fused.dnn->convs, 2);
}

/// Three frames in one tensor [H, W, 3, C], frame i at place (i + turn) % 3.
std::vector<Tensor> side_by_side(Backend& backend, const std::vector<Tensor>& frames, int turn) {
    const Tensor& one = frames[0];
    const Tensor all = backend.empty({one.size(0), one.size(1), 3, one.size(2)}, one.dtype());
    std::vector<Tensor> views;
    for (int i = 0; i < 3; ++i) {
        Tensor view = all.select(2, (i + turn) % 3);
        backend.copy(frames[static_cast<std::size_t>(i)], view);
        views.push_back(view);
    }
    return views;
}

TEST(FusedConv, FramesSideBySideAreReadWhereTheyLie) {
    const ConvOptions padded{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};
    for (const DType type : {DType::bf16, DType::f32})
        for (const std::int64_t out_channels : {8, 3})
            for (const int turn : {0, 1, 2}) {
                SCOPED_TRACE(testing::Message() << info(type).name << ' ' << out_channels << ' ' << turn);
                const Fused fused;
                fused.dnn->stacked = true;
                ConvOptions options = padded;
                options.compute = type;
                options.tf32 = type == DType::f32;
                const Weight w("w", host({out_channels, 8, 3, 3, 3}, 1)), b("b", host({out_channels}, 2));
                EXPECT_TRUE(fused.backend->wants_frames_side_by_side(w, options));
                std::vector<Tensor> frames;
                for (std::uint64_t t = 0; t < 3; ++t)
                    frames.push_back(fused.backend->upload(host({5, 6, 8}, 10 + t, type)));
                const auto run = [&](const std::vector<Tensor>& in) {
                    Tensor out = fused.backend->empty({1, 5, 6, out_channels}, type);
                    fused.backend->conv(in, w, &b, nullptr, options, out);
                    return fused.backend->download(out);
                };
                const std::vector<Tensor> views = side_by_side(*fused.backend, frames, turn);
                const Tensor found = run(views);
                EXPECT_EQ(fused.dnn->last_x, views[static_cast<std::size_t>((3 - turn) % 3)].raw());
                expect_near(found, doubles(run(frames)), tolerance(type));
                for (const Tensor& view : views) EXPECT_NE(fused.dnn->last_x, view.raw());
                // If one is missing, or one is there twice, the frames are copied.
                const std::vector<Tensor> missing{Tensor(), views[1], views[2]}, twice{views[1], views[1], views[2]};
                expect_near(run(missing), doubles(run({Tensor(), frames[1], frames[2]})), tolerance(type));
                expect_near(run(twice), doubles(run({frames[1], frames[1], frames[2]})), tolerance(type));
                for (const Tensor& view : views) EXPECT_NE(fused.dnn->last_x, view.raw());
            }
}

TEST(FusedConv, WhereFramesAreWantedSideBySide) {
    const Weight w("w", host({8, 8, 3, 3, 3}, 1)), narrow("n", host({8, 4, 3, 3, 3}, 1)),
        flat("f", host({8, 8, 3, 3}, 1));
    const ConvOptions options{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1, .compute = DType::bf16};
    ConvOptions exact = options, uneven = options;
    exact.compute = DType::f32;
    uneven.pad_top = 0;
    const Fused fused;
    EXPECT_FALSE(fused.backend->wants_frames_side_by_side(w, options));
    fused.dnn->stacked = true;
    EXPECT_TRUE(fused.backend->wants_frames_side_by_side(w, options));
    EXPECT_FALSE(fused.backend->wants_frames_side_by_side(narrow, options));
    EXPECT_FALSE(fused.backend->wants_frames_side_by_side(flat, options));
    EXPECT_FALSE(fused.backend->wants_frames_side_by_side(w, exact));
    EXPECT_FALSE(fused.backend->wants_frames_side_by_side(w, uneven));
    EXPECT_FALSE(Emulated().backend->wants_frames_side_by_side(w, options));
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
        // Each of the three outputs sees the frame through another tap.
        const std::vector<Tensor> frames{Tensor(), Tensor(), frame, Tensor(), Tensor()};
        const ConvOptions options{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1, .compute = compute};
        const Tensor residual = backend.upload(host({3, 5, 6, 8}, 5, DType::bf16));
        Tensor out = backend.empty({3, 5, 6, 8}, type);
        backend.conv(frames, w, &bias, &residual, options, out);
        return doubles(out);
    };
    const Emulated plain;
    const std::vector<double> once = rounded(run(*plain.backend, DType::f32, DType::f32));
    EXPECT_EQ(run(*plain.backend, DType::bf16, DType::bf16), once);
    const Fused fused; // with a library that takes none of these
    fused.dnn->refuses = true;
    EXPECT_EQ(run(*fused.backend, DType::bf16, DType::bf16), once);
}

} // namespace
} // namespace denoir::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel_test.h"

namespace denoir::test {
namespace {

struct Case {
    std::int64_t frames, height, width, in, out; ///< frames: how many outputs there are
    Shape kernel;                                ///< [kt,kh,kw] or [kh,kw]
    ConvOptions options;
    DType type = DType::f32;
    bool residual = false, bias = true;
    std::vector<int> missing{}; ///< input frames that are left undefined and count as zeros
};

struct Sizes {
    std::int64_t time, kh, kw, inputs, height, width;
    explicit Sizes(const Case& c)
        : time(c.kernel.rank() == 3 ? c.kernel[0] : 1),
          kh(c.kernel[-2]),
          kw(c.kernel[-1]),
          inputs((c.frames - 1) * c.options.time_stride + time) {
        const std::int64_t grown = c.options.duplicate ? 2 : 1;
        height = (c.height * grown + c.options.pad_top + c.options.pad_bottom - kh) / c.options.stride + 1;
        width = (c.width * grown + c.options.pad_left + c.options.pad_right - kw) / c.options.stride + 1;
    }
};

std::vector<double> plain(const Case& c, const std::vector<std::vector<double>>& frames, std::vector<double> w,
                          std::vector<double> b, const std::vector<double>& residual) {
    const Sizes s(c);
    const bool bf16 = c.options.compute == DType::bf16;
    if (bf16) {
        w = rounded(w);
        b = rounded(b);
    }
    const std::int64_t grown = c.options.duplicate ? 2 : 1;
    std::vector<double> out;
    for (std::int64_t t = 0; t < c.frames; ++t)
        for (std::int64_t y = 0; y < s.height; ++y)
            for (std::int64_t x = 0; x < s.width; ++x)
                for (std::int64_t o = 0; o < c.out; ++o) {
                    double sum = c.bias ? b[static_cast<std::size_t>(o)] : 0;
                    for (std::int64_t dt = 0; dt < s.time; ++dt) {
                        const auto& frame = frames[static_cast<std::size_t>(t * c.options.time_stride + dt)];
                        for (std::int64_t dy = 0; dy < s.kh && !frame.empty(); ++dy)
                            for (std::int64_t dx = 0; dx < s.kw; ++dx) {
                                const std::int64_t py = y * c.options.stride - c.options.pad_top + dy,
                                                   px = x * c.options.stride - c.options.pad_left + dx;
                                if (py < 0 || px < 0 || py >= c.height * grown || px >= c.width * grown) continue;
                                for (std::int64_t i = 0; i < c.in; ++i) {
                                    double value =
                                        frame[static_cast<std::size_t>((py / grown * c.width + px / grown) * c.in + i)];
                                    if (bf16) value = static_cast<double>(round_to_bf16(static_cast<float>(value)));
                                    sum += value * w[static_cast<std::size_t>(
                                                       (((o * c.in + i) * s.time + dt) * s.kh + dy) * s.kw + dx)];
                                }
                            }
                    }
                    if (bf16) sum = static_cast<double>(round_to_bf16(static_cast<float>(sum)));
                    out.push_back(sum + (c.residual ? residual[out.size()] : 0));
                }
    return out;
}

void check(const Case& c) {
    const Sizes s(c);
    SCOPED_TRACE(testing::Message() << c.frames << " frames of " << c.height << " x " << c.width << " x " << c.in
                                    << " -> " << c.out);
    Shape kernel({c.out, c.in});
    for (const std::int64_t size : c.kernel) kernel.push_back(size);
    const Tensor w = host(kernel, 1), b = host({c.out}, 2),
                 residual = host({c.frames, s.height, s.width, c.out}, 3, c.type);
    std::vector<Tensor> frames;
    std::vector<std::vector<double>> wide;
    for (std::int64_t t = 0; t < s.inputs; ++t) {
        const bool there = std::find(c.missing.begin(), c.missing.end(), t) == c.missing.end();
        frames.push_back(there ? host({c.height, c.width, c.in}, 10 + static_cast<std::uint64_t>(t), c.type)
                               : Tensor());
        wide.push_back(there ? doubles(frames.back()) : std::vector<double>());
    }
    const Tensor out = same_on_any_threads([&](Backend& backend) {
        const Weight weight("w", w), bias("b", b);
        std::vector<Tensor> inputs;
        for (const Tensor& f : frames) inputs.push_back(f ? strided(backend, f) : f);
        const Tensor added = backend.upload(residual);
        Tensor result = backend.empty({c.frames, s.height, s.width, c.out}, c.type);
        backend.conv(inputs, weight, c.bias ? &bias : nullptr, c.residual ? &added : nullptr, c.options, result);
        return result;
    });
    const bool bf16 = c.type == DType::bf16 || c.options.compute == DType::bf16;
    expect_near(out, plain(c, wide, doubles(w), doubles(b), doubles(residual)),
                bf16             ? 2 * bf16_tolerance
                : c.options.tf32 ? tf32_tolerance
                                 : f32_tolerance);
}

ConvOptions same3() { return {.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1}; }

TEST(Conv, CausalThreeByThreeByThree) {
    check({3, 9, 14, 5, 7, {3, 3, 3}, same3()});
    check({2, 8, 8, 96, 96, {3, 3, 3}, same3(), DType::f32, true});
    check({1, 5, 300, 3, 20, {3, 3, 3}, same3()}); // wider than one tile
    check({1, 3, 4, 200, 6, {3, 3, 3}, same3()});  // deeper than one pass
}

TEST(Conv, FewOutputs) {
    for (const std::int64_t out : {1, 2, 3, 4}) {
        check({2, 7, 300, 17, out, {3, 3, 3}, same3(), DType::f32, true}); // wider than one tile
        check({1, 6, 5, 96, out, {3, 3, 3}, same3(), DType::f32, false, false, {0}});
        check({1, 6, 5, 5, out, {1, 1, 1}, {}, DType::bf16});
    }
}

TEST(Conv, FramesOfZeros) {
    check({2, 6, 7, 4, 5, {3, 3, 3}, same3(), DType::f32, false, true, {0, 1}});
    check({1, 6, 7, 4, 5, {3, 3, 3}, same3(), DType::f32, true, true, {0, 1, 2}});
    check({1, 6, 7, 8, 5, {3, 3, 3}, same3(), DType::f32, false, true, {2}});
    check({3, 6, 7, 8, 5, {3, 3, 3}, same3(), DType::f32, false, true, {1, 3}});
    check({2, 6, 7, 8, 5, {3, 3, 3}, same3(), DType::bf16, true, true, {0, 2}});
}

TEST(Conv, InTimeAlone) {
    check({3, 4, 5, 8, 16, {3, 1, 1}, {}});
    check({2, 4, 5, 8, 8, {3, 1, 1}, {.time_stride = 2}});
}

TEST(Conv, Pointwise) {
    check({2, 5, 6, 384, 32, {1, 1, 1}, {}});
    check({1, 5, 6, 2, 6, {1, 1}, {}, DType::f32, false, false});
}

TEST(Conv, Strided) {
    check({2, 8, 10, 6, 6, {3, 3}, {.stride = 2, .pad_bottom = 1, .pad_right = 1}});
    check({1, 9, 7, 6, 6, {3, 3}, {.stride = 2, .pad_bottom = 1, .pad_right = 1}}); // odd sizes
}

TEST(Conv, Duplicated) {
    ConvOptions options = same3();
    options.duplicate = true;
    check({2, 5, 6, 12, 6, {3, 3}, options});
    check({1, 1, 1, 3, 2, {3, 3}, options});
    options.compute = DType::bf16;
    check({1, 5, 6, 12, 6, {3, 3}, options, DType::bf16});
    check({1, 4, 5, 3, 2, {3, 3}, {.duplicate = true}}); // without padding, so that the phases change places
    check({1, 4, 5, 3, 2, {2, 2, 2}, {.pad_bottom = 1, .duplicate = true}});
}

TEST(Conv, Bf16) {
    ConvOptions options = same3();
    check({2, 6, 7, 24, 12, {3, 3, 3}, options, DType::bf16, true});
    options.compute = DType::bf16;
    check({2, 6, 7, 24, 12, {3, 3, 3}, options, DType::bf16, true});
    check({2, 6, 7, 24, 12, {3, 3, 3}, options});
    // This is deeper than one pass, and wider than one tile and one panel.
    check({1, 3, 270, 96, 49, {3, 3, 3}, options, DType::bf16, true});
    check({1, 5, 6, 200, 50, {3, 3, 3}, options}); // frames in f32
    check({1, 9, 7, 6, 6, {3, 3}, {.stride = 2, .pad_bottom = 1, .pad_right = 1, .compute = DType::bf16}});
    check({2, 5, 7, 3, 20, {3, 3, 3}, options}); // rows with an odd number of values
    check({2, 4, 5, 7, 9, {3, 1, 1}, {.compute = DType::bf16}, DType::bf16});
    check({2, 6, 7, 24, 3, {3, 3, 3}, options, DType::bf16});
    check({1, 6, 7, 4, 5, {3, 3, 3}, options, DType::bf16, true, true, {0, 1, 2}});
}

// Weights of 8-bit files must give the same bytes as their values in f32, whichever way the convolution takes.
TEST(Conv, ScaledRows) {
    ConvOptions doubled = same3(), strided;
    doubled.duplicate = true;
    strided.stride = 14;
    for (const auto& [kernel, options] : {std::pair{Shape{6, 20, 3, 3, 3}, same3()},
                                          {Shape{6, 20, 3, 3}, doubled},
                                          {Shape{6, 20, 1, 1}, ConvOptions{}},
                                          {Shape{6, 20, 14, 14}, strided}}) {
        Weight scaled("w", host(kernel, 1, DType::i8));
        scaled.scale = host({6}, 2);
        Tensor values = scaled.stored().to_host_f32();
        const std::int64_t columns = values.elements() / 6;
        for (std::int64_t i = 0; i < values.elements(); ++i)
            values.data<float>()[i] *= scaled.scale.data<float>()[i / columns];
        const Weight wide("w", values);
        const std::int64_t inputs = kernel.rank() == 5 ? 3 : 1;
        const auto convolved = [&](Backend& backend, const Weight& w) {
            const std::vector<Tensor> frames(static_cast<std::size_t>(inputs), backend.upload(host({28, 28, 20}, 3)));
            const std::int64_t side = options.stride > 1 ? 2 : options.duplicate ? 56 : 28;
            Tensor result = backend.empty({1, side, side, 6}, DType::f32);
            backend.conv(frames, w, nullptr, nullptr, options, result);
            return result;
        };
        same_on_any_threads([&](Backend& backend) {
            const Tensor found = convolved(backend, scaled);
            EXPECT_EQ(bytes_of(found), bytes_of(convolved(backend, wide)));
            return found;
        });
    }
}

TEST(Conv, Tf32WhereItIsAllowed) {
    ConvOptions options = same3();
    options.tf32 = true;
    check({2, 6, 7, 24, 16, {3, 3, 3}, options, DType::f32, true});
    check({1, 6, 7, 24, 3, {3, 3, 3}, options, DType::f32, false, true, {0, 1}});
    check({1, 6, 7, 3, 8, {3, 3, 3}, options}); // no library takes three channels
    check({2, 4, 5, 8, 16, {3, 1, 1}, {.time_stride = 2, .tf32 = true}});
    options.duplicate = true;
    check({1, 5, 6, 16, 8, {3, 3}, options});
}

TEST(Conv, ManyRowsAreCutIntoTiles) {
    check({1, 130, 70, 64, 64, {3, 3}, same3()});
    check({1, 130, 70, 10, 100, {3, 3}, same3()});
}

/// Taps of 3x3 and enough channels for Winograd's filter, with odd sizes, parts of vectors, several blocks and several
/// passes.
TEST(Conv, ThreeByThreeOverManyChannels) {
    check({2, 9, 27, 17, 33, {3, 3, 3}, same3(), DType::f32, true});
    check({1, 1, 15, 16, 16, {3, 3}, same3()});
    check({1, 6, 14, 16, 16, {3, 3}, same3()}); // too narrow for it
    check({1, 2, 67, 20, 100, {3, 3, 3}, same3()});
    check({3, 6, 33, 24, 16, {3, 3, 3}, same3(), DType::f32, true, true, {1, 3}});
    check({1, 6, 33, 24, 16, {3, 3, 3}, same3(), DType::f32, true, false, {0, 1, 2}});
    check({1, 35, 66, 16, 24, {3, 3}, same3(), DType::bf16, true});
    check({1, 5, 92, 600, 16, {3, 3}, same3()});
    check({2, 6, 28, 16, 16, {3, 3, 3}, {.time_stride = 2, .pad_left = 1, .pad_bottom = 1}});
    check({1, 7, 16, 16, 16, {3, 3}, {.pad_top = 2, .pad_left = 2, .pad_bottom = 3, .pad_right = 2}});
    ConvOptions grown = same3();
    grown.duplicate = true;
    check({2, 5, 6, 20, 17, {3, 3}, grown, DType::f32, true});
    check({1, 1, 1, 16, 16, {3, 3}, grown});
    check({1, 19, 37, 16, 40, {3, 3}, grown});
    check({1, 4, 5, 16, 16, {3, 3}, {.pad_top = 1, .pad_left = 1, .duplicate = true}}); // odd sizes
    check({1, 4, 5, 16, 16, {3, 3}, {.duplicate = true}});                              // the phases change places
    ConvOptions bf16 = same3();
    bf16.compute = DType::bf16;
    check({1, 6, 27, 17, 24, {3, 3, 3}, bf16, DType::bf16, true}); // rows with an odd number of values make no pairs
}

/// A picture that is computed in parts must be the same to the bit if the parts begin at even rows and columns.
TEST(Conv, PartsOfAPictureAreThePicture) {
    for (const bool duplicate : {false, true}) {
        const auto& backend = backend_under_test();
        if (backend->device().kind != Device::Kind::cpu) GTEST_SKIP() << "a card's libraries choose by size";
        const std::int64_t height = 13, width = 41, channels = 24, grown = duplicate ? 2 : 1;
        const Tensor picture = backend->upload(host({height, width, channels}, 1));
        const Weight weight("w", host({16, channels, 3, 3}, 2));
        ConvOptions options = same3();
        options.duplicate = duplicate;
        const auto run = [&](const Tensor& frame, const ConvOptions& o) {
            Tensor out = backend->empty({1, frame.size(0) * grown - 2 + o.pad_top + o.pad_bottom,
                                         frame.size(1) * grown - 2 + o.pad_left + o.pad_right, 16},
                                        DType::f32);
            backend->conv({&frame, 1}, weight, nullptr, nullptr, o, out);
            return backend->download(out).select(0, 0);
        };
        const Tensor whole = run(picture, options);
        for (const std::int64_t top : {2, 6}) {
            // Outputs at the cut's edge lack what lies beyond it; from the second row on they are whole.
            const Tensor part = run(picture.slice(0, top, height).slice(1, 4, 37), options);
            const std::int64_t rows = part.size(0) - 2, columns = part.size(1) - 4, from = top * grown + 2,
                               left = 4 * grown + 2;
            EXPECT_EQ(doubles(part.slice(0, 2, 2 + rows).slice(1, 2, 2 + columns)),
                      doubles(whole.slice(0, from, from + rows).slice(1, left, left + columns)))
                << duplicate << " " << top;
        }
    }
}

} // namespace
} // namespace denoir::test

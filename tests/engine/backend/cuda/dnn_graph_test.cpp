// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/dnn_library.h"

#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {
TEST(DnnGraph, First) {
    const auto runtime = std::make_shared<cuda::FakeRuntime>(std::size_t{1} << 28);
    cuda::CudaBackend::Options options;
    options.dnn = open_fake_dnn(*runtime);
    const auto backend = std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
    const Emulated plain;
    const auto run = [](Backend& b) {
        const Weight w("w", host({16, 8, 3, 3}, 1)), bias("b", host({16}, 2));
        const std::vector<Tensor> frames{b.upload(host({5, 6, 8}, 3, DType::bf16))};
        Tensor out = b.empty({1, 5, 6, 16}, DType::bf16);
        ConvOptions o{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1, .compute = DType::bf16};
        b.conv(frames, w, &bias, nullptr, o, out);
        return b.download(out);
    };
    expect_near(run(*backend), doubles(run(*plain.backend)), 2 * bf16_tolerance);
    EXPECT_EQ(fake_dnn().plans[FakeDnn::convolution][0].started, 1);
}
} // namespace
} // namespace denoir::test

// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/libraries/fake_dnn.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {
namespace {

/// Attention on one joined product [L, 3·2·16], followed by a convolution.
Tensor both(Backend& backend, const Tensor& joined, const Weight& w, const Weight& bias) {
    const auto part = [&](int i) { return joined.slice(1, i * 32, i * 32 + 32).split(1, 16); };
    const std::int64_t tokens = joined.size(0);
    Tensor attended = backend.empty({tokens, 2, 16}, DType::bf16), out = backend.empty({1, 4, 6, 8}, DType::bf16);
    backend.attention(part(0), part(1), part(2), {.scale = 0.7f, .compute = DType::bf16}, attended);
    const std::vector<Tensor> frames{attended.reshape({4, 6, 32})};
    const ConvOptions same{.pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1, .compute = DType::bf16};
    backend.conv(frames, w, &bias, nullptr, same, out);
    return out;
}

int all_started() {
    int sum = 0;
    for (const auto& plans : fake_dnn().plans)
        for (const FakeDnn::Plan& plan : plans) sum += plan.started;
    return sum;
}

TEST(FusedAttention, AndConvolutionsAreRecorded) {
    for (const auto& backend : backends_under_test()) {
        const Weight w("w", host({8, 32, 3, 3}, 1)), bias("b", host({8}, 2));
        const auto body = [&](std::span<const Tensor> in) { return both(*backend, in[0], w, bias); };
        for (std::uint64_t i = 0; i < 4; ++i) {
            const std::vector<Tensor> in{backend->upload(host({24, 96}, 10 + i, DType::bf16))};
            const std::vector<std::byte> expected = bytes_of(body(in));
            const int before = all_started();
            EXPECT_EQ(bytes_of(backend->captured("both", in, body)), expected) << i;
            // It runs once as it is, once to be recorded, and then never again.
            EXPECT_EQ(all_started() - before, i < 2 ? 2 : 0) << i;
        }
        backend->trim();
    }
}

} // namespace
} // namespace denoir::test

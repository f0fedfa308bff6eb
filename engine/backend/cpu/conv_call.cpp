// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/conv_call.h"

#include <algorithm>

#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

/// Depth of one pass: a panel of this depth fits into the L1 cache.
constexpr std::int64_t depth_step = 512;

} // namespace

bool ConvCall::read_window(const Tensor& frame, const Window& w, std::int64_t copies, std::byte* to) const {
    if (!frame) return false;
    const std::int64_t height = frame.size(0) * copies, width = frame.size(1) * copies, channels = kernel.in;
    const std::int64_t begin = std::clamp<std::int64_t>(w.left, 0, width),
                       end = std::clamp(w.left + w.columns, begin, width);
    const bool dense = frame.stride(1) == channels && copies == 1;
    const std::int64_t pixels = dense ? std::max<std::int64_t>(1, end - begin) : 1,
                       pixel = channels * element_bytes(factors); // in bytes
    for (std::int64_t y = w.top; y < w.top + w.rows; ++y, to += w.columns * pixel) {
        if (y < 0 || y >= height || begin == end) {
            std::fill_n(to, w.columns * pixel, std::byte{0});
            continue;
        }
        std::fill_n(to, (begin - w.left) * pixel, std::byte{0});
        std::fill_n(to + (end - w.left) * pixel, (w.left + w.columns - end) * pixel, std::byte{0});
        for (std::int64_t x = begin; x < end; x += pixels)
            read_factors(kernels, frame.dtype(),
                         frame.raw() + (y / copies * frame.stride(0) + x / copies * frame.stride(1)) *
                                           element_bytes(frame.dtype()),
                         pixels * channels, factors, options.compute == DType::bf16, to + (x - w.left) * pixel);
    }
    return true;
}

void ConvCall::multiply(const std::byte* a, std::int64_t lda, const std::byte* panels, std::int64_t k, std::int64_t m,
                        float* sums, bool accumulate) const {
    const std::int64_t padded = kernel.padded(kernels);
    if (kernel.dotted()) {
        float partial[most_rows];
        assert(m <= most_rows);
        const auto *pixels = reinterpret_cast<const float*>(a), *weight = reinterpret_cast<const float*>(panels);
        for (std::int64_t o = 0; o < kernel.out; ++o) {
            kernels.dot(pixels, lda, m, weight + o * k, k, partial, 1);
            for (std::int64_t i = 0; i < m; ++i)
                sums[i * padded + o] = accumulate ? sums[i * padded + o] + partial[i] : partial[i];
        }
        return;
    }
    const std::int64_t bytes = element_bytes(factors), panel = kernels.tile_columns;
    for (std::int64_t o = 0; o < kernel.out; o += panel, panels += k * panel * bytes)
        for (std::int64_t p = 0; p < k; p += depth_step)
            gemm(kernels, factors, a + p * bytes, lda, panels + p * panel * bytes, std::min(depth_step, k - p), m,
                 std::min(panel, kernel.out - o), sums + o, padded, accumulate || p > 0);
}

void ConvCall::write_row(float* sums, std::int64_t n, std::int64_t frame, std::int64_t y, std::int64_t x,
                         std::int64_t step) const {
    const std::int64_t channels = kernel.out, padded = kernel.padded(kernels);
    float extra[run_length];
    for (std::int64_t i = 0; i < n; ++i, x += step, sums += padded) {
        if (bias) kernels.add(sums, bias, sums, channels);
        if (options.compute == DType::bf16) kernels.round_bf16(sums, sums, channels);
        if (residual) {
            const std::int64_t at = frame * residual->stride(0) + y * residual->stride(1) + x * residual->stride(2);
            for (std::int64_t c = 0; c < channels; c += run_length) {
                const std::int64_t part = std::min(run_length, channels - c);
                const std::byte* from = residual->raw() + (at + c) * element_bytes(residual->dtype());
                kernels.add(sums + c, as_f32(kernels, residual->dtype(), from, part, extra), sums + c, part);
            }
        }
        const std::int64_t to = frame * out.stride(0) + y * out.stride(1) + x * out.stride(2);
        store_f32(kernels, sums, out.dtype(), out.raw() + to * element_bytes(out.dtype()), channels);
    }
}

} // namespace denoir::cpu

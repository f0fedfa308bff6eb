// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

/// Copies n elements from one type and stride to another.
void copy_run(const Kernels& kernels, const Tensor& in, std::int64_t from, std::int64_t from_stride, Tensor& out,
              std::int64_t to, std::int64_t to_stride, std::int64_t n, float* scratch) {
    if (in.dtype() != out.dtype())
        return scatter_run(kernels, gather_run(kernels, in, from, from_stride, n, scratch), out, to, to_stride, n);
    const std::int64_t bytes = element_bytes(in.dtype());
    const std::byte* source = in.raw() + from * bytes;
    std::byte* target = out.raw() + to * bytes;
    if (from_stride == 1 && to_stride == 1) {
        std::memcpy(target, source, static_cast<std::size_t>(n * bytes));
        return;
    }
    const auto each = [&](auto zero) {
        using T = decltype(zero);
        for (std::int64_t i = 0; i < n; ++i)
            std::memcpy(target + i * to_stride * bytes, source + i * from_stride * bytes, sizeof(T));
    };
    switch (bytes) {
    case 1:
        return each(std::uint8_t{});
    case 2:
        return each(std::uint16_t{});
    case 4:
        return each(std::uint32_t{});
    default:
        return each(std::uint64_t{});
    }
}

} // namespace

void CpuBackend::copy(const Tensor& in, Tensor& out) {
    assert(in.shape() == out.shape() && !is_block(in.dtype()));
    if (out.elements() == 0) return;
    Walk<2> walk({&out, &in});
    // A transposing copy: puts the axis along which the input is dense next to the output's, and walks tiles of both,
    // so that a cache line is used completely while it is in the cache.
    constexpr std::int64_t tile = 32;
    const auto last = static_cast<std::size_t>(walk.rank - 1);
    std::size_t dense = last;
    for (std::size_t axis = 0; axis < last; ++axis)
        if (walk.stride[1][axis] == 1) dense = axis;
    if (dense != last && last > 0) {
        std::swap(walk.size[dense], walk.size[last - 1]);
        for (auto& stride : walk.stride) std::swap(stride[dense], stride[last - 1]);
    }
    const bool tiled = dense != last;
    const std::int64_t inner = walk.inner(), step = tiled ? tile : std::min(inner, run_length);
    const std::int64_t across = tiled ? walk.size[last - 1] : 1, group = tiled ? tile : 1;
    const std::int64_t outer = walk.rows() / across;
    const std::int64_t blocks_in = divide_up(inner, step), blocks_across = divide_up(across, group);
    const std::int64_t blocks = outer * blocks_in * blocks_across,
                       per_piece = std::max<std::int64_t>(1, values_of_a_piece / (step * group));
    const Scratch scratch(*this, run_length);
    pool_.run(divide_up(blocks, per_piece), [&](std::int64_t piece, int worker) {
        for (std::int64_t block = piece * per_piece; block < std::min(blocks, (piece + 1) * per_piece); ++block) {
            const std::int64_t first = block % blocks_in * step, n = std::min(step, inner - first);
            const std::int64_t begin = block / blocks_in % blocks_across * group, end = std::min(across, begin + group);
            for (std::int64_t row = begin; row < end; ++row) {
                const std::int64_t at = block / blocks_in / blocks_across * across + row;
                copy_run(kernels_, in, walk.offset(1, at) + first * walk.inner_stride(1), walk.inner_stride(1), out,
                         walk.offset(0, at) + first * walk.inner_stride(0), walk.inner_stride(0), n,
                         scratch.of(worker));
            }
        }
    });
}

} // namespace denoir::cpu

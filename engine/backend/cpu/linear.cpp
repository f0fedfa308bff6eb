// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"
#include "engine/backend/cpu/weight_rows.h"

namespace denoir::cpu {
namespace {

/// Depth of one pass over a tile: a panel of this depth fits the first cache. A multiple of every storage block.
constexpr std::int64_t depth_step = 512;
/// Up to here the weights are read once and dotted with every row of x: nothing is packed for so few rows.
constexpr std::int64_t few_rows = 8;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The smallest multiple of `unit` that cuts `size` into as few equal tiles as tiles of at most `limit` would.
std::int64_t even_tile(std::int64_t size, std::int64_t limit, std::int64_t unit) {
    const std::int64_t tiles = divide_up(size, limit);
    return divide_up(divide_up(size, tiles), unit) * unit;
}

/// The end of a linear layer for one row of sums, in the first cache: bias, rounding, activation.
void finish_row(const Kernels& kernels, float* sums, const float* bias, const LinearOptions& options, std::int64_t n) {
    const bool round = options.compute == DType::bf16;
    if (bias) kernels.add(sums, bias, sums, n);
    if (round) kernels.round_bf16(sums, sums, n);
    if (options.activation == Activation::none) return;
    kernels.activate(options.activation, sums, sums, n);
    if (round) kernels.round_bf16(sums, sums, n);
}

} // namespace

void CpuBackend::linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions& options, Tensor& out) {
    const bool round = options.compute == DType::bf16;
    const WeightRows weight(kernels_, w, round);
    const Tensor offsets = bias ? parameter(*bias, round) : Tensor();
    const float* add = bias ? offsets.data<float>() : nullptr;
    assert(x.size(1) == weight.columns() && out.size(1) == weight.count());
    if (x.size(0) <= few_rows)
        linear_few_rows(x, weight, add, options, out);
    else
        linear_tiles(x, weight, add, options, out);
}

void CpuBackend::linear_few_rows(const Tensor& x, const WeightRows& weight, const float* bias, const LinearOptions& options, Tensor& out) {
    const std::int64_t rows = x.size(0), depth = x.size(1), columns = out.size(1), step = 64;
    if (rows == 0) return;
    Tensor wide = empty({rows, depth}, DType::f32);
    for (std::int64_t i = 0; i < rows; ++i) {
        float* row = wide.data<float>() + i * depth;
        store_f32(kernels_, as_f32(kernels_, x.dtype(), row_of(x, i), depth, row), DType::f32, reinterpret_cast<std::byte*>(row), depth);
        if (options.compute == DType::bf16) kernels_.round_bf16(row, row, depth);
    }
    const Scratch scratch(*this, depth + rows * step);
    pool_.run(divide_up(columns, step), [&](std::int64_t piece, int worker) {
        const std::int64_t begin = piece * step, end = std::min(columns, begin + step);
        float *unpacked = scratch.of(worker), *sums = unpacked + depth;
        for (std::int64_t column = begin; column < end; ++column) {
            const float* row = weight.direct(column);
            if (!row) {
                weight.read(column, 0, depth, unpacked);
                row = unpacked;
            }
            kernels_.dot(wide.data<float>(), depth, rows, row, depth, sums + column - begin, step);
        }
        for (std::int64_t i = 0; i < rows; ++i) {
            finish_row(kernels_, sums + i * step, bias ? bias + begin : nullptr, options, end - begin);
            store_f32(kernels_, sums + i * step, out.dtype(), row_of(out, i) + begin * element_bytes(out.dtype()), end - begin);
        }
    });
}

void CpuBackend::linear_tiles(const Tensor& x, const WeightRows& weight, const float* bias, const LinearOptions& options, Tensor& out) {
    const std::int64_t rows = x.size(0), depth = x.size(1), columns = out.size(1), panel = kernels_.tile_columns;
    const std::int64_t tile_columns = even_tile(columns, 256, panel);
    // About 1.2 GFLOP a tile at most: 12 ms at 100 GFLOP/s. More rows mean less unpacking of weights for each result.
    const std::int64_t row_limit = std::clamp<std::int64_t>(600'000'000 / std::max<std::int64_t>(1, depth * tile_columns), 132, 528);
    const std::int64_t tile_rows = even_tile(rows, row_limit, kernels_.tile_rows);
    const std::int64_t across = divide_up(columns, tile_columns), lda = depth_step + 16;
    const Scratch scratch(*this, tile_rows * lda + (panel + tile_columns) * depth_step + tile_rows * tile_columns);
    pool_.run(divide_up(rows, tile_rows) * across, [&](std::int64_t piece, int worker) {
        const std::int64_t row = piece / across * tile_rows, m = std::min(tile_rows, rows - row);
        const std::int64_t column = piece % across * tile_columns, n = std::min(tile_columns, columns - column);
        float* a = scratch.of(worker);
        float *unpacked = a + tile_rows * lda, *panels = unpacked + panel * depth_step, *c = panels + tile_columns * depth_step;
        for (std::int64_t k = 0; k < depth; k += depth_step) {
            const std::int64_t count = std::min(depth_step, depth - k);
            for (std::int64_t i = 0; i < m; ++i) {
                float* to = a + i * lda;
                const std::byte* from = row_of(x, row + i) + k * element_bytes(x.dtype());
                const float* values = as_f32(kernels_, x.dtype(), from, count, to);
                if (options.compute == DType::bf16 && x.dtype() != DType::bf16)
                    kernels_.round_bf16(values, to, count);
                else
                    store_f32(kernels_, values, DType::f32, reinterpret_cast<std::byte*>(to), count);
            }
            for (std::int64_t j = 0; j < n; j += panel) {
                const std::int64_t wide = std::min(panel, n - j);
                const float* from = weight.direct(column + j);
                if (from)
                    kernels_.pack_transposed(from + k, depth, wide, count, panels + j * count);
                else {
                    for (std::int64_t i = 0; i < wide; ++i) weight.read(column + j + i, k, k + count, unpacked + i * count);
                    kernels_.pack_transposed(unpacked, count, wide, count, panels + j * count);
                }
            }
            kernels_.gemm(a, lda, panels, count, m, n, c, tile_columns, k > 0);
        }
        for (std::int64_t i = 0; i < m; ++i) {
            if (depth == 0) std::fill_n(c + i * tile_columns, n, 0.0f);
            finish_row(kernels_, c + i * tile_columns, bias ? bias + column : nullptr, options, n);
            store_f32(kernels_, c + i * tile_columns, out.dtype(), row_of(out, row + i) + column * element_bytes(out.dtype()), n);
        }
    });
}

} // namespace denoir::cpu

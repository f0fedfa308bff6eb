// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

/// The runs of a walk, in order; `per_piece` of them make one piece of work.
struct Runs {
    std::int64_t inner, per_row, count, per_piece;

    template <int n> explicit Runs(const Walk<n>& walk)
        : inner(walk.inner()),
          per_row(divide_up(inner, run_length)),
          count(walk.rows() * per_row),
          per_piece(std::max<std::int64_t>(1, values_of_a_piece / std::min(inner, run_length))) {}
    std::int64_t pieces() const { return divide_up(count, per_piece); }
    std::int64_t end(std::int64_t piece) const { return std::min(count, (piece + 1) * per_piece); }
    std::int64_t first(std::int64_t run) const { return run % per_row * run_length; }
    std::int64_t length(std::int64_t run) const { return std::min(run_length, inner - first(run)); }
};

} // namespace

void CpuBackend::binary(RowOperation operation, const Tensor& a, const Tensor& b, Tensor& out) {
    assert(a.shape() == out.shape() && b.shape() == out.shape());
    if (out.elements() == 0) return;
    const Walk<3> walk({&out, &a, &b});
    const Runs runs(walk);
    const Scratch scratch(*this, 3 * run_length);
    pool_.run(runs.pieces(), [&](std::int64_t piece, int worker) {
        float* memory = scratch.of(worker);
        for (std::int64_t run = piece * runs.per_piece; run < runs.end(piece); ++run) {
            const std::int64_t row = run / runs.per_row, first = runs.first(run), n = runs.length(run);
            const auto at = [&](int t) { return walk.offset(t, row) + first * walk.inner_stride(t); };
            const float* x = gather_run(kernels_, a, at(1), walk.inner_stride(1), n, memory);
            const float* y = gather_run(kernels_, b, at(2), walk.inner_stride(2), n, memory + run_length);
            float* result = memory + 2 * run_length;
            if (walk.inner_stride(0) == 1)
                result = result_row(out.dtype(), out.raw() + at(0) * element_bytes(out.dtype()), result);
            operation(x, y, result, n);
            scatter_run(kernels_, result, out, at(0), walk.inner_stride(0), n);
        }
    });
}

void CpuBackend::add(const Tensor& a, const Tensor& b, Tensor& out) { binary(kernels_.add, a, b, out); }

void CpuBackend::multiply(const Tensor& a, const Tensor& b, Tensor& out) { binary(kernels_.multiply, a, b, out); }

void CpuBackend::activate(Activation kind, const Tensor& in, Tensor& out) {
    assert(in.shape() == out.shape());
    if (out.elements() == 0) return;
    const Walk<2> walk({&out, &in});
    const Runs runs(walk);
    const Scratch scratch(*this, 2 * run_length);
    pool_.run(runs.pieces(), [&](std::int64_t piece, int worker) {
        float* memory = scratch.of(worker);
        for (std::int64_t run = piece * runs.per_piece; run < runs.end(piece); ++run) {
            const std::int64_t row = run / runs.per_row, first = runs.first(run), n = runs.length(run);
            const auto at = [&](int t) { return walk.offset(t, row) + first * walk.inner_stride(t); };
            const float* x = gather_run(kernels_, in, at(1), walk.inner_stride(1), n, memory);
            kernels_.activate(kind, x, memory + run_length, n);
            scatter_run(kernels_, memory + run_length, out, at(0), walk.inner_stride(0), n);
        }
    });
}

void CpuBackend::fill(Tensor& out, float value) {
    if (out.elements() == 0) return;
    const Walk<2> walk({&out, &out});
    const Runs runs(walk);
    const Scratch scratch(*this, run_length);
    for (int worker = 0; worker < threads(); ++worker) std::fill_n(scratch.of(worker), run_length, value);
    pool_.run(runs.pieces(), [&](std::int64_t piece, int worker) {
        for (std::int64_t run = piece * runs.per_piece; run < runs.end(piece); ++run) {
            const std::int64_t at = walk.offset(0, run / runs.per_row) + runs.first(run) * walk.inner_stride(0);
            scatter_run(kernels_, scratch.of(worker), out, at, walk.inner_stride(0), runs.length(run));
        }
    });
}

} // namespace denoir::cpu

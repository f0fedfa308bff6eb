// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "engine/backend/cpu/kernels.h"
#include "engine/core/tensor.h"

namespace denoir::cpu {

/// a / b rounded up, for a >= 0.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The n elements at `from` (stride 1) as f32: in place if they are f32, else converted into `scratch`.
const float* as_f32(const Kernels&, DType, const std::byte* from, std::int64_t n, float* scratch);
/// Writes n f32 values as f32 or bf16.
void store_f32(const Kernels&, const float* values, DType, std::byte* to, std::int64_t n);
/// Converts n values to factors of the matrix kernel: to bf16 or, if `factors` is f32, to f32, rounded to bf16 values
/// if `round`.
void read_factors(const Kernels&, DType from_type, const std::byte* from, std::int64_t n, DType factors, bool round,
                  std::byte* to);
/// Kernels::gemm or gemm_bf16, depending on `factors`.
void gemm(const Kernels&, DType factors, const std::byte* a, std::int64_t lda, const std::byte* panels, std::int64_t k,
          std::int64_t m, std::int64_t n, float* c, std::int64_t ldc, bool accumulate);
/// Where a kernel may write its f32 results: the row itself if it is f32, else `scratch`, which store_f32() then
/// narrows.
inline float* result_row(DType dtype, std::byte* to, float* scratch) {
    return dtype == DType::f32 ? reinterpret_cast<float*>(to) : scratch;
}

inline std::byte* row_of(const Tensor& x, std::int64_t row) {
    return x.raw() + row * x.stride(0) * element_bytes(x.dtype());
}

/// Iterates over tensors of the same shape together. Axes that are contiguous in all of them are joined, axes of size 1
/// are dropped; at least one axis is left.
template <int count> struct Walk {
    int rank = 0;
    std::array<std::int64_t, Shape::max_rank> size{};
    std::array<std::array<std::int64_t, Shape::max_rank>, count> stride{}; ///< in elements

    explicit Walk(const std::array<const Tensor*, count>& tensors);
    std::int64_t inner() const { return size[static_cast<std::size_t>(rank - 1)]; }
    std::int64_t inner_stride(int tensor) const {
        return stride[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(rank - 1)];
    }
    /// Product of all axes but the last.
    std::int64_t rows() const;
    /// Elements from the start of `tensor` to row `row`.
    std::int64_t offset(int tensor, std::int64_t row) const;
};

/// Rows are processed in runs of this many elements, so that their scratch memory stays in the L1 cache.
constexpr std::int64_t run_length = 2048;
/// The approximate number of values of one piece of work, enough to be worth the pool's overhead.
constexpr std::int64_t values_of_a_piece = 65536;

/// The n <= run_length elements of a run as f32: in place if they are contiguous f32, else gathered into `scratch`.
const float* gather_run(const Kernels&, const Tensor& x, std::int64_t offset, std::int64_t stride, std::int64_t n,
                        float* scratch);
/// Stores the values of a run, the opposite of gather_run(), as f32 or bf16.
void scatter_run(const Kernels&, const float* values, Tensor& out, std::int64_t offset, std::int64_t stride,
                 std::int64_t n);

extern template struct Walk<2>;
extern template struct Walk<3>;

} // namespace denoir::cpu

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/tensor.h"

namespace denoir::metrics {

/// How far apart two tensors of one shape are. B is the one that errors are measured against.
struct TensorDifference {
    DType dtype_a = DType::f32, dtype_b = DType::f32;
    Shape shape; ///< of B
    std::int64_t elements = 0;
    double max_abs = 0;       ///< largest |a - b|
    double mean_abs = 0;      ///< mean |a - b|
    double mean_norm = 0;     ///< mean |b|: the mean norm of an activation
    double error_squares = 0; ///< sum of (a - b)²
    double norm_squares = 0;  ///< sum of b²
    /// The part of error_squares that is the same in every row: rows · sum over columns of (mean of a - b)². Rounding
    /// leaves about one row's share of it; a wrong bias is all of it. 0 for tensors without rows.
    double shared_squares = 0;
    double cosine = 1;      ///< of a and b as vectors; 1 where both are zero
    std::int64_t worst = 0; ///< flat index of max_abs
    double worst_a = 0, worst_b = 0;
    /// Places where one side is NaN or infinite and the other is not the same: they count in nothing above.
    std::int64_t not_finite = 0;
    /// Places where both are the same NaN or infinity: no difference, and no numbers either.
    std::int64_t both_not_finite = 0;

    /// Of one dtype and equal byte for byte. The above is of values as f32: 0 also for f64 and whole numbers that f32
    /// does not tell apart, for -0 beside 0, and for equal values of two dtypes.
    bool same_bits = true;

    /// max_abs / mean_norm; infinite where B is all zero and A is not, or where not_finite.
    double normalised() const;
    /// Length of the difference over the length of B, the root of error_squares / norm_squares; infinite as above.
    double relative() const;
    std::int64_t rows() const { return shape.rank() >= 2 && shape[-1] > 0 ? elements / shape[-1] : 1; }
};

/// Host tensors of any strides and any dtype but block types, with the same sizes once axes of size 1 are left out
/// (asserted). Sums are in f64, in one order.
TensorDifference difference(const Tensor& a, const Tensor& b);
/// What is computed from each element for itself.
enum class Pointwise { product, silu, gelu };
/// What it is of the tensors of A (two of one size for a product, else one) against those of B, which are as many:
/// length of the difference over the length of B's result. Each as for `difference`; places that are not finite count
/// in neither.
double pointwise_difference(Pointwise, std::span<const Tensor> a, std::span<const Tensor> b);
/// True where `difference` can be taken: the same sizes once axes of size 1 are left out.
bool comparable(const Shape& a, const Shape& b);

/// How the values of a pair and their differences are spread.
struct PairHistograms {
    double low = 0, high = 0;        ///< range of the values of both, cut into as many bins as there are counts
    std::vector<std::uint64_t> a, b; ///< equally wide bins
    /// How |a - b| is spread, in decades. Bin i of `error` holds 10^(error_low + i) … 10^(error_low + i + 1), the first
    /// all that are smaller, too; equal values are counted apart. -9 but where the largest has no bin then.
    int error_low = -9;
    std::vector<std::uint64_t> error;
    std::uint64_t equal = 0, not_finite = 0;
};
/// As `difference`; `bins` from 1 on.
PairHistograms histograms(const Tensor& a, const Tensor& b, int bins = 64);

} // namespace denoir::metrics

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/tensor.h"

namespace denoir::metrics {

/// How far apart two tensors of one shape are. B is the reference.
struct TensorDifference {
    DType dtype_a = DType::f32, dtype_b = DType::f32;
    Shape shape; ///< of B
    std::int64_t elements = 0;
    double max_abs = 0;       ///< largest |a - b|
    double mean_abs = 0;      ///< mean |a - b|
    double mean_norm = 0;     ///< mean |b|: the mean norm of an activation
    double error_squares = 0; ///< sum of (a - b)²
    double norm_squares = 0;  ///< sum of b²
    /// The part of error_squares that all rows have in common: rows · sum over columns of (mean of a - b)². It is about
    /// error_squares / rows if the error is rounding, and all of error_squares if it is a wrong bias. 0 for tensors
    /// without rows.
    double shared_squares = 0;
    double cosine = 1;      ///< of a and b as vectors; 1 where both are zero
    std::int64_t worst = 0; ///< flat index of max_abs
    double worst_a = 0, worst_b = 0;
    /// Elements where one side is NaN or infinite and the other is not the same; they count in nothing above.
    std::int64_t not_finite = 0;
    /// Elements where both are NaN, or the same infinity: no difference, but they count in nothing above either.
    std::int64_t both_not_finite = 0;

    /// Same dtype, and equal byte for byte. The fields above compare values as f32 and may be 0 even if this is false:
    /// for f64 values and integers that f32 does not tell apart, for -0 and 0, and for equal values of two dtypes.
    bool same_bits = true;

    /// max_abs / mean_norm; infinite if B is all zero and A is not, or if not_finite.
    double normalised() const;
    /// |a - b|₂ / |b|₂, the root of error_squares / norm_squares; infinite as above.
    double relative() const;
    std::int64_t rows() const { return shape.rank() >= 2 && shape[-1] > 0 ? elements / shape[-1] : 1; }
};

/// The difference of host tensors of any strides and any dtype but block types, of the same sizes apart from axes of
/// size 1 (asserted). Sums are in f64, in a fixed order.
TensorDifference difference(const Tensor& a, const Tensor& b);
/// An operation that is computed element by element.
enum class Pointwise { product, silu, gelu };
/// The relative difference |f(a) - f(b)|₂ / |f(b)|₂ of the operation's results for the inputs of A and of B: two
/// tensors of one size each for a product, else one. Tensors as for difference(); elements that are not finite do not
/// count.
double pointwise_difference(Pointwise, std::span<const Tensor> a, std::span<const Tensor> b);
/// Whether difference() can be taken: the same sizes apart from axes of size 1.
bool comparable(const Shape& a, const Shape& b);

/// Histograms of the values of two tensors, and of their differences.
struct PairHistograms {
    double low = 0, high = 0;        ///< range of the values of both, cut into a.size() bins
    std::vector<std::uint64_t> a, b; ///< counts in bins of equal width
    /// |a - b| in decades: bin i of `error` counts 10^(error_low + i) … 10^(error_low + i + 1), the first one also all
    /// smaller differences except 0, which `equal` counts. error_low is -9, or another (lower or higher) if the largest
    /// would have no bin.
    int error_low = -9;
    std::vector<std::uint64_t> error;
    std::uint64_t equal = 0, not_finite = 0;
};
/// Tensors as for difference(); `bins` >= 1.
PairHistograms histograms(const Tensor& a, const Tensor& b, int bins = 64);

} // namespace denoir::metrics

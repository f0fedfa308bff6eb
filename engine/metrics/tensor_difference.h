// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/tensor.h"

namespace denoir::metrics {

/// The difference of two tensors of the same shape. B is the reference.
struct TensorDifference {
    DType dtype_a = DType::f32, dtype_b = DType::f32;
    Shape shape; ///< the shape of B
    std::int64_t elements = 0;
    double max_abs = 0;       ///< largest |a - b|
    double mean_abs = 0;      ///< mean |a - b|
    double mean_norm = 0;     ///< mean |b|
    double error_squares = 0; ///< sum of (a - b)²
    double norm_squares = 0;  ///< sum of b²
    /// The part of error_squares that all rows have in common: rows · sum over columns of (mean of a - b)². It is about
    /// error_squares / rows if the error is rounding, and all of error_squares if it is a wrong bias. 0 for tensors
    /// without rows.
    double shared_squares = 0;
    double cosine = 1;      ///< of a and b as vectors; 1 if both are zero
    std::int64_t worst = 0; ///< flat index of the element with max_abs
    double worst_a = 0, worst_b = 0;
    /// Elements of which one is NaN or infinite and the other is not the same. The values above do not include them.
    std::int64_t not_finite = 0;
    /// Elements of which both are NaN, or the same infinity. They are no difference, but not included above either.
    std::int64_t both_not_finite = 0;

    /// Whether dtype and bytes are equal. The fields above compare values as f32 and may be 0 even if this is false:
    /// for f64 values and integers that f32 does not tell apart, for -0 and 0, and for equal values of two dtypes.
    bool same_bits = true;

    /// max_abs / mean_norm; infinite if B is all zero and A is not, or if not_finite is above 0.
    double normalised() const;
    /// |a - b|₂ / |b|₂, the root of error_squares / norm_squares; infinite in the same cases.
    double relative() const;
    std::int64_t rows() const { return shape.rank() >= 2 && shape[-1] > 0 ? elements / shape[-1] : 1; }
};

/// The difference of two host tensors with the same sizes apart from axes of size 1 (asserted), of any strides and any
/// dtype except block types. Sums are in f64, in a fixed order.
TensorDifference difference(const Tensor& a, const Tensor& b);
/// An operation that is computed element by element.
enum class Pointwise { product, silu, gelu };
/// The relative difference |f(a) - f(b)|₂ / |f(b)|₂ of the operation's results for the inputs of A and of B, each two
/// tensors of the same size for a product, else one. Tensors as for difference(). Results that are not finite do not
/// count.
double pointwise_difference(Pointwise, std::span<const Tensor> a, std::span<const Tensor> b);
/// Whether difference() is possible: the sizes are the same apart from axes of size 1.
bool comparable(const Shape& a, const Shape& b);

/// Histograms of the values of two tensors, and of their differences.
struct PairHistograms {
    double low = 0, high = 0;        ///< range of the values of both, divided into a.size() bins
    std::vector<std::uint64_t> a, b; ///< counts in bins of equal width
    /// |a - b| in decades: bin i of `error` counts 10^(error_low + i) … 10^(error_low + i + 1), the first one also all
    /// smaller differences except 0, which `equal` counts. error_low is -9, or lower or higher if the largest
    /// difference would have no bin.
    int error_low = -9;
    std::vector<std::uint64_t> error;
    std::uint64_t equal = 0, not_finite = 0;
};
/// Tensors as for difference(); `bins` >= 1.
PairHistograms histograms(const Tensor& a, const Tensor& b, int bins = 64);

} // namespace denoir::metrics

// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/tensor_difference.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace denoir::metrics {
namespace {

constexpr std::int64_t block = 16384;

std::vector<std::int64_t> without_ones(const Shape& shape) {
    std::vector<std::int64_t> out;
    for (const std::int64_t size : shape)
        if (size != 1) out.push_back(size);
    return out;
}

/// Reads the values of a tensor as f32, some at a time.
class Values {
public:
    explicit Values(const Tensor& x) : dtype_(x.dtype()) {
        const bool direct = x.is_contiguous() && is_float(x.dtype()) && !is_block(x.dtype());
        kept_ = direct ? x : x.to_host_f32();
        if (!direct) dtype_ = DType::f32;
    }
    /// f64 and integers are read as f32 as well, since that is what the engine computes with.
    void read(std::int64_t at, std::int64_t n, float* out) const {
        to_f32(dtype_, kept_.raw() + at * element_bytes(dtype_), out, n);
    }

private:
    DType dtype_;
    Tensor kept_;
};

/// Calls body(index, a, b) for every element.
template <class Body> void each_pair(const Tensor& a, const Tensor& b, Body body) {
    assert(comparable(a.shape(), b.shape()));
    const Values left(a), right(b);
    std::vector<float> x(block), y(block);
    const std::int64_t all = b.elements();
    for (std::int64_t at = 0; at < all; at += block) {
        const std::int64_t n = std::min(block, all - at);
        left.read(at, n, x.data());
        right.read(at, n, y.data());
        for (std::int64_t i = 0; i < n; ++i)
            body(at + i, x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]);
    }
}

bool bytes_equal(const Tensor& a, const Tensor& b) {
    if (a.dtype() != b.dtype() || a.bytes() != b.bytes()) return false;
    const auto dense = [](const Tensor& t) { return t.is_contiguous() ? t : clone(t); };
    return a.bytes() == 0 || std::memcmp(dense(a).raw(), dense(b).raw(), a.bytes()) == 0;
}

bool both_finite(float a, float b) { return std::isfinite(a) && std::isfinite(b); }
bool same_not_finite(float a, float b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

double ratio(double part, double whole, std::int64_t not_finite) {
    if (not_finite > 0) return std::numeric_limits<double>::infinity();
    if (whole > 0) return part / whole;
    return part > 0 ? std::numeric_limits<double>::infinity() : 0;
}

} // namespace

double TensorDifference::normalised() const { return ratio(max_abs, mean_norm, not_finite); }
double TensorDifference::relative() const { return std::sqrt(ratio(error_squares, norm_squares, not_finite)); }

bool comparable(const Shape& a, const Shape& b) { return without_ones(a) == without_ones(b); }

TensorDifference difference(const Tensor& a, const Tensor& b) {
    TensorDifference d;
    d.dtype_a = a.dtype();
    d.dtype_b = b.dtype();
    d.shape = b.shape();
    d.elements = b.elements();
    d.same_bits = bytes_equal(a, b);
    double sum_error = 0, sum_norm = 0, a_squares = 0, product = 0;
    constexpr std::int64_t widest = 1 << 20;
    const std::int64_t columns = d.rows() > 1 && b.size(-1) <= widest ? b.size(-1) : 0;
    std::vector<double> column_sums(std::size_t(columns), 0.0);
    std::int64_t column = 0;
    each_pair(a, b, [&](std::int64_t i, float x, float y) {
        const std::int64_t here = column;
        if (++column >= columns) column = 0;
        if (!both_finite(x, y)) {
            ++(same_not_finite(x, y) ? d.both_not_finite : d.not_finite);
            return;
        }
        if (columns > 0) column_sums[std::size_t(here)] += double(x) - double(y);
        const double error = std::abs(double(x) - double(y));
        sum_error += error;
        sum_norm += std::abs(double(y));
        d.error_squares += error * error;
        d.norm_squares += double(y) * y;
        a_squares += double(x) * x;
        product += double(x) * y;
        if (error > d.max_abs) d.max_abs = error, d.worst = i, d.worst_a = x, d.worst_b = y;
    });
    const double n = std::max<double>(1, double(d.elements));
    d.mean_abs = sum_error / n;
    d.mean_norm = sum_norm / n;
    for (const double sum : column_sums) d.shared_squares += sum * sum / double(d.rows());
    const double lengths = std::sqrt(a_squares) * std::sqrt(d.norm_squares);
    d.cosine = lengths > 0 ? std::clamp(product / lengths, -1.0, 1.0) : a_squares == d.norm_squares ? 1 : 0;
    return d;
}

double pointwise_difference(Pointwise kind, std::span<const Tensor> a, std::span<const Tensor> b) {
    const std::size_t inputs = kind == Pointwise::product ? 2 : 1;
    assert(a.size() == inputs && b.size() == inputs);
    std::vector<Values> values;
    for (const auto side : {a, b})
        for (const Tensor& x : side) {
            assert(comparable(x.shape(), b[0].shape()));
            values.emplace_back(x);
        }
    const auto result = [&](float x, float y) {
        if (kind == Pointwise::product) return double(x) * y;
        if (kind == Pointwise::silu) return x / (1 + std::exp(-double(x)));
        return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); // tanh GELU amplifies errors by the same factor
    };
    std::vector<std::vector<float>> parts(values.size(), std::vector<float>(block));
    double error_squares = 0, norm_squares = 0;
    const std::int64_t all = b[0].elements();
    for (std::int64_t at = 0; at < all; at += block) {
        const std::int64_t n = std::min(block, all - at);
        for (std::size_t i = 0; i < parts.size(); ++i) values[i].read(at, n, parts[i].data());
        for (std::size_t i = 0; i < std::size_t(n); ++i) {
            const double x = result(parts[0][i], parts[inputs - 1][i]),
                         y = result(parts[inputs][i], parts[2 * inputs - 1][i]);
            if (!std::isfinite(x) || !std::isfinite(y)) continue;
            error_squares += (x - y) * (x - y);
            norm_squares += y * y;
        }
    }
    return std::sqrt(ratio(error_squares, norm_squares, 0));
}

PairHistograms histograms(const Tensor& a, const Tensor& b, int bins) {
    assert(bins > 0);
    constexpr int decades = 16;
    PairHistograms h;
    h.a.assign(std::size_t(bins), 0);
    h.b = h.a;
    h.error.assign(decades, 0);
    h.low = std::numeric_limits<double>::infinity();
    h.high = -h.low;
    double largest = 0;
    each_pair(a, b, [&](std::int64_t, float x, float y) {
        if (!both_finite(x, y)) return;
        largest = std::max(largest, std::abs(double(x) - double(y)));
        h.low = std::min<double>(h.low, std::min(x, y));
        h.high = std::max<double>(h.high, std::max(x, y));
    });
    if (h.low > h.high) h.low = h.high = 0;
    const auto decade = [](double error) { return int(std::floor(std::log10(error))); };
    if (largest > 0 && (decade(largest) < h.error_low || decade(largest) >= h.error_low + decades))
        h.error_low = decade(largest) - decades + 1;
    const double width = (h.high - h.low) / bins;
    const auto bin = [&](float v) {
        return width > 0 ? std::size_t(std::clamp((v - h.low) / width, 0.0, bins - 1.0)) : std::size_t{0};
    };
    each_pair(a, b, [&](std::int64_t, float x, float y) {
        if (!both_finite(x, y)) {
            ++h.not_finite;
            return;
        }
        ++h.a[bin(x)];
        ++h.b[bin(y)];
        const double error = std::abs(double(x) - double(y));
        if (error == 0)
            ++h.equal;
        else
            ++h.error[std::size_t(std::max(0, decade(error) - h.error_low))];
    });
    return h;
}

} // namespace denoir::metrics

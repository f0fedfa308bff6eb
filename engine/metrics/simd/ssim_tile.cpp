// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set (DENOIR_ISA): plain loops that the compiler vectorises. Must not use inline
// functions of other headers, since the linker would merge those of different builds.
#include "engine/metrics/simd/ssim_tile.h"

namespace denoir::metrics::simd::DENOIR_ISA {
namespace {

constexpr double c1 = (0.01 * 255) * (0.01 * 255), c2 = (0.03 * 255) * (0.03 * 255);
constexpr int partial_sums = 16; ///< gives the same order of addition for every width of vectors

/// Computes s, d, s², d² of one row (see Scratch).
template <class Store, class T>
void prepare_row(const T* __restrict a, const T* __restrict b, Store* __restrict ring, int samples) {
    Store* __restrict s = ring, * __restrict d = ring + tile_samples, * __restrict ss = ring + 2 * tile_samples, * __restrict dd = ring + 3 * tile_samples;
    for (int x = 0; x < samples; ++x) {
        const Store u = static_cast<Store>(a[x]), v = static_cast<Store>(b[x]);
        s[x] = u + v;
        d[x] = u - v;
        ss[x] = (u + v) * (u + v);
        dd[x] = (u - v) * (u - v);
    }
}

/// The vertical pass over eleven rows, for one of the four quantities. Rows of equal weight are added first, which is
/// exact in floats for 8-bit samples.
template <class Store> void filter_columns(const Store* const* __restrict rows, const double* __restrict w,
                                           double* __restrict out, int samples) {
    const Store* __restrict r0 = rows[0], * __restrict r1 = rows[1], * __restrict r2 = rows[2], * __restrict r3 = rows[3], * __restrict r4 = rows[4], * __restrict r5 = rows[5], * __restrict r6 = rows[6], * __restrict r7 = rows[7], * __restrict r8 = rows[8], * __restrict r9 = rows[9], * __restrict r10 = rows[10];
    for (int x = 0; x < samples; ++x)
        out[x] = w[0] * double(r0[x] + r10[x]) + w[1] * double(r1[x] + r9[x]) + w[2] * double(r2[x] + r8[x]) +
                 w[3] * double(r3[x] + r7[x]) + w[4] * double(r4[x] + r6[x]) + w[5] * double(r5[x]);
}

template <int step> inline double filter_row(const double* __restrict p, const double* __restrict w) {
    return w[0] * (p[0] + p[10 * step]) + w[1] * (p[step] + p[9 * step]) + w[2] * (p[2 * step] + p[8 * step]) +
           w[3] * (p[3 * step] + p[7 * step]) + w[4] * (p[4 * step] + p[6 * step]) + w[5] * p[5 * step];
}

/// The horizontal pass and SSIM itself. With s = a + b and d = a - b, each factor of the numerator is one of the
/// denominator minus a term in d, so that equal pictures give exactly 1, and nearly equal ones lose no digits.
template <int step> void finish_row(const double (*__restrict columns)[tile_samples], const double* __restrict w,
                                    int count, double* __restrict sums) {
    double value[tile_columns];
    for (int x = 0; x < count; ++x) {
        const double s = filter_row<step>(columns[0] + x, w), d = filter_row<step>(columns[1] + x, w);
        const double ss = filter_row<step>(columns[2] + x, w), dd = filter_row<step>(columns[3] + x, w);
        const double mean_d = 0.5 * d * d, var_d = 0.5 * (dd - d * d); // 0.5 because a² + b² = (s² + d²) / 2
        const double luminance = 0.5 * s * s - mean_d + c1, structure = 0.5 * (ss - s * s) - var_d + c2;
        value[x] = (luminance * structure) / ((luminance + 2 * mean_d) * (structure + 2 * var_d));
    }
    int x = 0;
    for (; x + partial_sums <= count; x += partial_sums)
        for (int i = 0; i < partial_sums; ++i) sums[i] += value[x + i];
    for (int i = 0; x < count; ++x, ++i) sums[i] += value[x];
}

template <class Store, class T> double tile_sum(const T* a, const T* b, std::int64_t stride_a, std::int64_t stride_b,
                                                int columns, int rows, int step, const double* weights,
                                                Scratch& scratch) {
    Store* const ring = reinterpret_cast<Store*>(scratch.ring);
    const int samples = columns + (taps - 1) * step;
    double sums[partial_sums] = {};
    const auto prepare = [&](int y) {
        prepare_row(a + y * stride_a, b + y * stride_b, ring + (y % taps) * 4 * tile_samples, samples);
    };
    for (int y = 0; y < taps - 1; ++y) prepare(y);
    for (int y = 0; y < rows; ++y) {
        prepare(y + taps - 1);
        for (int q = 0; q < 4; ++q) {
            const Store* window[taps];
            for (int t = 0; t < taps; ++t) window[t] = ring + (((y + t) % taps) * 4 + q) * tile_samples;
            filter_columns(window, weights, scratch.columns[q], samples);
        }
        if (step == 1)
            finish_row<1>(scratch.columns, weights, columns, sums);
        else
            finish_row<max_step>(scratch.columns, weights, columns, sums);
    }
    for (int width = partial_sums / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i) sums[i] += sums[i + width];
    return sums[0];
}

} // namespace

extern const Loops loops;
const Loops loops{tile_sum<float, std::uint8_t>, tile_sum<double, float>};

} // namespace denoir::metrics::simd::DENOIR_ISA

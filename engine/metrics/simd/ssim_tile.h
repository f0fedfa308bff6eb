// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/metrics: the interface of the builds of ssim_tile.cpp.
#include <cstdint>

namespace denoir::metrics::simd {

constexpr int taps = 11, radius = 5;
constexpr int tile_columns = 384, tile_rows = 48; ///< windows of a tile; columns count samples, not pixels
constexpr int max_step = 3;
constexpr int tile_samples = tile_columns + (taps - 1) * max_step;

/// A worker's memory for a tile: the last eleven rows of the sum s = a + b, the difference d = a - b and their squares,
/// and these four after the vertical pass. `ring` holds doubles or, for 8-bit samples, floats in its first half, since
/// all values are then integers below 2^24.
struct Scratch {
    double ring[taps][4][tile_samples];
    double columns[4][tile_samples];
};

/// Returns the sum of SSIM over `columns` x `rows` windows, the first of which has its upper left samples at a and b.
/// `step`: samples from a pixel to the next. `weights`: the six of the Gaussian, from its edge to its centre.
template <class T> using TileSum = double (*)(const T* a, const T* b, std::int64_t stride_a, std::int64_t stride_b,
                                              int columns, int rows, int step, const double* weights, Scratch& scratch);

struct Loops {
    TileSum<std::uint8_t> bytes;
    TileSum<float> floats;
};

} // namespace denoir::metrics::simd

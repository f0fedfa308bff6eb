// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to engine/metrics: what the builds of ssim_tile.cpp offer.
#include <cstdint>

namespace denoir::metrics::simd {

constexpr int taps = 11, radius = 5;
constexpr int tile_columns = 384, tile_rows = 48; ///< windows of a tile, in samples across
constexpr int max_step = 3;
constexpr int tile_samples = tile_columns + (taps - 1) * max_step;

/// Where one worker keeps a tile. The last eleven rows of the sum s = a + b and the difference d = a - b with their
/// squares, then the four after the vertical pass. `ring` holds doubles; for 8 bits the first half of it, floats: all
/// these are whole numbers below 2^24.
struct Scratch {
    double ring[taps][4][tile_samples];
    double columns[4][tile_samples];
};

/// `columns` x `rows` windows whose upper left samples begin at a and b; `step` samples from a pixel to the next.
/// `weights`: the six of the Gaussian from its rim to its middle. Returns the sum of SSIM over the windows.
template <class T> using TileSum = double (*)(const T* a, const T* b, std::int64_t stride_a, std::int64_t stride_b,
                                              int columns, int rows, int step, const double* weights, Scratch& scratch);

struct Loops {
    TileSum<std::uint8_t> bytes;
    TileSum<float> floats;
};

} // namespace denoir::metrics::simd

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cpu/conv_call.h"

namespace denoir::cpu {

// Winograd's minimal filtering F(2x2, 3x3) (Lavin and Gray 2016): 2x2 outputs are linear in 4x4 "points", each of which
// is the product of one transformed input value and one transformed tap. That makes 16 multiplications instead of 36.
// Over channels, frames of the kernel and many tiles, the products of one point are a matrix product; the transforms
// are additions. If the input is duplicated 2x2, the four pixels under a pair of outputs are only three (a, b, b, c),
// one of the four points is zero, and 9 multiplications are left of 36.
//
// The exact bits of an output depend only on its own 3x3 pixels and on its place in its tile. So a picture computed in
// parts is bit-equal to the whole if the parts begin at even rows and columns.

/// Whether a call is computed this way: f32 products of 3x3 taps at stride 1, with enough channels on both sides and a
/// picture wide enough for the memory that the panels take.
bool winograd_serves(const ConvCall&);

/// Floats of scratch memory that a thread needs for a large block with so many channels on both sides.
std::int64_t winograd_scratch(std::int64_t channels);

/// Floats of all panels: [time][point][panel][C][kernels.tile_columns].
std::int64_t winograd_floats(const Kernels&, const KernelShape&, bool duplicate);
/// Packs the output channels from strip · tile_columns on, at time tap `time` of a kernel, into `panels`.
void pack_winograd(const Kernels&, const WeightRows&, const KernelShape&, bool duplicate, std::int64_t strip,
                   std::int64_t time, float* panels);

/// A call divided into blocks of tiles of 2x2 outputs with all output channels.
class WinogradTiles {
public:
    WinogradTiles(const ConvCall&, Tensor panels);
    std::int64_t count() const { return call_.out.size(0) * blocks_down_ * blocks_across_; }
    std::int64_t scratch_floats() const;
    void run(std::int64_t block, float* scratch) const;

private:
    std::int64_t window_rows() const { return rows_ * step_ + 2; }
    std::int64_t window_columns() const { return columns_ * step_ + 2; }
    std::int64_t window_floats() const { return window_rows() * window_columns() * call_.kernel.in; }
    void read_points(const float* window, std::int64_t rows, std::int64_t columns, float* points) const;
    void write_outputs(const float* sums, std::int64_t rows, std::int64_t columns, std::int64_t frame, std::int64_t row,
                       std::int64_t column, float* lines) const;

    const ConvCall& call_;
    Tensor panels_;
    std::int64_t step_;                      ///< pixels of the input from tile to tile
    std::int64_t points_;                    ///< points of a tile
    std::int64_t padded_;                    ///< output channels, padded to whole panels
    std::int64_t tiles_down_, tiles_across_; ///< tiles of a frame
    std::int64_t rows_ = 0, columns_ = 0;    ///< tiles of a block
    std::int64_t blocks_down_ = 0, blocks_across_ = 0;
};

} // namespace denoir::cpu

// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/conv_winograd.h"

#include <algorithm>
#include <array>

#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

constexpr std::int64_t taps = 3;
/// With fewer channels than this, the transforms cost more than they save.
constexpr std::int64_t fewest_channels = 16;
/// Limits of a block: its tiles, and the values of one point with their sums, so that these stay in the caches.
constexpr std::int64_t most_tiles = 128, most_values = 1 << 17;
/// The most tiles in a row of a block: tiles of square blocks share more pixels.
constexpr std::int64_t most_across = 16;
/// Floats between the values of one point and those of the next, so that they do not compete for the same sets of a
/// cache.
constexpr std::int64_t gap = 16;

std::int64_t side(bool duplicate) { return duplicate ? 3 : 4; }

/// One row or column (a, b, c) of a kernel, transformed to its points.
std::array<double, 4> transformed(double a, double b, double c, bool duplicate) {
    if (duplicate) return {a, a + b + c, c, 0};
    return {a, (a + b + c) / 2, (a - b + c) / 2, c};
}

/// Whether the picture is large compared with the memory that the panels take, 16 values for nine taps: the extra
/// values must be no more than half of the values of a square picture of this width. The height does not count, since
/// the result must be the same if the picture is computed in strips.
bool is_wide_enough(const ConvCall& call) {
    if (call.options.duplicate) return true; // 9 values, fewer than the 16 of the four phases
    const std::int64_t width = call.out.size(2), more = 7 * call.kernel.time * call.kernel.in;
    return 2 * more <= width * width;
}

/// The number of tiles of a block, for so many channels on both sides together.
std::int64_t tiles_for(std::int64_t channels) { return std::clamp(most_values / channels, most_tiles / 4, most_tiles); }

/// Floats of scratch memory for a block of rows x columns tiles: its window, values and sums of its points, lines of
/// outputs.
std::int64_t block_floats(std::int64_t rows, std::int64_t columns, bool duplicate, std::int64_t in, std::int64_t out) {
    const std::int64_t step = duplicate ? 1 : 2, points = side(duplicate) * side(duplicate);
    const std::int64_t window = (rows * step + 2) * (columns * step + 2) * in;
    return window + points * (rows * columns * (in + out) + 2 * gap) + 4 * columns * out;
}

} // namespace

bool winograd_serves(const ConvCall& call) {
    const ConvOptions& o = call.options;
    return call.factors == DType::f32 && call.kernel.height == taps && call.kernel.width == taps && o.stride == 1 &&
           std::min(call.kernel.in, call.kernel.out) >= fewest_channels && is_wide_enough(call) &&
           (!o.duplicate || (o.pad_top == 1 && o.pad_left == 1));
}

std::int64_t winograd_scratch(std::int64_t channels) {
    if (channels < fewest_channels) return 0;
    return block_floats(tiles_for(2 * channels) / most_across, most_across, false, channels, channels);
}

std::int64_t winograd_floats(const Kernels& kernels, const KernelShape& kernel, bool duplicate) {
    return kernel.time * side(duplicate) * side(duplicate) * kernel.in * kernel.padded(kernels);
}

void pack_winograd(const Kernels& kernels, const WeightRows& weight, const KernelShape& kernel, bool duplicate,
                   std::int64_t strip, std::int64_t time, float* panels) {
    const std::int64_t panel = kernels.tile_columns, begin = strip * panel, end = std::min(kernel.out, begin + panel);
    const std::int64_t points = side(duplicate) * side(duplicate);
    std::vector<float> stored(static_cast<std::size_t>(weight.columns()));
    std::vector<float> rows(static_cast<std::size_t>((end - begin) * points * kernel.in)); // [o][point][C]
    for (std::int64_t o = begin; o < end; ++o) {
        weight.read(o, 0, weight.columns(), stored.data());
        for (std::int64_t c = 0; c < kernel.in; ++c) {
            const float* g = stored.data() + (c * kernel.time + time) * taps * taps;
            std::array<std::array<double, 4>, taps> half;
            for (std::size_t y = 0; y < taps; ++y)
                half[y] = transformed(g[y * taps], g[y * taps + 1], g[y * taps + 2], duplicate);
            float* to = rows.data() + (o - begin) * points * kernel.in + c;
            for (std::int64_t x = 0; x < side(duplicate); ++x) {
                const auto i = static_cast<std::size_t>(x);
                const std::array<double, 4> column = transformed(half[0][i], half[1][i], half[2][i], duplicate);
                for (std::int64_t y = 0; y < side(duplicate); ++y)
                    to[(y * side(duplicate) + x) * kernel.in] = static_cast<float>(column[static_cast<std::size_t>(y)]);
            }
        }
    }
    for (std::int64_t p = 0; p < points; ++p)
        kernels.pack_transposed(rows.data() + p * kernel.in, points * kernel.in, end - begin, kernel.in,
                                panels + ((time * points + p) * kernel.padded(kernels) + begin) * kernel.in);
}

WinogradTiles::WinogradTiles(const ConvCall& call, Tensor panels)
    : call_(call),
      panels_(std::move(panels)),
      step_(call.options.duplicate ? 1 : 2),
      points_(side(call.options.duplicate) * side(call.options.duplicate)),
      padded_(call.kernel.padded(call.kernels)),
      tiles_down_(divide_up(call.out.size(1), 2)),
      tiles_across_(divide_up(call.out.size(2), 2)) {
    const std::int64_t tiles = tiles_for(call.kernel.in + padded_);
    blocks_across_ = divide_up(tiles_across_, most_across);
    columns_ = divide_up(tiles_across_, blocks_across_);
    blocks_down_ = divide_up(tiles_down_, std::max<std::int64_t>(1, tiles / columns_));
    rows_ = divide_up(tiles_down_, blocks_down_);
}

std::int64_t WinogradTiles::scratch_floats() const {
    return block_floats(rows_, columns_, call_.options.duplicate, call_.kernel.in, padded_);
}

/// Computes [point][tile][C] of a block from its window.
void WinogradTiles::read_points(const float* window, std::int64_t rows, std::int64_t columns, float* points) const {
    const std::int64_t channels = call_.kernel.in, line = window_columns() * channels,
                       point = rows * columns * channels + gap;
    const auto transform =
        call_.options.duplicate ? call_.kernels.winograd_points_duplicated : call_.kernels.winograd_points;
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x, points += channels)
            transform(window + y * step_ * line + x * step_ * channels, line, channels, points, point);
}

void WinogradTiles::write_outputs(const float* sums, std::int64_t rows, std::int64_t columns, std::int64_t frame,
                                  std::int64_t row, std::int64_t column, float* lines) const {
    const auto transform =
        call_.options.duplicate ? call_.kernels.winograd_outputs_duplicated : call_.kernels.winograd_outputs;
    const std::int64_t line = 2 * columns * padded_, point = rows * columns * padded_ + gap;
    for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x, sums += padded_)
            transform(sums, point, padded_, lines + 2 * x * padded_, line);
        const std::int64_t top = 2 * (row + y), left = 2 * column;
        for (std::int64_t i = 0; i < std::min<std::int64_t>(2, call_.out.size(1) - top); ++i)
            call_.write_row(lines + i * line, std::min(2 * columns, call_.out.size(2) - left), frame, top + i, left, 1);
    }
}

void WinogradTiles::run(std::int64_t block, float* scratch) const {
    const KernelShape& kernel = call_.kernel;
    const std::int64_t frame = block / blocks_across_ / blocks_down_;
    const std::int64_t row = block / blocks_across_ % blocks_down_ * rows_, column = block % blocks_across_ * columns_;
    const std::int64_t rows = std::min(rows_, tiles_down_ - row), columns = std::min(columns_, tiles_across_ - column);
    const std::int64_t tiles = rows * columns;
    if (tiles <= 0) return; // blocks have equal sizes, so that the last one may have no tiles
    float* points = scratch + window_floats();
    const std::int64_t input = tiles * kernel.in + gap, output = tiles * padded_ + gap; // floats per point
    float* sums = points + points_ * input;
    const Window window{row * step_ - call_.options.pad_top, column * step_ - call_.options.pad_left, window_rows(),
                        window_columns()};
    bool begun = false;
    for (std::int64_t t = 0; t < kernel.time; ++t) {
        const Tensor& from = call_.frames[static_cast<std::size_t>(frame * call_.options.time_stride + t)];
        if (!call_.read_window(from, window, 1, reinterpret_cast<std::byte*>(scratch))) continue;
        read_points(scratch, rows, columns, points);
        const float* panels = panels_.data<float>() + t * points_ * kernel.in * padded_;
        for (std::int64_t p = 0; p < points_; ++p)
            call_.multiply(reinterpret_cast<const std::byte*>(points + p * input), kernel.in,
                           reinterpret_cast<const std::byte*>(panels + p * kernel.in * padded_), kernel.in, tiles,
                           sums + p * output, begun);
        begun = true;
    }
    if (!begun) std::fill_n(sums, points_ * output, 0.0f);
    write_outputs(sums, rows, columns, frame, row, column, sums + points_ * output);
}

} // namespace denoir::cpu

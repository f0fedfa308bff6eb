// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/cpu/conv_phase.h"
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

/// Depth of one pass: a panel of this depth fits the first cache.
constexpr std::int64_t depth_step = 512;

/// One phase of one call, cut into tiles of one frame x rows x columns, all output channels each.
struct Job {
    const Kernels& kernels;
    std::span<const Tensor> frames;
    KernelShape kernel;
    Phase phase;
    const float* bias; ///< or null
    const Tensor* residual;
    ConvOptions options;
    Tensor& out;

    std::int64_t columns = 0, rows = 0; ///< of a tile, in outputs of the phase
    std::int64_t tiles_down = 0, tiles_across = 0;
    std::int64_t padded = 0; ///< output channels in whole panels

    void cut();
    std::int64_t tiles() const { return out.size(0) * tiles_down * tiles_across; }
    std::int64_t window_rows() const { return (rows - 1) * options.stride + phase.rows.taps; }
    std::int64_t window_columns() const { return (columns - 1) * options.stride + phase.columns.taps; }
    std::int64_t window_floats() const { return window_rows() * window_columns() * kernel.in; }
    std::int64_t scratch_floats() const { return kernel.time * window_floats() + columns * padded; }
    void run(std::int64_t tile, float* scratch) const;
    bool read_window(const Tensor& frame, std::int64_t top, std::int64_t left, float* to) const;
    void write_row(float* sums, std::int64_t n, std::int64_t frame, std::int64_t y, std::int64_t x) const;
};

void Job::cut() {
    padded = divide_up(kernel.out, kernels.tile_columns) * kernels.tile_columns;
    tiles_across = divide_up(phase.columns.count, 256);
    columns = divide_up(phase.columns.count, std::max<std::int64_t>(1, tiles_across));
    // About 1.2 GFLOP a tile, so that the stop token is looked at soon enough; a window of at most 4 MiB.
    const std::int64_t multiplications =
        columns * padded * kernel.in * kernel.time * phase.rows.taps * phase.columns.taps;
    const std::int64_t row_floats = columns * options.stride * options.stride * kernel.in * kernel.time;
    const std::int64_t limit =
        std::min(600'000'000 / std::max<std::int64_t>(1, multiplications), (1 << 20) / row_floats);
    tiles_down = divide_up(phase.rows.count, std::max<std::int64_t>(1, limit));
    rows = divide_up(phase.rows.count, std::max<std::int64_t>(1, tiles_down));
}

/// A tile's part of one input frame as f32, [window_rows][window_columns][C], zeros beyond the image's borders. False
/// where there is no frame.
bool Job::read_window(const Tensor& frame, std::int64_t top, std::int64_t left, float* to) const {
    if (!frame) return false;
    const std::int64_t height = frame.size(0), width = frame.size(1), channels = kernel.in, wide = window_columns();
    const std::int64_t begin = std::clamp<std::int64_t>(left, 0, width), end = std::clamp(left + wide, begin, width);
    const bool dense = frame.stride(1) == channels,
               round = options.compute == DType::bf16 && frame.dtype() != DType::bf16;
    const std::int64_t pixels = dense ? std::max<std::int64_t>(1, end - begin) : 1;
    for (std::int64_t y = top; y < top + window_rows(); ++y, to += wide * channels) {
        if (y < 0 || y >= height || begin == end) {
            std::fill_n(to, wide * channels, 0.0f);
            continue;
        }
        std::fill_n(to, (begin - left) * channels, 0.0f);
        std::fill_n(to + (end - left) * channels, (left + wide - end) * channels, 0.0f);
        for (std::int64_t x = begin; x < end; x += pixels) {
            float* at = to + (x - left) * channels;
            const std::byte* from =
                frame.raw() + (y * frame.stride(0) + x * frame.stride(1)) * element_bytes(frame.dtype());
            const float* values = as_f32(kernels, frame.dtype(), from, pixels * channels, at);
            if (round)
                kernels.round_bf16(values, at, pixels * channels);
            else
                store_f32(kernels, values, DType::f32, reinterpret_cast<std::byte*>(at), pixels * channels);
        }
    }
    return true;
}

/// Bias, rounding and residual for the n outputs of one row of a tile; y, x: where the first lies in `out`.
void Job::write_row(float* sums, std::int64_t n, std::int64_t frame, std::int64_t y, std::int64_t x) const {
    const std::int64_t channels = kernel.out;
    float extra[run_length];
    for (std::int64_t i = 0; i < n; ++i, x += phase.columns.step, sums += padded) {
        if (bias) kernels.add(sums, bias, sums, channels);
        if (options.compute == DType::bf16) kernels.round_bf16(sums, sums, channels);
        if (residual) {
            const std::int64_t at = frame * residual->stride(0) + y * residual->stride(1) + x * residual->stride(2);
            for (std::int64_t c = 0; c < channels; c += run_length) {
                const std::int64_t part = std::min(run_length, channels - c);
                const std::byte* from = residual->raw() + (at + c) * element_bytes(residual->dtype());
                kernels.add(sums + c, as_f32(kernels, residual->dtype(), from, part, extra), sums + c, part);
            }
        }
        const std::int64_t to = frame * out.stride(0) + y * out.stride(1) + x * out.stride(2);
        store_f32(kernels, sums, out.dtype(), out.raw() + to * element_bytes(out.dtype()), channels);
    }
}

void Job::run(std::int64_t tile, float* scratch) const {
    const std::int64_t frame = tile / tiles_across / tiles_down;
    const std::int64_t row = tile / tiles_across % tiles_down * rows, column = tile % tiles_across * columns;
    const std::int64_t height = std::min(rows, phase.rows.count - row),
                       width = std::min(columns, phase.columns.count - column);
    float* sums = scratch + kernel.time * window_floats();
    std::vector<bool> there(static_cast<std::size_t>(kernel.time));
    for (std::int64_t t = 0; t < kernel.time; ++t)
        there[static_cast<std::size_t>(t)] = read_window(
            frames[static_cast<std::size_t>(frame * options.time_stride + t)], row * options.stride + phase.rows.offset,
            column * options.stride + phase.columns.offset, scratch + t * window_floats());
    const std::int64_t depth = phase.columns.taps * kernel.in, line = window_columns() * kernel.in,
                       panel = kernels.tile_columns;
    for (std::int64_t y = 0; y < height; ++y) {
        bool begun = false;
        for (std::int64_t t = 0; t < kernel.time; ++t)
            for (std::int64_t tap = 0; tap < phase.rows.taps && there[static_cast<std::size_t>(t)]; ++tap) {
                const float* a = scratch + t * window_floats() + (y * options.stride + tap) * line;
                const float* b = phase.panels + (t * phase.rows.taps + tap) * phase.row_floats(kernels, kernel);
                for (std::int64_t o = 0; o < kernel.out; o += panel, b += depth * panel)
                    for (std::int64_t k = 0; k < depth; k += depth_step)
                        kernels.gemm(a + k, options.stride * kernel.in, b + k * panel, std::min(depth_step, depth - k),
                                     width, panel, sums + o, padded, begun || k > 0);
                begun = true;
            }
        if (!begun) std::fill_n(sums, width * padded, 0.0f);
        write_row(sums, width, frame, phase.rows.first + (row + y) * phase.rows.step,
                  phase.columns.first + column * phase.columns.step);
    }
}

} // namespace

/// The kernel of every phase in panels, made once and kept in the weight in place of its stored form.
Tensor CpuBackend::conv_panels(const Weight& w, const Shape& out, const ConvOptions& options) {
    const bool round = options.compute == DType::bf16;
    const std::string use =
        options.duplicate ? fmt::format("conv.{}.duplicate.{}.{}", round, options.pad_top % 2, options.pad_left % 2)
                          : fmt::format("conv.{}", round);
    auto& kept = w.prepared[use];
    if (kept) return *std::static_pointer_cast<Tensor>(kept);
    const KernelShape kernel(w.shape());
    const std::vector<Phase> phases = conv_phases(kernel, out, options);
    const WeightRows weight(kernels_, w, round);
    std::int64_t floats = 0;
    for (const Phase& phase : phases) floats += phase.panel_floats(kernels_, kernel);
    Tensor panels = empty({floats}, DType::f32);
    float* to = panels.data<float>();
    for (const Phase& phase : phases) {
        pool_.run(divide_up(kernel.out, kernels_.tile_columns) * kernel.time, [&](std::int64_t piece, int) {
            pack_phase(kernels_, weight, kernel, phase, piece / kernel.time, piece % kernel.time, to);
        });
        to += phase.panel_floats(kernels_, kernel);
    }
    drop_stored_pages(w);
    kept = std::make_shared<Tensor>(panels);
    return panels;
}

void CpuBackend::conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
                      const ConvOptions& options, Tensor& out) {
    const KernelShape kernel(w.shape());
    if (out.elements() == 0) return;
    assert(out.size(3) == kernel.out && out.is_contiguous());
    assert(!options.duplicate || options.stride == 1);
    assert(static_cast<std::int64_t>(frames.size()) == (out.size(0) - 1) * options.time_stride + kernel.time);
    const Tensor panels = conv_panels(w, out.shape(), options);
    const Tensor offsets = bias ? parameter(*bias, options.compute == DType::bf16) : Tensor();
    const float* next = panels.data<float>();
    for (Phase& phase : conv_phases(kernel, out.shape(), options)) {
        phase.panels = next;
        next += phase.panel_floats(kernels_, kernel);
        if (phase.rows.count == 0 || phase.columns.count == 0) continue;
        Job job{kernels_, frames, kernel, phase, bias ? offsets.data<float>() : nullptr, residual, options, out};
        job.cut();
        const Scratch scratch(*this, job.scratch_floats());
        pool_.run(job.tiles(), [&](std::int64_t tile, int worker) { job.run(tile, scratch.of(worker)); });
    }
}

} // namespace denoir::cpu

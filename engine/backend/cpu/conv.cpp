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
/// Columns of a tile at most.
constexpr std::int64_t widest = 256;

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
    DType factors;       ///< of windows and panels: bf16 for the processor's bf16 units, else f32
    std::int64_t copies; ///< of every row and column of a frame: 2 for a duplicated input whose taps are not added up

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
    bool read_window(const Tensor& frame, std::int64_t top, std::int64_t left, std::byte* to) const;
    void multiply(const std::byte* a, std::int64_t lda, const std::byte* panel, std::int64_t k, std::int64_t m,
                  float* sums, bool accumulate) const;
    void write_row(float* sums, std::int64_t n, std::int64_t frame, std::int64_t y, std::int64_t x) const;
};

void Job::cut() {
    padded = kernel.padded(kernels);
    tiles_across = divide_up(phase.columns.count, widest);
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

/// A tile's part of one input frame, [window_rows][window_columns][C], zeros beyond the image's borders. False where
/// there is no frame.
bool Job::read_window(const Tensor& frame, std::int64_t top, std::int64_t left, std::byte* to) const {
    if (!frame) return false;
    const std::int64_t height = frame.size(0) * copies, width = frame.size(1) * copies, channels = kernel.in,
                       wide = window_columns();
    const std::int64_t begin = std::clamp<std::int64_t>(left, 0, width), end = std::clamp(left + wide, begin, width);
    const bool dense = frame.stride(1) == channels && copies == 1;
    const std::int64_t pixels = dense ? std::max<std::int64_t>(1, end - begin) : 1,
                       pixel = channels * element_bytes(factors); // bytes
    for (std::int64_t y = top; y < top + window_rows(); ++y, to += wide * pixel) {
        if (y < 0 || y >= height || begin == end) {
            std::fill_n(to, wide * pixel, std::byte{0});
            continue;
        }
        std::fill_n(to, (begin - left) * pixel, std::byte{0});
        std::fill_n(to + (end - left) * pixel, (left + wide - end) * pixel, std::byte{0});
        for (std::int64_t x = begin; x < end; x += pixels)
            read_factors(kernels, frame.dtype(),
                         frame.raw() + (y / copies * frame.stride(0) + x / copies * frame.stride(1)) *
                                           element_bytes(frame.dtype()),
                         pixels * channels, factors, options.compute == DType::bf16, to + (x - left) * pixel);
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

/// m rows of all output channels: sums [m, padded] = (or +=) A · panels, A and the panels k deep.
void Job::multiply(const std::byte* a, std::int64_t lda, const std::byte* panels, std::int64_t k, std::int64_t m,
                   float* sums, bool accumulate) const {
    if (kernel.dotted()) {
        float partial[widest];
        const auto *pixels = reinterpret_cast<const float*>(a), *weight = reinterpret_cast<const float*>(panels);
        for (std::int64_t o = 0; o < kernel.out; ++o) {
            kernels.dot(pixels, lda, m, weight + o * k, k, partial, 1);
            for (std::int64_t i = 0; i < m; ++i)
                sums[i * padded + o] = accumulate ? sums[i * padded + o] + partial[i] : partial[i];
        }
        return;
    }
    const std::int64_t bytes = element_bytes(factors), panel = kernels.tile_columns;
    for (std::int64_t o = 0; o < kernel.out; o += panel, panels += k * panel * bytes)
        for (std::int64_t p = 0; p < k; p += depth_step)
            gemm(kernels, factors, a + p * bytes, lda, panels + p * panel * bytes, std::min(depth_step, k - p), m,
                 std::min(panel, kernel.out - o), sums + o, padded, accumulate || p > 0);
}

void Job::run(std::int64_t tile, float* scratch) const {
    const std::int64_t frame = tile / tiles_across / tiles_down;
    const std::int64_t row = tile / tiles_across % tiles_down * rows, column = tile % tiles_across * columns;
    const std::int64_t height = std::min(rows, phase.rows.count - row),
                       width = std::min(columns, phase.columns.count - column);
    float* sums = scratch + kernel.time * window_floats();
    auto* windows = reinterpret_cast<std::byte*>(scratch);
    const std::int64_t bytes = element_bytes(factors);
    std::vector<bool> there(static_cast<std::size_t>(kernel.time));
    for (std::int64_t t = 0; t < kernel.time; ++t)
        there[static_cast<std::size_t>(t)] = read_window(
            frames[static_cast<std::size_t>(frame * options.time_stride + t)], row * options.stride + phase.rows.offset,
            column * options.stride + phase.columns.offset, windows + t * window_floats() * bytes);
    const std::int64_t depth = phase.columns.taps * kernel.in, line = window_columns() * kernel.in;
    for (std::int64_t y = 0; y < height; ++y) {
        bool begun = false;
        for (std::int64_t t = 0; t < kernel.time; ++t)
            for (std::int64_t tap = 0; tap < phase.rows.taps && there[static_cast<std::size_t>(t)]; ++tap) {
                const std::int64_t a = t * window_floats() + (y * options.stride + tap) * line;
                const std::int64_t b = (t * phase.rows.taps + tap) * phase.row_floats(kernels, kernel);
                multiply(windows + a * bytes, options.stride * kernel.in, phase.panels + b * bytes, depth, width, sums,
                         begun);
                begun = true;
            }
        if (!begun) std::fill_n(sums, width * padded, 0.0f);
        write_row(sums, width, frame, phase.rows.first + (row + y) * phase.rows.step,
                  phase.columns.first + column * phase.columns.step);
    }
}

} // namespace

/// bf16 pairs where the processor has units for them. With duplication only where these are so fast that its taps need
/// not be added up (which would round them once more). Not for a row of the kernel with an odd number of values (C =
/// 3), and not for dot products.
DType CpuBackend::conv_factors(const KernelShape& kernel, const ConvOptions& options) const {
    const bool pairs = options.compute == DType::bf16 && kernels_.gemm_bf16 && !kernel.dotted() &&
                       (kernels_.bf16_in_tiles || !options.duplicate) && kernel.width * kernel.in % 2 == 0;
    return pairs ? DType::bf16 : DType::f32;
}

/// The kernel of every phase in panels, made once and kept in the weight in place of its stored form.
Tensor CpuBackend::conv_panels(const Weight& w, const Shape& out, const ConvOptions& options, DType factors) {
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
    if (factors == DType::bf16) {
        Tensor pairs = empty({floats}, DType::bf16);
        kernels_.pair_rows(panels.data<float>(), floats / kernels_.tile_columns,
                           reinterpret_cast<std::uint16_t*>(pairs.raw()));
        panels = pairs;
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
    const DType factors = conv_factors(kernel, options);
    ConvOptions taps = options;
    taps.duplicate = options.duplicate && factors == DType::f32;
    const std::int64_t copies = options.duplicate && !taps.duplicate ? 2 : 1;
    const Tensor panels = conv_panels(w, out.shape(), taps, factors);
    const Tensor offsets = bias ? parameter(*bias, options.compute == DType::bf16) : Tensor();
    const std::byte* next = panels.raw();
    for (Phase& phase : conv_phases(kernel, out.shape(), taps)) {
        phase.panels = next;
        next += phase.panel_floats(kernels_, kernel) * element_bytes(factors);
        if (phase.rows.count == 0 || phase.columns.count == 0) continue;
        Job job{kernels_, frames,  kernel, phase,   bias ? offsets.data<float>() : nullptr,
                residual, options, out,    factors, copies};
        job.cut();
        const Scratch scratch(*this, job.scratch_floats());
        pool_.run(job.tiles(), [&](std::int64_t tile, int worker) { job.run(tile, scratch.of(worker)); });
    }
}

} // namespace denoir::cpu

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/cpu/conv_call.h"
#include "engine/backend/cpu/conv_winograd.h"
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {
namespace {

/// The most columns of a tile.
constexpr std::int64_t widest = most_rows;

/// One phase of one call, divided into tiles of one frame x rows x columns with all output channels.
struct Job {
    const ConvCall& call;
    Phase phase;
    std::int64_t copies; ///< of every row and column of a frame: 2 for a duplicated input whose taps are not added up

    std::int64_t columns = 0, rows = 0; ///< size of a tile in outputs of the phase
    std::int64_t tiles_down = 0, tiles_across = 0;
    std::int64_t padded = 0; ///< output channels, padded to whole panels

    void cut();
    std::int64_t tiles() const { return call.out.size(0) * tiles_down * tiles_across; }
    std::int64_t window_rows() const { return (rows - 1) * call.options.stride + phase.rows.taps; }
    std::int64_t window_columns() const { return (columns - 1) * call.options.stride + phase.columns.taps; }
    std::int64_t window_floats() const { return window_rows() * window_columns() * call.kernel.in; }
    std::int64_t scratch_floats() const { return call.kernel.time * window_floats() + columns * padded; }
    void run(std::int64_t tile, float* scratch) const;
};

void Job::cut() {
    const KernelShape& kernel = call.kernel;
    padded = kernel.padded(call.kernels);
    tiles_across = divide_up(phase.columns.count, widest);
    columns = divide_up(phase.columns.count, std::max<std::int64_t>(1, tiles_across));
    // A tile has about 1.2 GFLOP, so that the stop token is checked often enough, and a window of at most 4 MiB.
    const std::int64_t multiplications =
        columns * padded * kernel.in * kernel.time * phase.rows.taps * phase.columns.taps;
    const std::int64_t row_floats = columns * call.options.stride * call.options.stride * kernel.in * kernel.time;
    const std::int64_t limit =
        std::min(600'000'000 / std::max<std::int64_t>(1, multiplications), (1 << 20) / row_floats);
    tiles_down = divide_up(phase.rows.count, std::max<std::int64_t>(1, limit));
    rows = divide_up(phase.rows.count, std::max<std::int64_t>(1, tiles_down));
}

void Job::run(std::int64_t tile, float* scratch) const {
    const KernelShape& kernel = call.kernel;
    const ConvOptions& options = call.options;
    const std::int64_t frame = tile / tiles_across / tiles_down;
    const std::int64_t row = tile / tiles_across % tiles_down * rows, column = tile % tiles_across * columns;
    const std::int64_t height = std::min(rows, phase.rows.count - row),
                       width = std::min(columns, phase.columns.count - column);
    float* sums = scratch + kernel.time * window_floats();
    auto* windows = reinterpret_cast<std::byte*>(scratch);
    const std::int64_t bytes = element_bytes(call.factors);
    const Window window{row * options.stride + phase.rows.offset, column * options.stride + phase.columns.offset,
                        window_rows(), window_columns()};
    std::vector<bool> there(static_cast<std::size_t>(kernel.time));
    for (std::int64_t t = 0; t < kernel.time; ++t)
        there[static_cast<std::size_t>(t)] =
            call.read_window(call.frames[static_cast<std::size_t>(frame * options.time_stride + t)], window, copies,
                             windows + t * window_floats() * bytes);
    const std::int64_t depth = phase.columns.taps * kernel.in, line = window_columns() * kernel.in;
    for (std::int64_t y = 0; y < height; ++y) {
        bool begun = false;
        for (std::int64_t t = 0; t < kernel.time; ++t)
            for (std::int64_t tap = 0; tap < phase.rows.taps && there[static_cast<std::size_t>(t)]; ++tap) {
                const std::int64_t a = t * window_floats() + (y * options.stride + tap) * line;
                const std::int64_t b = (t * phase.rows.taps + tap) * phase.row_floats(call.kernels, kernel);
                call.multiply(windows + a * bytes, options.stride * kernel.in, phase.panels + b * bytes, depth, width,
                              sums, begun);
                begun = true;
            }
        if (!begun) std::fill_n(sums, width * padded, 0.0f);
        call.write_row(sums, width, frame, phase.rows.first + (row + y) * phase.rows.step,
                       phase.columns.first + column * phase.columns.step, phase.columns.step);
    }
}

/// The slot of a weight's prepared form for this use. Drops all other forms, which pictures of another size may have
/// needed.
std::shared_ptr<void>& only_use(const Weight& w, const std::string& use) {
    if (!w.prepared.contains(use)) w.prepared.clear();
    return w.prepared[use];
}

} // namespace

/// Type of the factors: bf16 pairs if the processor has units for them, except for dot products and if a row of the
/// kernel has an odd number of values (C = 3). With duplication, only if the units are so fast that the taps need not
/// be added up, which would round them once more.
DType CpuBackend::conv_factors(const KernelShape& kernel, const ConvOptions& options) const {
    const bool pairs = options.compute == DType::bf16 && kernels_.gemm_bf16 && !kernel.dotted() &&
                       (kernels_.bf16_in_tiles || !options.duplicate) && kernel.width * kernel.in % 2 == 0;
    return pairs ? DType::bf16 : DType::f32;
}

/// The kernels of all phases in panels, made once and kept in the weight in place of its stored form.
Tensor CpuBackend::conv_panels(const Weight& w, const Shape& out, const ConvOptions& options, DType factors) {
    const bool round = options.compute == DType::bf16;
    const std::string use =
        options.duplicate ? fmt::format("conv.{}.duplicate.{}.{}", round, options.pad_top % 2, options.pad_left % 2)
                          : fmt::format("conv.{}", round);
    std::shared_ptr<void>& kept = only_use(w, use);
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

/// The kernel as Winograd's filter needs it, made once and kept like conv_panels().
Tensor CpuBackend::winograd_panels(const Weight& w, const ConvOptions& options) {
    const bool round = options.compute == DType::bf16;
    std::shared_ptr<void>& kept = only_use(w, fmt::format("conv.winograd.{}.{}", round, options.duplicate));
    if (kept) return *std::static_pointer_cast<Tensor>(kept);
    const KernelShape kernel(w.shape());
    const WeightRows weight(kernels_, w, round);
    Tensor panels = empty({winograd_floats(kernels_, kernel, options.duplicate)}, DType::f32);
    pool_.run(divide_up(kernel.out, kernels_.tile_columns) * kernel.time, [&](std::int64_t piece, int) {
        pack_winograd(kernels_, weight, kernel, options.duplicate, piece / kernel.time, piece % kernel.time,
                      panels.data<float>());
    });
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
    const Tensor offsets = bias ? parameter(*bias, options.compute == DType::bf16) : Tensor();
    const ConvCall call{kernels_, frames,  kernel, bias ? offsets.data<float>() : nullptr,
                        residual, options, out,    factors};
    if (winograd_serves(call)) {
        const WinogradTiles tiles(call, winograd_panels(w, options));
        const Scratch scratch(*this, tiles.scratch_floats());
        return pool_.run(tiles.count(), [&](std::int64_t tile, int worker) { tiles.run(tile, scratch.of(worker)); });
    }
    ConvOptions taps = options;
    taps.duplicate = options.duplicate && factors == DType::f32;
    const std::int64_t copies = options.duplicate && !taps.duplicate ? 2 : 1;
    const Tensor panels = conv_panels(w, out.shape(), taps, factors);
    const std::byte* next = panels.raw();
    for (Phase& phase : conv_phases(kernel, out.shape(), taps)) {
        phase.panels = next;
        next += phase.panel_floats(kernels_, kernel) * element_bytes(factors);
        if (phase.rows.count == 0 || phase.columns.count == 0) continue;
        Job job{call, phase, copies};
        job.cut();
        const Scratch scratch(*this, job.scratch_floats());
        pool_.run(job.tiles(), [&](std::int64_t tile, int worker) { job.run(tile, scratch.of(worker)); });
    }
}

} // namespace denoir::cpu

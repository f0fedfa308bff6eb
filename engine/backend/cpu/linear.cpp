// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/onednn.h"
#include "engine/backend/cpu/rows.h"
#include "engine/backend/cpu/weight_rows.h"

namespace denoir::cpu {
namespace {

/// Depth of one pass over a tile, large enough that the sums are rarely fetched again. A multiple of every storage
/// block.
constexpr std::int64_t depth_step = 1024;
/// The same for matrix tiles (AMX): a panel of this depth and the rows that it is multiplied with stay in the L1 cache,
/// from which the tiles are loaded.
constexpr std::int64_t tile_depth_step = 256;
/// The same if panels are packed for each product, since shorter pieces of the weight's rows are read more slowly.
constexpr std::int64_t unpacked_tile_depth_step = 512;
/// The most columns of a tile of the result if the weight is packed once for all products.
constexpr std::int64_t packed_columns = 256;
/// For up to so many rows of x, nothing is packed: each row of the weight is read once and dotted with every row of x.
constexpr std::int64_t few_rows = 8;
/// For up to so many rows of x, the rows are converted to factors once for all tiles, and the weight is not packed for
/// all products: packing takes as long as some hundred rows and as much memory as the weight, but the weights of text
/// encoders are used only once per prompt.
constexpr std::int64_t shared_rows = 512;
/// The most multiplications of one piece of work, 25 ms at 100 GFLOP/s, so that the stop token is checked often.
constexpr std::int64_t multiplications_of_a_piece = 1'200'000'000;
/// A number of pieces that keeps many cores busy.
constexpr std::int64_t enough_pieces = 32;
/// Rows of a weight are prefetched so many rows before they are read.
constexpr std::int64_t fetched_ahead = 2;
/// Rows of the result are prefetched so many rows before they are written.
constexpr std::int64_t written_ahead = 8;
constexpr std::int64_t cache_line = 64; ///< in bytes
/// Packed weights up to this many bytes are kept however little memory is left.
constexpr std::int64_t always_kept = std::int64_t{1} << 20;

/// The smallest multiple of `unit` that divides `size` into as few equal tiles as tiles of at most `limit` would.
std::int64_t even_tile(std::int64_t size, std::int64_t limit, std::int64_t unit) {
    const std::int64_t tiles = divide_up(size, limit);
    return divide_up(divide_up(size, tiles), unit) * unit;
}

/// Reads values [k, k + count) of m rows of x, from `row` on, as factors. The rows at `to` are `stride` factors apart.
void read_rows(const Kernels& kernels, const Tensor& x, std::int64_t row, std::int64_t m, std::int64_t k,
               std::int64_t count, DType factors, bool round, std::byte* to, std::int64_t stride) {
    for (std::int64_t i = 0; i < m; ++i, to += stride * element_bytes(factors))
        read_factors(kernels, x.dtype(), row_of(x, row + i) + k * element_bytes(x.dtype()), count, factors, round, to);
}

/// Prefetches memory for writing, since writing a part of a cache line waits until the whole line is loaded.
void fetch_to_write(const std::byte* to, std::int64_t bytes) {
    for (std::int64_t line = 0; line < bytes; line += cache_line) __builtin_prefetch(to + line, 1);
}

/// The epilogue of a linear layer for n sums of one row: bias, rounding, activation; stored at `to`.
void finish_row(const Kernels& kernels, float* sums, const float* bias, const LinearOptions& options, DType stored,
                std::byte* to, std::int64_t n) {
    const bool activated = options.activation != Activation::none, round = options.compute == DType::bf16;
    const bool last_rounded = round && stored != DType::bf16; // otherwise storing rounds it
    if (bias) kernels.add(sums, bias, sums, n);
    if (activated ? round : last_rounded) kernels.round_bf16(sums, sums, n);
    if (activated) kernels.activate(options.activation, sums, sums, n);
    if (activated && last_rounded) kernels.round_bf16(sums, sums, n);
    store_f32(kernels, sums, stored, to, n);
}

/// finish_row() for m rows of n sums, `stride` apart, which belong at `row`, `column` of the result. Rows of the result
/// are prefetched `ahead` rows before they are written; 0: not at all.
void finish_tile(const Kernels& kernels, float* sums, std::int64_t stride, const float* bias,
                 const LinearOptions& options, const Tensor& out, std::int64_t row, std::int64_t column, std::int64_t m,
                 std::int64_t n, std::int64_t ahead = 0) {
    const std::int64_t bytes = element_bytes(out.dtype());
    for (std::int64_t i = 0; i < m; ++i) {
        if (ahead > 0 && i + ahead < m) fetch_to_write(row_of(out, row + i + ahead) + column * bytes, n * bytes);
        finish_row(kernels, sums + i * stride, bias ? bias + column : nullptr, options, out.dtype(),
                   row_of(out, row + i) + column * bytes, n);
    }
}

} // namespace

std::optional<DType> CpuBackend::packed_type(DType compute, std::int64_t rows) {
    const bool round = compute == DType::bf16;
    if (OneDnnMatrix::forced()) {
        const DType type = OneDnnMatrix::type();
        return rows > few_rows && (round || type == DType::f32) ? std::optional(type) : std::nullopt;
    }
    const bool units = kernels().bf16_in_tiles || OneDnnMatrix::available();
    return round && rows > shared_rows && units ? std::optional(DType::bf16) : std::nullopt;
}

/// Whether our own loops can feed the processor's bf16 units with the weight as it is stored, which is as fast as
/// oneDNN with a packed copy (bench/results/kernels.md). Depends only on the stored form, not on changes (LoRA), since
/// the choice of loops affects the last bits of the result.
bool CpuBackend::multiplies_as_stored(const Weight& w, std::int64_t depth, bool round) const {
    return round && depth % 2 == 0 && kernels_.gemm_bf16 && !kernels_.bf16_in_tiles && !OneDnnMatrix::forced() &&
           !w.scale && w.stored().dtype() == DType::bf16;
}

void CpuBackend::linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions& options,
                        Tensor& out) {
    const bool round = options.compute == DType::bf16;
    const Tensor offsets = bias ? parameter(*bias, round) : Tensor();
    const float* add = bias ? offsets.data<float>() : nullptr;
    if (packed_type(options.compute, x.size(0)) && !multiplies_as_stored(w, x.size(1), round)) {
        const WeightRows rows(kernels_, w, round);
        if (kernels_.bf16_in_tiles && !OneDnnMatrix::forced()) {
            if (rows.columns() % 2 == 0 && rows.columns() > 0)
                return linear_tiles(x, rows, linear_panels(w, rows), add, options, out);
        } else if (const auto packed = packed_weight(w, rows, round)) {
            return linear_packed(x, *packed, add, options, out);
        }
    }
    const WeightRows weight(kernels_, with_changes(w, round), round);
    assert(x.size(1) == weight.columns() && out.size(1) == weight.count());
    if (x.size(0) <= few_rows)
        linear_few_rows(x, weight, add, options, out);
    else
        linear_tiles(x, weight, {}, add, options, out);
}

/// The weight with its changes (LoRA) added once for all products, with the same values that reading it would give. The
/// weight itself if it has no changes, or if memory is short.
const Weight& CpuBackend::with_changes(const Weight& w, bool round) {
    if (w.changes.empty()) return w;
    auto& kept = w.prepared[round ? "changed.bf16" : "changed"];
    if (kept) return *std::static_pointer_cast<Weight>(kept);
    const DType stored = w.stored().dtype();
    const bool narrow = !w.scale && (stored == DType::bf16 || stored == DType::f16); // ChangedRows rounds to it
    const DType type = round ? DType::bf16 : narrow ? stored : DType::f32;
    if (!host_has(checked_bytes(w.shape(), type), available_())) return w;
    const WeightRows rows(kernels_, w, round);
    Tensor values = empty(w.shape(), type);
    const std::int64_t columns = rows.columns(),
                       step = std::max<std::int64_t>(1, values_of_a_piece / std::max<std::int64_t>(1, columns));
    const Scratch scratch(*this, columns);
    pool_.run(divide_up(rows.count(), step), [&](std::int64_t piece, int worker) {
        for (std::int64_t row = piece * step; row < std::min(rows.count(), (piece + 1) * step); ++row) {
            rows.read(row, 0, columns, scratch.of(worker));
            from_f32(type, scratch.of(worker), values.raw() + row * columns * element_bytes(type), columns);
        }
    });
    drop_stored_pages(w);
    const auto made = std::make_shared<Weight>(w.name(), std::move(values));
    kept = made;
    return *made;
}

void CpuBackend::linear_few_rows(const Tensor& x, const WeightRows& weight, const float* bias,
                                 const LinearOptions& options, Tensor& out) {
    const std::int64_t rows = x.size(0), depth = x.size(1), columns = out.size(1), step = 64;
    if (rows == 0) return;
    Tensor wide = empty({rows, depth}, DType::f32);
    for (std::int64_t i = 0; i < rows; ++i) {
        float* row = wide.data<float>() + i * depth;
        store_f32(kernels_, as_f32(kernels_, x.dtype(), row_of(x, i), depth, row), DType::f32,
                  reinterpret_cast<std::byte*>(row), depth);
        if (options.compute == DType::bf16) kernels_.round_bf16(row, row, depth);
    }
    const Scratch scratch(*this, depth + rows * step);
    pool_.run(divide_up(columns, step), [&](std::int64_t piece, int worker) {
        const std::int64_t begin = piece * step, end = std::min(columns, begin + step);
        float *unpacked = scratch.of(worker), *sums = unpacked + depth;
        for (std::int64_t column = begin; column < end; ++column) {
            auto* row = reinterpret_cast<const float*>(weight.direct(column, DType::f32));
            if (!row) {
                weight.read(column, 0, depth, unpacked);
                row = unpacked;
            }
            kernels_.dot(wide.data<float>(), depth, rows, row, depth, sums + column - begin, step);
        }
        finish_tile(kernels_, sums, step, bias, options, out, 0, begin, rows, end - begin);
    });
}

namespace {

/// How a product is divided: tiles of rows x columns of the result, each over the whole depth.
struct Tiles {
    std::int64_t rows, columns, down, across;

    /// Tiles are tall, as each packs its part of the weight, and copies its rows of x unless these are read in place
    /// (`direct`). If the weight is `packed` already, they have as many rows as stay in the L2 cache.
    Tiles(const Kernels& kernels, std::int64_t m, std::int64_t n, std::int64_t k, bool direct, bool packed) {
        const std::int64_t area = multiplications_of_a_piece / std::max<std::int64_t>(1, k);
        // Narrow tiles keep many cores busy even with the few rows of a prompt, which are copied once for all tiles.
        const std::int64_t wide = packed ? packed_columns : m <= shared_rows ? 96 : direct ? 128 : 384;
        columns = even_tile(n, wide, kernels.tile_columns);
        std::int64_t high = std::clamp<std::int64_t>(area / columns, 132, packed ? 264 : direct ? 528 : 384);
        if (divide_up(m, high) * divide_up(n, columns) < enough_pieces) high = std::min<std::int64_t>(high, 264);
        rows = even_tile(m, high, kernels.tile_rows);
        down = divide_up(m, rows);
        across = divide_up(n, columns);
    }
};

/// Whether the matrix kernel can read rows of x in place: they are factors already, and their stride spreads them over
/// the sets of a cache (rows a large power of two apart would evict each other).
bool readable_in_place(const Tensor& x, DType factors, bool round) {
    const std::int64_t bytes = x.stride(0) * element_bytes(x.dtype());
    return x.dtype() == factors && round == (factors == DType::bf16) && (bytes & -bytes) <= 4096;
}

/// Depth of one pass of linear_tiles(). `kept`: whether its panels are packed already.
std::int64_t step_of(const Kernels& kernels, DType factors, bool kept) {
    if (kept) return tile_depth_step;
    return factors == DType::bf16 && kernels.bf16_in_tiles ? unpacked_tile_depth_step : depth_step;
}

/// Floats of scratch memory of pack_columns() for panels of this depth: the rows of a panel and, for pairs, one row
/// more before it is converted.
std::int64_t unpacked_floats(const Kernels& kernels, DType factors, std::int64_t depth) {
    return (factors == DType::bf16 ? kernels.tile_columns / 2 + 1 : kernels.tile_columns) * depth;
}

} // namespace

void CpuBackend::pack_columns(const WeightRows& weight, std::int64_t column, std::int64_t n, std::int64_t k,
                              std::int64_t count, DType factors, float* scratch, std::byte* to) const {
    const std::int64_t panel = kernels_.tile_columns, bytes = element_bytes(factors);
    const std::int64_t words = count * bytes / 4; // in a row: a pair is moved like an f32 value
    float* const wide = scratch + panel * words;  // a row before it is converted to pairs
    for (std::int64_t j = 0; j < n; j += panel, to += panel * count * bytes) {
        const std::int64_t some = std::min(panel, n - j);
        const std::byte* const from = weight.direct(column + j, factors);
        for (std::int64_t i = 0; !from && i < some; ++i) {
            float* const row = scratch + i * words;
            if (i + fetched_ahead < some) weight.fetch(column + j + i + fetched_ahead, k, k + count);
            if (factors == DType::bf16)
                weight.read_bf16(column + j + i, k, k + count, wide, reinterpret_cast<std::uint16_t*>(row));
            else
                weight.read(column + j + i, k, k + count, row);
        }
        kernels_.pack_transposed(from ? reinterpret_cast<const float*>(from + k * bytes) : scratch,
                                 from ? weight.columns() * bytes / 4 : words, some, words,
                                 reinterpret_cast<float*>(to));
    }
}

/// The weight as panels of pairs, made on first use and kept in place of its stored form. In the order in which they
/// are used: [tile of columns][depth / tile_depth_step][panel][depth of the step / 2][column][2].
Tensor CpuBackend::linear_panels(const Weight& w, const WeightRows& rows) {
    constexpr std::string_view use = "linear.panels";
    if (const auto kept = w.prepared.find(use); kept != w.prepared.end())
        return *std::static_pointer_cast<Tensor>(kept->second);
    const std::int64_t panel = kernels_.tile_columns, depth = rows.columns(), all = rows.count();
    const std::int64_t wide = even_tile(all, packed_columns, panel), steps = divide_up(depth, tile_depth_step);
    Tensor panels = empty({divide_up(all, panel) * panel, depth}, DType::bf16);
    const Scratch scratch(*this, unpacked_floats(kernels_, DType::bf16, tile_depth_step));
    pool_.run(divide_up(all, wide) * steps, [&](std::int64_t piece, int worker) {
        const std::int64_t column = piece / steps * wide, k = piece % steps * tile_depth_step;
        const std::int64_t count = std::min(tile_depth_step, depth - k), n = std::min(wide, all - column);
        pack_columns(rows, column, n, k, count, DType::bf16, scratch.of(worker),
                     panels.raw() + (column * depth + k * divide_up(n, panel) * panel) * 2);
    });
    keep(w, use, std::make_shared<Tensor>(panels), panels.bytes());
    return panels;
}

/// Keeps a packed copy with the weight, whose stored pages are then dropped. If memory is short, the copy is not kept:
/// packing it for each product is slow, but the system would otherwise kill the program.
void CpuBackend::keep(const Weight& w, std::string_view use, std::shared_ptr<void> packed, std::int64_t bytes) const {
    if (bytes < always_kept || host_has(0, available_())) w.prepared.emplace(use, std::move(packed));
    drop_stored_pages(w);
}

void CpuBackend::linear_tiles(const Tensor& x, const WeightRows& weight, const Tensor& kept, const float* bias,
                              const LinearOptions& options, Tensor& out) {
    const std::int64_t depth = x.size(1), panel = kernels_.tile_columns;
    const bool round = options.compute == DType::bf16;
    // Pairs of bf16 values if the processor has units for them and every value has a partner.
    const DType factors = round && kernels_.gemm_bf16 && depth % 2 == 0 ? DType::bf16 : DType::f32;
    const std::int64_t bytes = element_bytes(factors), step = step_of(kernels_, factors, bool(kept));
    const std::int64_t apart = cache_line / bytes; // rows a power of two apart would push each other out of the cache
    Tensor a = x;                                  // the rows of x as factors, if `in_place`
    bool in_place = readable_in_place(x, factors, round);
    if (!in_place && x.size(0) <= shared_rows) {
        a = empty({x.size(0), depth + apart}, factors);
        each_rows(x.size(0), depth, 0, [&](std::int64_t begin, std::int64_t end, float*) {
            read_rows(kernels_, x, begin, end - begin, 0, depth, factors, round, row_of(a, begin), depth + apart);
        });
        in_place = true;
    }
    const Tiles tiles(kernels_, x.size(0), out.size(1), depth, in_place, bool(kept));
    const std::int64_t padded = step + apart, c_stride = tiles.columns + 16; // both avoid powers of two
    // Floats of a thread; each part but the last is rounded up to whole cache lines.
    const auto lines_of = [&](std::int64_t count) { return divide_up(count * bytes, cache_line) * (cache_line / 4); };
    const std::int64_t copied = in_place ? 0 : lines_of(tiles.rows * padded),
                       packed = kept ? 0 : lines_of(tiles.columns * step), sums = tiles.rows * c_stride,
                       unpacked = kept ? 0 : unpacked_floats(kernels_, factors, step);
    const Scratch scratch(*this, copied + packed + sums + unpacked);

    pool_.run(tiles.down * tiles.across, [&](std::int64_t piece, int worker) {
        const std::int64_t row = piece / tiles.across * tiles.rows, m = std::min(tiles.rows, x.size(0) - row);
        const std::int64_t column = piece % tiles.across * tiles.columns,
                           n = std::min(tiles.columns, out.size(1) - column);
        float *own = scratch.of(worker), *panels = own + copied, *c = panels + packed, *wide = c + sums;
        if (depth == 0) std::fill_n(c, m * c_stride, 0.0f);
        for (std::int64_t k = 0; k < depth; k += step) {
            const std::int64_t count = std::min(step, depth - k);
            auto* const rows = reinterpret_cast<std::byte*>(own);
            auto* columns = reinterpret_cast<std::byte*>(panels);
            if (!in_place) read_rows(kernels_, x, row, m, k, count, factors, round, rows, padded);
            if (kept)
                columns = kept.raw() + (column * depth + k * divide_up(n, panel) * panel) * bytes;
            else
                pack_columns(weight, column, n, k, count, factors, wide, columns);
            gemm(kernels_, factors, in_place ? row_of(a, row) + k * bytes : rows, in_place ? a.stride(0) : padded,
                 columns, count, m, n, c, c_stride, k > 0);
        }
        finish_tile(kernels_, c, c_stride, bias, options, out, row, column, m, n, written_ahead);
    });
}

/// The weight as oneDNN needs it, packed on first use and kept in place of its stored form; null if our own loops are
/// as fast.
std::shared_ptr<OneDnnMatrix> CpuBackend::packed_weight(const Weight& w, const WeightRows& rows, bool round) {
    if (rows.columns() == 0 || rows.count() == 0) return nullptr;
    const std::string_view use = round ? "linear.onednn.bf16" : "linear.onednn.f32";
    if (const auto kept = w.prepared.find(use); kept != w.prepared.end())
        return std::static_pointer_cast<OneDnnMatrix>(kept->second);
    const auto run = [&](std::int64_t count, const std::function<void(std::int64_t)>& body) {
        pool_.run(count, [&](std::int64_t i, int) { body(i); });
    };
    const auto packed = OneDnnMatrix::pack(
        rows, [&](const Shape& shape, DType dtype) { return empty(shape, dtype); }, run);
    // Null is kept as well, since the choice of loops affects the bytes of the result.
    if (packed)
        keep(w, use, packed, rows.count() * rows.columns() * element_bytes(OneDnnMatrix::type()));
    else
        w.prepared.emplace(use, packed);
    return packed;
}

void CpuBackend::linear_packed(const Tensor& x, OneDnnMatrix& weight, const float* bias, const LinearOptions& options,
                               Tensor& out) {
    const DType type = OneDnnMatrix::type();
    const std::int64_t depth = x.size(1), row_bytes = depth * element_bytes(type), wide = weight.tile_columns();
    std::int64_t high = 0;
    pool_.run(1, [&](std::int64_t, int) {
        high = weight.tile_rows(x.size(0));
    }); // on a thread of the pool, where oneDNN plans for one thread
    const bool in_place = x.dtype() == type && x.stride(0) == depth && type == DType::bf16;
    // If rows are copied, several tiles use the same copy.
    const std::int64_t down = divide_up(x.size(0), high), tiles = weight.tiles();
    const std::int64_t most =
        std::min(multiplications_of_a_piece / (high * wide * depth), down * tiles / enough_pieces);
    const std::int64_t group = std::clamp<std::int64_t>(most, 1, tiles), across = divide_up(tiles, group);
    // Floats of one thread: A, C, and the library's scratch memory.
    const std::int64_t a_floats = divide_up(high * row_bytes, 4), c_floats = high * wide;
    const Scratch scratch(*this, a_floats + c_floats + divide_up(weight.scratch_bytes(), 4) + 32);
    pool_.run(down * across, [&](std::int64_t piece, int worker) {
        const std::int64_t row = piece / across * high, m = std::min(high, x.size(0) - row);
        const std::int64_t begin = piece % across * group, end = std::min(begin + group, tiles);
        float *c = scratch.of(worker), *copied = c + c_floats;
        auto* work = reinterpret_cast<std::byte*>(copied + divide_up(a_floats, 16) * 16);
        const std::byte* rows = row_of(x, row);
        if (!in_place || m < high) {
            auto* to = reinterpret_cast<std::byte*>(copied);
            read_rows(kernels_, x, row, m, 0, depth, type, options.compute == DType::bf16, to, depth);
            std::fill(to + m * row_bytes, to + high * row_bytes, std::byte{0});
            rows = to;
        }
        for (std::int64_t tile = begin; tile < end; ++tile) {
            const std::int64_t column = tile * wide, n = std::min(wide, out.size(1) - column);
            weight.multiply(tile, high, rows, c, work);
            finish_tile(kernels_, c, wide, bias, options, out, row, column, m, n);
        }
    });
}

} // namespace denoir::cpu

// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "engine/backend/cpu/simd/functions.h"

// gemm_bf16 for processors with AMX. There are eight tiles of 16 rows of 64 bytes: 16 x 32 values of A, 16 pairs x 16
// columns of a panel, or 16 x 16 sums. A block of C takes 2 x 2 tiles, which leaves two for A and two for B.
namespace denoir::cpu::DENOIR_ISA {
namespace {

constexpr int side = 16; ///< rows and columns of C in a tile
constexpr int deep = 32; ///< values along k that one multiplication takes
static_assert(gemm_columns == 2 * side);
constexpr std::int64_t enough_rows = 128;              ///< their products take as long as fetching a panel
constexpr std::int64_t panel_bytes = gemm_columns * 4; ///< bytes of a row of pairs of a panel

/// The tiles and their numbers. The instructions below are given the numbers as such, since GCC's intrinsics paste
/// their arguments into the assembler's text, where the name of an enumerator would mean nothing.
enum : int { c00, c01, c10, c11, a0, a1, b0, b1 };

/// Makes sure that everything is written to memory, since GCC does not know that tile loads read it.
void publish() { asm volatile("" : : : "memory"); }

/// Sets the number of rows of the tiles for A and C: 16, or fewer at the end.
void set_rows(std::int64_t rows) {
    struct alignas(64) {
        std::uint8_t palette = 1, start = 0, reserved[14] = {};
        std::uint16_t row_bytes[16] = {};
        std::uint8_t rows[16] = {};
    } shape;
    for (const int t : {c00, c01, c10, c11, a0, a1, b0, b1}) {
        shape.row_bytes[t] = 64;
        shape.rows[t] = static_cast<std::uint8_t>(t == b0 || t == b1 ? side : rows);
    }
    asm volatile("" : : "r"(&shape) : "memory");
    _tile_loadconfig(&shape);
}

/// A panel that will be needed soon. It is prefetched, some lines between two multiplications; the processor itself
/// would begin only when the panel's beginning is read.
class Ahead {
public:
    Ahead(const std::uint16_t* panel, std::int64_t k)
        : at_(reinterpret_cast<const std::byte*>(panel)), end_(at_ + k * gemm_columns * 2) {}
    void fetch() {
        if (at_ >= end_) return;
        for (int line = 0; line < 4; ++line) _mm_prefetch(at_ + 64 * line, _MM_HINT_T1);
        at_ += 4 * 64;
    }

private:
    const std::byte *at_, *end_;
};

/// The rest of k that does not fill a multiplication, padded with zeros.
struct Rest {
    alignas(64) std::uint16_t a[2 * side][deep];
    alignas(64) std::uint16_t b[side][gemm_columns * 2];
};

/// Computes `down` x `across` tiles of C. k must be even and above 0.
template <int down, int across> void block(const std::uint16_t* a, std::int64_t lda, const std::uint16_t* panel,
                                           std::int64_t k, std::int64_t rows, float* c, std::int64_t ldc,
                                           bool accumulate, Rest& rest, Ahead& ahead) {
    const auto a_bytes = static_cast<std::size_t>(lda * 2), c_bytes = static_cast<std::size_t>(ldc * 4);
    if (accumulate) {
        _tile_loadd(0, c, c_bytes);
        if constexpr (across > 1) _tile_loadd(1, c + side, c_bytes);
        if constexpr (down > 1) _tile_loadd(2, c + side * ldc, c_bytes);
        if constexpr (down > 1 && across > 1) _tile_loadd(3, c + side * ldc + side, c_bytes);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    const auto step = [](const std::uint16_t* x, std::size_t x_bytes, const std::uint16_t* pairs) {
        _tile_loadd(6, pairs, panel_bytes);
        _tile_loadd(4, x, x_bytes);
        _tile_dpbf16ps(0, 4, 6);
        if constexpr (across > 1) {
            _tile_loadd(7, pairs + 2 * side, panel_bytes);
            _tile_dpbf16ps(1, 4, 7);
        }
        if constexpr (down > 1) {
            _tile_loadd(5, reinterpret_cast<const std::byte*>(x) + side * x_bytes, x_bytes);
            _tile_dpbf16ps(2, 5, 6);
            if constexpr (across > 1) _tile_dpbf16ps(3, 5, 7);
        }
    };
    std::int64_t p = 0;
    for (; p + deep <= k; p += deep) {
        step(a + p, a_bytes, panel + p * gemm_columns);
        ahead.fetch();
    }
    if (p < k) {
        for (std::int64_t i = 0; i < rows; ++i)
            __builtin_memcpy(rest.a[i], a + i * lda + p, static_cast<std::size_t>(k - p) * 2);
        publish();
        step(rest.a[0], deep * 2, rest.b[0]);
    }
    _tile_stored(0, c, c_bytes);
    if constexpr (across > 1) _tile_stored(1, c + side, c_bytes);
    if constexpr (down > 1) _tile_stored(2, c + side * ldc, c_bytes);
    if constexpr (down > 1 && across > 1) _tile_stored(3, c + side * ldc + side, c_bytes);
}

/// Computes m rows of C for the first `across` tiles of one panel. The tiles must be set to 16 rows, and are so again
/// afterwards.
template <int across> void strip(const std::uint16_t* a, std::int64_t lda, const std::uint16_t* panel, std::int64_t k,
                                 std::int64_t m, float* c, std::int64_t ldc, bool accumulate, Rest& rest, Ahead ahead) {
    if (const std::int64_t left = k % deep; left > 0)
        __builtin_memcpy(rest.b, panel + (k - left) * gemm_columns, static_cast<std::size_t>(left * gemm_columns) * 2);
    std::int64_t i = 0;
    for (; i + 2 * side <= m; i += 2 * side)
        block<2, across>(a + i * lda, lda, panel, k, 2 * side, c + i * ldc, ldc, accumulate, rest, ahead);
    if (i + side <= m) {
        block<1, across>(a + i * lda, lda, panel, k, side, c + i * ldc, ldc, accumulate, rest, ahead);
        i += side;
    }
    if (i < m) {
        set_rows(m - i);
        block<1, across>(a + i * lda, lda, panel, k, m - i, c + i * ldc, ldc, accumulate, rest, ahead);
        set_rows(side);
    }
}

} // namespace

void gemm_bf16(const std::uint16_t* a, std::int64_t lda, const std::uint16_t* panels, std::int64_t k, std::int64_t m,
               std::int64_t n, float* c, std::int64_t ldc, bool accumulate) {
    Rest rest;
    if (k % deep > 0) rest = {};
    publish();
    set_rows(side);
    // As many rows of A as stay in the L2 cache (512 KiB) while all panels are used one after the other; each panel
    // stays in the L1 cache.
    const std::int64_t fit = 262144 / (k > 0 ? k : 1) / (2 * side) * (2 * side), high = fit > 2 * side ? fit : 2 * side;
    for (std::int64_t begin = 0; begin < m; begin += high) {
        const std::int64_t rows = m - begin < high ? m - begin : high;
        const std::uint16_t* panel = panels;
        for (std::int64_t j = 0; j < n; j += gemm_columns, panel += gemm_columns * k) {
            const auto part = n - j <= side ? strip<1> : strip<2>;
            // Panels follow each other in memory; in a packed weight, those of the next call follow as well.
            const Ahead ahead(panel + 2 * gemm_columns * k, rows >= enough_rows ? k : 0);
            part(a + begin * lda, lda, panel, k, rows, c + begin * ldc + j, ldc, accumulate, rest, ahead);
        }
    }
    _tile_release();
}

} // namespace denoir::cpu::DENOIR_ISA

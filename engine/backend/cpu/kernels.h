// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/backend/backend.h"
#include "engine/core/instruction_set.h"

namespace denoir::cpu {

/// Inner loops (simd/, the same sources compiled for each instruction set) over contiguous f32 rows. They need no
/// alignment, and results do not depend on it. `out` may be `in`. bf16 values are passed as their 16 bits.
struct Kernels {
    std::string_view name;
    int tile_rows;    ///< rows of C that the matrix kernel holds in registers
    int tile_columns; ///< columns of C that it holds there; columns of a packed panel

    /// C[m, n] = A[m, k] · B, or += with `accumulate`. B is stored in panels of `tile_columns` columns,
    /// [panel][k][column]. The last panel may be padded: C must have room for all columns of the panels (ldc >= panels
    /// · tile_columns), and those beyond n are then undefined.
    void (*gemm)(const float* a, std::int64_t lda, const float* panels, std::int64_t k, std::int64_t m, std::int64_t n,
                 float* c, std::int64_t ldc, bool accumulate);
    /// Packs panels of B = Wᵀ from the rows w[n, k]; padding columns are zero.
    void (*pack_transposed)(const float* w, std::int64_t ldw, std::int64_t n, std::int64_t k, float* panels);
    /// Packs panels of B = v[k, n].
    void (*pack)(const float* v, std::int64_t ldv, std::int64_t k, std::int64_t n, float* panels);
    /// `gemm` of bf16 values, summed in f32; null if the processor has no units for it. k must be even, and two values
    /// along k are stored together: panels are [panel][k / 2][column][2].
    void (*gemm_bf16)(const std::uint16_t* a, std::int64_t lda, const std::uint16_t* panels, std::int64_t k,
                      std::int64_t m, std::int64_t n, float* c, std::int64_t ldc, bool accumulate);
    bool bf16_in_tiles; ///< gemm_bf16 runs on matrix tiles (AMX): several times as fast as gemm
    /// Makes panels of bf16 pairs from f32 panels whose k is even. `rows` is the number of rows of all panels together.
    void (*pair_rows)(const float* panels, std::int64_t rows, std::uint16_t* pairs);
    /// out[i · ldo] = Σ x[i, k] · w[k] for i < m.
    void (*dot)(const float* x, std::int64_t ldx, std::int64_t m, const float* w, std::int64_t k, float* out,
                std::int64_t ldo);

    /// For conv_winograd.h: the points of a tile, n channels each and `point` floats apart, from its 4x4 pixels at
    /// `from` (3x3 for a duplicated picture). Pixels are n floats apart, their rows `row` floats.
    void (*winograd_points)(const float* from, std::int64_t row, std::int64_t n, float* to, std::int64_t point);
    void (*winograd_points_duplicated)(const float* from, std::int64_t row, std::int64_t n, float* to,
                                       std::int64_t point);
    /// The way back: 2x2 outputs of n channels from the sums at the points.
    void (*winograd_outputs)(const float* from, std::int64_t point, std::int64_t n, float* to, std::int64_t row);
    void (*winograd_outputs_duplicated)(const float* from, std::int64_t point, std::int64_t n, float* to,
                                        std::int64_t row);

    void (*widen_bf16)(const std::uint16_t* in, float* out, std::int64_t n);
    /// These give exactly the results of to_f32 (core/dtype.h), including NaN.
    void (*widen_f16)(const std::uint16_t* in, float* out, std::int64_t n);
    void (*widen_e5m2)(const std::uint8_t* in, float* out, std::int64_t n);
    void (*widen_e4m3)(const std::uint8_t* in, float* out, std::int64_t n);
    void (*widen_i8)(const std::uint8_t* in, float* out, std::int64_t n);
    void (*narrow_bf16)(const float* in, std::uint16_t* out, std::int64_t n);
    void (*round_bf16)(const float* in, float* out, std::int64_t n);

    void (*add)(const float* a, const float* b, float* out, std::int64_t n);
    void (*multiply)(const float* a, const float* b, float* out, std::int64_t n);
    void (*scale)(const float* in, float factor, float* out, std::int64_t n);
    /// x + y · gate; product and sum are each rounded.
    void (*gated_add)(const float* x, const float* y, const float* gate, float* out, std::int64_t n);
    void (*activate)(Activation, const float* in, float* out, std::int64_t n);

    /// Sums of short parts in f32, which are added in f64.
    double (*sum)(const float* x, std::int64_t n);
    double (*sum_squares)(const float* x, float mean, std::int64_t n); ///< Σ (x - mean)²
    /// (x - mean) · factor, then · weight (or · (1 + weight) if `one_plus`) + bias, unless these are null.
    void (*normalize)(const float* x, float mean, float factor, const float* weight, bool one_plus, const float* bias,
                      float* out, std::int64_t n);
    /// x · factor · weight; if `round`, x · factor is rounded to bf16.
    void (*rms)(const float* x, float factor, bool round, const float* weight, float* out, std::int64_t n);
    /// Each of `rows` rows of n values, which are ldx apart, divided by its length (at least 1e-12), then · √n · gamma,
    /// then SiLU if `activated`. The results are dense.
    void (*unit_rows)(const float* x, std::int64_t ldx, std::int64_t rows, std::int64_t n, const float* gamma,
                      bool activated, float* out);
    /// Rotates pairs (2j, 2j+1). cos2 holds each cosine twice, sin2 pairs (-sin, +sin).
    void (*rotate)(const float* x, const float* cos2, const float* sin2, float* out, std::int64_t n);

    /// s = s · scale + bias + key_bias; one of the two may be null.
    void (*biased_scores)(float* s, float scale, const float* bias, const float* key_bias, std::int64_t n);
    /// The maximum, without NaN; -inf if there is none.
    float (*greatest)(const float* s, std::int64_t n);
    /// s = exp(s · scale - shift), rounded to bf16 if `round`; returns the sum before rounding.
    float (*exponentials)(float* s, float scale, float shift, bool round, std::int64_t n);
    /// out = 2^(s · scale - shift) with a relative error of at most 5e-6, rounded to bf16; returns the sum before
    /// rounding.
    float (*powers_of_two_bf16)(const float* s, float scale, float shift, std::uint16_t* out, std::int64_t n);

    /// For benchmarks: multiplies and adds in registers only, as many at a time as the matrix kernel. Returns the
    /// number of operations.
    double (*multiply_adds)(std::int64_t rounds);
};

/// The kernels for widest_instruction_set().
const Kernels& kernels();
/// The kernels for an instruction set; null if the build or the processor does not have them.
const Kernels* kernels(InstructionSet);

} // namespace denoir::cpu

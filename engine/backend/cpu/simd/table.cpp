// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/simd/functions.h"

#define DENOIR_TEXT_OF(name) #name
#define DENOIR_TEXT(name) DENOIR_TEXT_OF(name)

namespace denoir::cpu::DENOIR_ISA {

extern const Kernels table;
const Kernels table{
    .name = DENOIR_TEXT(DENOIR_ISA),
    .tile_rows = gemm_rows,
    .tile_columns = gemm_columns,
    .gemm = gemm,
    .pack_transposed = pack_transposed,
    .pack = pack,
    .gemm_bf16 = gemm_bf16,
    .bf16_in_tiles = bf16_in_tiles,
    .pair_rows = pair_rows,
    .dot = dot,
    .winograd_points = winograd_points,
    .winograd_points_duplicated = winograd_points_duplicated,
    .winograd_outputs = winograd_outputs,
    .winograd_outputs_duplicated = winograd_outputs_duplicated,
    .widen_bf16 = widen_bf16,
    .widen_f16 = widen_f16,
    .widen_e5m2 = widen_e5m2,
    .widen_e4m3 = widen_e4m3,
    .widen_i8 = widen_i8,
    .narrow_bf16 = narrow_bf16,
    .round_bf16 = round_bf16,
    .add = add,
    .multiply = multiply,
    .scale = scale,
    .gated_add = gated_add,
    .activate = activate,
    .sum = sum,
    .sum_squares = sum_squares,
    .normalize = normalize,
    .rms = rms,
    .unit_rows = unit_rows,
    .rotate = rotate,
    .biased_scores = biased_scores,
    .greatest = greatest,
    .exponentials = exponentials,
    .powers_of_two_bf16 = powers_of_two_bf16,
    .multiply_adds = multiply_adds,
};

} // namespace denoir::cpu::DENOIR_ISA

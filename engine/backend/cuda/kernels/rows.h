// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/runtime.h"

// Kernels over the rows of [L, C]: a row is held by one warp (short rows) or one block, once read from memory.
namespace denoir::cuda {

/// [L, C], rows `stride` elements apart, each dense. f32 or bf16.
struct Rows {
    void* data = nullptr;
    std::int64_t stride = 0;
    Type type = Type::f32;
};

/// A row of f32 parameters for each group of neighbouring tokens; stride 0: one for all. Null data: none.
struct GroupRows {
    const float* data = nullptr;
    std::int64_t stride = 0;
};

/// (x - mean) / sqrt(variance + eps) · (weight or 1 + weight) + bias
struct LayerNorm {
    Rows x, out;
    std::int64_t tokens = 0, tokens_per_group = 1;
    int channels = 0;
    float eps = 0;
    GroupRows weight, bias;
    bool one_plus = false;
};
void layer_norm(Runtime&, const LayerNorm&);

/// x · factor · weight, then the rotation of each head, then SiLU; each part may be left out.
struct RmsNorm {
    enum class Factor : int {
        none, ///< x as it is, no weight either
        rms,  ///< 1 / sqrt(mean(x²) + eps)
        l2,   ///< sqrt(C) / max(|x|, 1e-12)
    };
    Rows x, out;
    std::int64_t tokens = 0;
    int channels = 0;
    Factor factor = Factor::rms;
    float eps = 0;
    const float* weight = nullptr;
    bool round_normalised = false, round_weight = false, silu = false;
    const float *cos = nullptr, *sin = nullptr; ///< [L, D/2]; null: no rotation
    std::int64_t cos_stride = 0, sin_stride = 0;
    int head = 0; ///< D
};
void rms_norm(Runtime&, const RmsNorm&);

/// x + y · gate[group]
struct GatedAdd {
    Rows x, y, out;
    std::int64_t tokens = 0, tokens_per_group = 1;
    int channels = 0;
    GroupRows gate;
};
void gated_add(Runtime&, const GatedAdd&);

// Per value; what the kernels are made of.

DENOIR_HD float normalised(float x, float mean, float factor, float weight, float bias) {
    return (x - mean) * factor * weight + bias;
}

DENOIR_HD float rms_factor(RmsNorm::Factor kind, float sum_of_squares, int channels, float eps) {
    const float n = static_cast<float>(channels);
    switch (kind) {
    case RmsNorm::Factor::none:
        return 1.0f;
    case RmsNorm::Factor::rms:
        return reciprocal_root(sum_of_squares / n + eps);
    case RmsNorm::Factor::l2: {
        const float length = sqrtf(sum_of_squares);
        return sqrtf(n) / (length > 1e-12f ? length : 1e-12f);
    }
    }
    return 1.0f;
}

/// Channels (2j, 2j+1) of a head turned by the angle of pair j.
DENOIR_HD void rotate(float& even, float& odd, float cosine, float sine) {
    const float a = even, b = odd;
    even = a * cosine - b * sine;
    odd = b * cosine + a * sine;
}

/// How a block is cut: `width` threads hold one row, `rows` rows share the block.
struct RowShape {
    int width, rows;
    bool cached; ///< the row is kept in shared memory as f32; else it is read again for each pass

    static constexpr int warp = 32, warps_per_block = 4, block = 256, widest_pack = 8;
    static constexpr int short_row = 1024; ///< channels up to here: one warp a row
    /// Of a block's 48 KiB: `row_reduce` keeps a sum for every warp there too.
    static constexpr std::size_t most_shared = 48 * 1024 - 32 * sizeof(float);
    static constexpr int longest_cached = 10240; ///< in whole rounds of the block's packs
    /// Floats that a row of `width` threads keeps: a whole pack for each of them.
    static DENOIR_HD constexpr int kept(int channels, int width) {
        const int round = width * widest_pack;
        return (channels + round - 1) / round * round;
    }
    static constexpr RowShape of(int channels) {
        if (channels <= short_row) return {warp, warps_per_block, true};
        return {block, 1, channels <= longest_cached};
    }
    constexpr std::size_t shared(int channels) const {
        return cached ? sizeof(float) * static_cast<std::size_t>(rows * kept(channels, width)) : 0;
    }
};
static_assert(RowShape::of(RowShape::short_row).shared(RowShape::short_row) <= RowShape::most_shared);
static_assert(RowShape::of(RowShape::longest_cached).shared(RowShape::longest_cached) <= RowShape::most_shared);

} // namespace denoir::cuda

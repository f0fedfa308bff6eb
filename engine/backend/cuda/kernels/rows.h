// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/runtime.h"

// Kernels over the rows of [L, C]. A part of a warp, a warp, or a block works on one row.
namespace denoir::cuda {

/// [L, C], rows `stride` elements apart, each dense. f32 or bf16.
struct Rows {
    void* data = nullptr;
    std::int64_t stride = 0;
    Type type = Type::f32;
};

/// A row of f32 parameters for each group of neighbouring tokens. Stride 0: one row for all; null data: none.
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
        none, ///< x as it is, without a weight
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

/// norm.x = x + y · gate[group], or x + y without a gate; and norm.out, the layer norm of the sum as it is written or,
/// with `round_before`, rounded to bf16.
struct AddLayerNorm {
    Rows x, y;
    std::int64_t tokens_per_gate = 1;
    GroupRows gate;
    bool round_before = false;
    LayerNorm norm;
};
/// Does nothing and returns false if rows are too short for a warp, too long to be kept, or not in packs of eight, or
/// if no network has these types.
bool add_layer_norm(Runtime&, const AddLayerNorm&);

// The arithmetic of the kernels, on single values.

DENOIR_HD float normalised(float x, float mean, float factor, float weight, float bias) {
    return (x - mean) * factor * weight + bias;
}

DENOIR_HD float rms_factor(RmsNorm::Factor kind, float sum_of_squares, int channels, float eps) {
    const float n = static_cast<float>(channels);
    switch (kind) {
    case RmsNorm::Factor::none:
        return 1.0f;
    case RmsNorm::Factor::rms:
        return reciprocal_root(quotient(sum_of_squares, n) + eps);
    case RmsNorm::Factor::l2:
        return reciprocal_root(quotient(sum_of_squares < 1e-24f ? 1e-24f : sum_of_squares, n));
    }
    return 1.0f;
}

/// Turns channels (2j, 2j+1) of a head by the angle of pair j.
DENOIR_HD void rotate(float& even, float& odd, float cosine, float sine) {
    const float a = even, b = odd;
    even = a * cosine - b * sine;
    odd = b * cosine + a * sine;
}

/// How a block is cut: `width` threads hold one row, `rows` rows share the block. A thread keeps up to `packs` packs of
/// the row in registers; 0: the row is too long for that or its packs are narrow, and it is read again for each pass.
struct RowShape {
    int width, rows, packs;

    static constexpr int warp = 32, short_block = 128, block = 256, widest_pack = 8, few = 3, many = 6;
    /// Blocks of a multiprocessor: as many as there are registers for.
    static constexpr int blocks(int packs) { return packs == many ? 2 : 4; }
    /// The fewest threads that hold the row: a part of a warp, a warp, or whole warps. With 96, 192, 384, 768 and 1536
    /// channels none of them is idle.
    static constexpr RowShape of(int channels, int pack) {
        const int every = (channels + pack - 1) / pack;
        if (pack == widest_pack) {
            for (int width = 4; width <= warp; width *= 2)
                if (every <= width * few) return {width, short_block / width, few};
            if (every <= warp * many) return {warp, short_block / warp, many};
            const int width = (every + warp * few - 1) / (warp * few) * warp;
            if (width <= block) return {width, 1, few};
        }
        return every <= short_block ? RowShape{warp, short_block / warp, 0} : RowShape{block, 1, 0};
    }
};
static_assert(RowShape::of(1536, 8).packs == RowShape::many && RowShape::of(5120, 8).packs == RowShape::few);

} // namespace denoir::cuda

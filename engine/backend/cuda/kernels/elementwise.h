// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"
#include "engine/backend/cuda/runtime.h"

// Kernels over tensors of one shape and any strides.
namespace denoir::cuda {

inline constexpr int max_axes = 8;

struct Operand {
    void* data = nullptr;
    Type type = Type::f32;
    std::int64_t stride[max_axes] = {}; ///< in elements; 0: the axis repeats one value
};

/// Up to three tensors walked together, axes joined where that is possible (see `walk`); the last axis is the
/// innermost.
struct Walk {
    int axes = 0;
    std::int64_t size[max_axes] = {};
    Operand out, a, b;
    DENOIR_HD std::int64_t elements() const {
        std::int64_t n = 1;
        for (int i = 0; i < axes; ++i) n *= size[i];
        return n;
    }
};

/// Throws Error where this build has no machine code for the card; of these kernels as of all.
void require_kernels(Runtime&);
/// out = a, other type and strides. a: any Type; out: f32, bf16, or the type of a.
void copy(Runtime&, const Walk&);
/// out = a for elements of `bytes` bytes (1, 2, 4, 8) that are not looked at.
void copy_raw(Runtime&, const Walk&, int bytes);
void fill(Runtime&, const Walk&, float value);
enum class Pair : int { sum, product };
void combine(Runtime&, Pair, const Walk&); ///< a, b, out: f32 or bf16
void activate(Runtime&, Curve, const Walk&);
void gelu_in_steps(Runtime&, const Walk&); ///< as denoir::Activation::gelu_tanh_steps; a, out: bf16

/// Offsets of element number `index` (in packs of `pack` along the last axis) in the three operands.
struct Offsets {
    std::int64_t out = 0, a = 0, b = 0;
};
template <class Index> DENOIR_HD Offsets offsets_of(const Walk& w, Index index, int pack) {
    Offsets at;
    for (int axis = w.axes - 1; axis >= 0; --axis) {
        const bool last = axis == w.axes - 1;
        const Index size = static_cast<Index>(last ? w.size[axis] / pack : w.size[axis]);
        const Index outer = index / size, step = (index - outer * size) * static_cast<Index>(last ? pack : 1);
        at.out += static_cast<std::int64_t>(step) * w.out.stride[axis];
        at.a += static_cast<std::int64_t>(step) * w.a.stride[axis];
        at.b += static_cast<std::int64_t>(step) * w.b.stride[axis];
        index = outer;
    }
    return at;
}

} // namespace denoir::cuda

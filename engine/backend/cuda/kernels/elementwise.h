// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

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

/// Throws Error if this build has no machine code for the card. One kernel is asked, as the answer is the same for all.
void require_kernels(Runtime&);
/// out = a, converted; the strides may differ. a: any Type; out: f32, bf16, or the type of a.
void copy(Runtime&, const Walk&);
/// out = a for elements of `bytes` bytes (1, 2, 4, 8), whatever their type.
void copy_raw(Runtime&, const Walk&, int bytes);
/// Stretches of memory that one kernel copies: starting a kernel for each would take longer than the copy.
struct Stretches {
    struct One {
        std::byte* to = nullptr;
        const std::byte* from = nullptr;
        std::int64_t packs = 0; ///< of 16 bytes; both addresses are multiples of that
        std::int64_t block = 0; ///< number of the first of its blocks
    };
    static constexpr int most = 100; ///< a kernel takes at most 4 KiB of arguments
    One one[most];
    int count = 0;
    std::int64_t blocks = 0;
    /// Adds nothing and returns false if the memory does not consist of packs or if there is no room.
    bool add(std::byte* to, const std::byte* from, std::size_t bytes);
};
static_assert(sizeof(Stretches) <= 4096);
void copy_all(Runtime&, const Stretches&);
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

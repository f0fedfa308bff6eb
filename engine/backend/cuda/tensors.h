// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/backend.h"
#include "engine/backend/cuda/kernels/elementwise.h"
#include "engine/backend/cuda/kernels/rows.h"

// Tensors in the form in which kernels take them.
namespace denoir::cuda {

inline Type type_of(DType dtype) {
    switch (dtype) {
    case DType::bf16:
        return Type::bf16;
    case DType::f16:
        return Type::f16;
    case DType::i64:
        return Type::i64;
    default:
        assert(dtype == DType::f32);
        return Type::f32;
    }
}

inline Curve curve_of(Activation kind) {
    switch (kind) {
    case Activation::silu:
        return Curve::silu;
    case Activation::gelu_tanh:
        return Curve::gelu_tanh;
    case Activation::gelu_erf:
        return Curve::gelu_erf;
    case Activation::gelu_tanh_steps: // never done as a part of another kernel
    case Activation::none:
        break;
    }
    return Curve::none;
}

/// x is [L, C] with dense rows.
inline Rows rows(const Tensor& x) {
    assert(x.rank() == 2 && (x.stride(1) == 1 || x.size(1) <= 1));
    return {x.raw(), x.stride(0), type_of(x.dtype())};
}

/// Whether the address and the stride of rows allow two neighbouring channels to be accessed at once.
inline bool in_pairs(const Tensor& x) {
    const auto bytes = static_cast<std::uintptr_t>(2 * element_bytes(x.dtype()));
    return reinterpret_cast<std::uintptr_t>(x.raw()) % bytes == 0 && x.stride(0) % 2 == 0;
}

inline void set_rotation(RmsNorm& a, const Rope& table, int head) {
    a.cos = table.cos.data<float>();
    a.sin = table.sin.data<float>();
    a.cos_stride = table.cos.stride(0);
    a.sin_stride = table.sin.stride(0);
    a.head = head;
}

/// Three tensors of one shape. Axes of size 1 are dropped, and neighbouring axes are joined if one stride serves for
/// both in all three tensors. `raw`: elements are only moved, so they may have any type.
Walk walk(const Tensor& out, const Tensor& a, const Tensor& b, bool raw = false);

} // namespace denoir::cuda

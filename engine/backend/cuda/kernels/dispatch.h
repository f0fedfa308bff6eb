// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/cuda/kernels/number.h"

// To turn a value of the host into a type or a constant of the kernel.
namespace denoir::cuda {

/// f(float{}) or f(Bf16{})
template <class F> void with_float(Type type, F f) {
    if (type == Type::bf16)
        f(Bf16{});
    else
        f(float{});
}

template <int V> struct Constant { static constexpr int value = V; };

/// Packs of eight need sizes, strides and addresses that are multiples of eight elements.
inline bool in_eights(const void* data, Type type, std::int64_t stride) {
    const std::uintptr_t bytes = type == Type::bf16 || type == Type::f16 ? 16 : type == Type::f32 ? 32 : 64;
    return reinterpret_cast<std::uintptr_t>(data) % bytes == 0 && stride % 8 == 0;
}

} // namespace denoir::cuda

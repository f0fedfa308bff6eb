// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/rows.h"

#include <cstring>

namespace denoir::cpu {

const float* as_f32(const Kernels& kernels, DType dtype, const std::byte* from, std::int64_t n, float* scratch) {
    switch (dtype) {
    case DType::f32:
        return reinterpret_cast<const float*>(from);
    case DType::bf16:
        kernels.widen_bf16(reinterpret_cast<const std::uint16_t*>(from), scratch, n);
        break;
    case DType::f16:
        kernels.widen_f16(reinterpret_cast<const std::uint16_t*>(from), scratch, n);
        break;
    case DType::f8_e5m2:
        kernels.widen_e5m2(reinterpret_cast<const std::uint8_t*>(from), scratch, n);
        break;
    case DType::f8_e4m3:
        kernels.widen_e4m3(reinterpret_cast<const std::uint8_t*>(from), scratch, n);
        break;
    case DType::i8:
        kernels.widen_i8(reinterpret_cast<const std::uint8_t*>(from), scratch, n);
        break;
    default:
        to_f32(dtype, from, scratch, n);
    }
    return scratch;
}

void store_f32(const Kernels& kernels, const float* values, DType dtype, std::byte* to, std::int64_t n) {
    assert(dtype == DType::f32 || dtype == DType::bf16);
    if (dtype == DType::bf16)
        kernels.narrow_bf16(values, reinterpret_cast<std::uint16_t*>(to), n);
    else if (reinterpret_cast<const std::byte*>(values) != to)
        std::memcpy(to, values, static_cast<std::size_t>(n) * sizeof(float));
}

void read_factors(const Kernels& kernels, DType from_type, const std::byte* from, std::int64_t n, DType factors,
                  bool round, std::byte* to) {
    if (factors == DType::bf16 && from_type == DType::bf16) {
        std::memcpy(to, from, static_cast<std::size_t>(n) * 2);
        return;
    }
    if (factors == DType::bf16) {
        float wide[run_length];
        for (std::int64_t i = 0; i < n; i += run_length) {
            const std::int64_t part = std::min(run_length, n - i);
            const float* values = as_f32(kernels, from_type, from + i * element_bytes(from_type), part, wide);
            store_f32(kernels, values, DType::bf16, to + i * 2, part);
        }
        return;
    }
    auto* floats = reinterpret_cast<float*>(to);
    const float* values = as_f32(kernels, from_type, from, n, floats);
    if (round && from_type != DType::bf16)
        kernels.round_bf16(values, floats, n);
    else
        store_f32(kernels, values, DType::f32, to, n);
}

void gemm(const Kernels& kernels, DType factors, const std::byte* a, std::int64_t lda, const std::byte* panels,
          std::int64_t k, std::int64_t m, std::int64_t n, float* c, std::int64_t ldc, bool accumulate) {
    if (factors == DType::bf16)
        kernels.gemm_bf16(reinterpret_cast<const std::uint16_t*>(a), lda,
                          reinterpret_cast<const std::uint16_t*>(panels), k, m, n, c, ldc, accumulate);
    else
        kernels.gemm(reinterpret_cast<const float*>(a), lda, reinterpret_cast<const float*>(panels), k, m, n, c, ldc,
                     accumulate);
}

const float* gather_run(const Kernels& kernels, const Tensor& x, std::int64_t offset, std::int64_t stride,
                        std::int64_t n, float* scratch) {
    const std::int64_t bytes = element_bytes(x.dtype());
    const std::byte* from = x.raw() + offset * bytes;
    if (stride == 1) return as_f32(kernels, x.dtype(), from, n, scratch);
    for (std::int64_t i = 0; i < n; ++i) to_f32(x.dtype(), from + i * stride * bytes, scratch + i, 1);
    return scratch;
}

void scatter_run(const Kernels& kernels, const float* values, Tensor& out, std::int64_t offset, std::int64_t stride,
                 std::int64_t n) {
    const std::int64_t bytes = element_bytes(out.dtype());
    std::byte* to = out.raw() + offset * bytes;
    if (stride == 1) return store_f32(kernels, values, out.dtype(), to, n);
    for (std::int64_t i = 0; i < n; ++i) store_f32(kernels, values + i, out.dtype(), to + i * stride * bytes, 1);
}

template <int count> Walk<count>::Walk(const std::array<const Tensor*, count>& tensors) {
    const Shape& shape = tensors[0]->shape();
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] == 1) continue;
        const auto last = static_cast<std::size_t>(rank - 1);
        bool joins = rank > 0;
        for (std::size_t t = 0; t < count && joins; ++t)
            joins = stride[t][last] == tensors[t]->stride(axis) * shape[axis];
        const std::size_t to = joins ? last : static_cast<std::size_t>(rank++);
        size[to] = joins ? size[to] * shape[axis] : shape[axis];
        for (std::size_t t = 0; t < count; ++t) stride[t][to] = tensors[t]->stride(axis);
    }
    if (rank > 0) return;
    rank = 1;
    size[0] = 1;
    for (std::size_t t = 0; t < count; ++t) stride[t][0] = 1;
}

template <int count> std::int64_t Walk<count>::rows() const {
    std::int64_t n = 1;
    for (int axis = 0; axis + 1 < rank; ++axis) n *= size[static_cast<std::size_t>(axis)];
    return n;
}

template <int count> std::int64_t Walk<count>::offset(int tensor, std::int64_t row) const {
    std::int64_t at = 0;
    for (int axis = rank - 2; axis >= 0; --axis) {
        const auto a = static_cast<std::size_t>(axis);
        at += row % size[a] * stride[static_cast<std::size_t>(tensor)][a];
        row /= size[a];
    }
    return at;
}

template struct Walk<2>;
template struct Walk<3>;

} // namespace denoir::cpu

// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cstring>

#include "engine/backend/cpu/onednn.h"

namespace denoir::cpu {

CpuBackend::CpuBackend(int threads, std::function<std::size_t()> available)
    : arena_(this), pool_(threads), kernels_(kernels()), available_(std::move(available)) {}

bool CpuBackend::fast_bf16() const {
    return kernels_.gemm_bf16 || (OneDnnMatrix::available() && OneDnnMatrix::type() == DType::bf16);
}

Tensor CpuBackend::empty(const Shape& shape, DType dtype) {
    return Tensor(arena_.allocate(checked_bytes(shape, dtype)), 0, shape, dtype);
}

Tensor CpuBackend::upload(const Tensor& host) {
    Tensor out = empty(host.shape(), host.dtype());
    if (host.is_contiguous())
        std::memcpy(out.raw(), host.raw(), host.bytes());
    else
        copy(host, out);
    return out;
}

Tensor CpuBackend::download(const Tensor& x) {
    Tensor out = Tensor::host(x.shape(), x.dtype());
    if (x.is_contiguous())
        std::memcpy(out.raw(), x.raw(), x.bytes());
    else
        copy(x, out);
    return out;
}

Backend::MemoryStats CpuBackend::memory() const {
    const Arena::Stats s = arena_.stats();
    return {s.bytes_in_use, s.bytes_held, s.peak_in_use, static_cast<std::size_t>(s.system_allocations)};
}

void CpuBackend::each_rows(std::int64_t rows, std::int64_t elements_per_row, std::int64_t scratch_floats,
                           const std::function<void(std::int64_t, std::int64_t, float*)>& body) {
    const std::int64_t step = std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, elements_per_row));
    const Scratch scratch(*this, scratch_floats);
    pool_.run((rows + step - 1) / step, [&](std::int64_t piece, int worker) {
        body(piece * step, std::min(rows, (piece + 1) * step), scratch.of(worker));
    });
}

// Each thread's memory starts on a cache line of its own.
CpuBackend::Scratch::Scratch(CpuBackend& backend, std::int64_t floats)
    : floats_((floats + 31) / 16 * 16), memory_(backend.empty({backend.threads() * floats_}, DType::f32)) {}

} // namespace denoir::cpu

// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cpu/onednn.h"
#include "engine/backend/cuda_proxy.h"
#include "engine/core/error.h"

namespace denoir {

std::shared_ptr<Backend> open_backend(const Device& device, int threads) {
    if (threads < 0) throw UsageError("", "threads", "must not be negative", "use 0 for every core");
    if (device.kind == Device::Kind::cuda) return open_cuda(device, threads);
    return std::make_shared<cpu::CpuBackend>(threads);
}

std::optional<DType> matrices_held_as(const Device& device, DType compute, std::int64_t rows) {
    if (!device.uses_host_memory()) return compute;
    return cpu::CpuBackend::packs(compute, rows) ? std::optional(cpu::OneDnnMatrix::type()) : std::nullopt;
}

} // namespace denoir

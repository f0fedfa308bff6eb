// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/core/error.h"

namespace denoir {

std::shared_ptr<Backend> open_backend(const Device& device, int threads) {
    if (threads < 0) throw UsageError("", "threads", "must not be negative", "use 0 for every core");
    if (device.kind == Device::Kind::cuda)
        throw Error("", "device", "this build has no CUDA module, so " + device.name() + " cannot be used",
                    "use the device cpu");
    return std::make_shared<cpu::CpuBackend>(threads);
}

} // namespace denoir

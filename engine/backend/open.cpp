// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>
#include <utility>

#include "engine/backend/conv_scratch.h"
#include "engine/backend/cpu/conv_winograd.h"
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/cuda_proxy.h"
#include "engine/core/error.h"
#include "engine/core/thread_pool.h"

namespace denoir {
namespace {

/// Cards that are open and have no user.
class OpenCards {
public:
    /// Never destroyed, since at the end of the process the driver may be gone before it.
    static OpenCards& get() {
        static auto* const all = new OpenCards;
        return *all;
    }
    std::shared_ptr<Backend> exchange(const Device& card, std::shared_ptr<Backend> by) {
        const std::lock_guard lock(mutex_);
        return std::exchange(by_index_[card.index], std::move(by));
    }
    bool has(const Device& card) {
        const std::lock_guard lock(mutex_);
        return by_index_[card.index] != nullptr;
    }

private:
    std::mutex mutex_;
    std::map<int, std::shared_ptr<Backend>> by_index_;
};

bool is_card(const Device& device) { return device.kind == Device::Kind::cuda; }

} // namespace

std::shared_ptr<Backend> open_backend(const Device& device, int threads) {
    if (threads < 0) throw UsageError("", "threads", "must not be negative", "use 0 for every core");
    if (!is_card(device)) return std::make_shared<cpu::CpuBackend>(threads);
    std::shared_ptr<Backend> kept = OpenCards::get().exchange(device, nullptr);
    if (kept && (threads == 0 || threads == kept->threads())) return kept;
    kept.reset();
    return open_cuda(device, threads);
}

void keep_open(std::shared_ptr<Backend> backend) {
    const Device device = backend->device();
    if (!is_card(device)) return;
    backend->trim();
    OpenCards::get().exchange(device, std::move(backend));
}

void require_device(const Device& device) {
    if (is_card(device) && !OpenCards::get().has(device)) keep_open(open_backend(device));
}

std::optional<DType> matrices_held_as(const Device& device, DType compute, std::int64_t rows) {
    if (!device.uses_host_memory()) return compute;
    return cpu::CpuBackend::packed_type(compute, rows);
}

std::size_t conv_scratch_bytes(const Device& device, std::int64_t channels, int threads) {
    if (!device.uses_host_memory()) return 0;
    return std::size_t(cpu::winograd_scratch(channels)) * sizeof(float) * std::size_t(ThreadPool::threads_for(threads));
}

} // namespace denoir

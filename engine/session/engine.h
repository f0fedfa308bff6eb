// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/backend.h"
#include "engine/pipeline/residency.h"

namespace denoir {

/// What is kept from one run to the next: the device that was opened last, the weights that fit there, the prompts that
/// were encoded last. It changes no result. Not thread-safe: belongs to the engine thread.
class Engine {
public:
    explicit Engine(Residency::Span span = Residency::Span::runs);
    /// The backend of a device with this many threads (0: every core). If either differs from before, everything kept
    /// is released and the device opened anew. Throws Error saying why a device cannot be used.
    std::shared_ptr<Backend> open(const Device&, int threads);
    /// The weights for the device that was opened last.
    Residency& residency() { return *residency_; }
    /// Releases everything.
    void clear();

private:
    Residency::Span span_;
    std::optional<Device> device_;
    int threads_ = 0;
    std::shared_ptr<Backend> backend_; ///< outlives the weights that it prepared
    std::optional<Residency> residency_;
};

} // namespace denoir

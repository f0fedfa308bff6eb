// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/backend/backend.h"
#include "engine/pipeline/residency.h"

namespace denoir {

/// What outlives a run for whoever does one after another: the device opened last, the weights that found room there,
/// the prompts encoded last. A later run gives the same bytes with it as without. Not thread-safe: belongs to the
/// engine thread.
class Engine {
public:
    explicit Engine(Residency::Span span = Residency::Span::runs);
    /// With this many threads, 0: every core. Opened anew where either differs from before; what was prepared there
    /// goes. Throws Error saying why a device cannot be used.
    std::shared_ptr<Backend> open(const Device&, int threads);
    /// For use with the device opened last.
    Residency& residency() { return *residency_; }
    /// Gives everything back.
    void clear();

private:
    Residency::Span span_;
    std::optional<Device> device_;
    int threads_ = 0;
    std::shared_ptr<Backend> backend_; ///< outlives the weights that it prepared
    std::optional<Residency> residency_;
};

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/session/engine.h"

namespace denoir {

Engine::Engine(Residency::Span span) : span_(span) { clear(); }

std::shared_ptr<Backend> Engine::open(const Device& device, int threads) {
    if (backend_ && device_ == device && threads_ == threads) return backend_;
    clear();
    backend_ = open_backend(device, threads);
    device_ = device;
    threads_ = threads;
    return backend_;
}

void Engine::clear() {
    residency_.emplace(span_);
    backend_.reset();
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "engine/weights/weights.h"

namespace denoir {

/// Loaded weights, kept for whatever its owner does one after another, least recently used first out when `budget`
/// bytes are passed. A set that a model holds stays alive until that model is gone. Files that have changed are loaded
/// anew. Not thread-safe: belongs to the engine thread.
class Residency {
public:
    explicit Residency(std::size_t budget) : budget_(budget) {}
    std::shared_ptr<const Weights> get(std::span<const std::filesystem::path> files, Component);
    /// Forgets a set (an encoder that is not needed any more).
    void release(Component);
    std::size_t bytes() const;

private:
    struct Entry {
        std::string key;
        std::shared_ptr<const Weights> weights;
    };
    void shrink();
    std::list<Entry> entries_; ///< most recently used first
    std::size_t budget_;
};

} // namespace denoir

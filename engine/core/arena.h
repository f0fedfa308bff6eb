// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "engine/core/tensor.h"

namespace denoir {

/// Where an Arena gets its memory. Both functions may be called from any thread.
struct SystemMemory {
    std::function<std::byte*(std::size_t bytes)> allocate; ///< at least 64-byte aligned; null if none is left
    std::function<void(std::byte* memory, std::size_t bytes)> release;
    bool host = false;    ///< the host can address it, so that the address sanitizer checks it
    bool lasting = false; ///< released only when the arena and its last block are gone
};

/// Pages of the host, huge ones if the system offers them.
SystemMemory host_memory();

/// How an arena finds a free block.
enum class Fit {
    /// A block of the same size class (there are eight per power of two, which wastes at most 12.5 %), so that a
    /// repeated step finds its blocks again whatever the order of its requests. Only if `limit` or the system refuses
    /// more, or if the arena would hold far more than was ever in use (1.5 times that and 64 MiB), free neighbours are
    /// joined, larger free blocks are used (split if more than 12.5 % would be wasted), and unused memory is released.
    own_class,
    /// The smallest free block that is large enough; the rest is split off, and free neighbours are joined at once. For
    /// scarce memory, such as a card's.
    best,
    /// Every block is a separate allocation of exactly the requested size, which is released at once. Slow; for tools
    /// that detect reads beyond a block, such as compute-sanitizer.
    apart,
};

/// Memory of one backend for activations. A block returns to the arena when its last Tensor is destroyed, and is used
/// again, so that a step that repeats the allocations of the step before needs nothing from the system.
///
/// Blocks may outlive the arena. Thread-safe.
class Arena {
public:
    struct Stats {
        std::size_t bytes_in_use = 0; ///< in blocks that are handed out
        std::size_t bytes_held = 0;   ///< obtained from the system and not released
        std::size_t peak_in_use = 0;  ///< since the last reset_peak()
        std::size_t peak_held = 0;    ///< since the last reset_peak()
        std::int64_t system_allocations = 0;
    };

    static constexpr std::size_t usual_segment = std::size_t{2} << 20;

    /// `backend`: the result of Buffer::backend() for the blocks. `limit`: the most bytes to hold; 0: as many as the
    /// system gives. `segment` (Fit::best only): the fewest bytes to ask the system for, unless it has less.
    explicit Arena(Backend* backend, SystemMemory memory = host_memory(), std::size_t limit = 0,
                   Fit fit = Fit::own_class, std::size_t segment = usual_segment);
    ~Arena();

    /// Uninitialised memory, 64-byte aligned (256 with Fit::best). Throws an Error (is_out_of_memory) that says how
    /// much was asked for and what to do.
    std::shared_ptr<Buffer> allocate(std::size_t bytes);

    /// With Fit::best: makes sure that so many bytes are free in one piece, if the system has them, so that the next
    /// blocks lie close together.
    void reserve(std::size_t bytes);

    /// Returns all unused memory to the system.
    void trim();
    Stats stats() const;
    void reset_peak();

    /// For tests: lets the n-th allocation from the system from now on (1: the next) and all later ones fail; 0: none.
    void fail_system_allocation(std::int64_t n);

private:
    struct Pool;
    std::shared_ptr<Pool> pool_;
};

} // namespace denoir

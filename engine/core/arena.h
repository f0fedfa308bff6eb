// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "engine/core/tensor.h"

namespace denoir {

/// Where an Arena gets its memory. `allocate` returns null where there is none left; both may be called from any
/// thread.
struct SystemMemory {
    std::function<std::byte*(std::size_t bytes)> allocate; ///< 64-byte aligned at least
    std::function<void(std::byte* memory, std::size_t bytes)> release;
    bool host = false;    ///< the host can address it: checked by the address sanitizer
    bool lasting = false; ///< given back with the last block of an arena that is gone, never before
};

/// Pages of the host, on huge pages where the system offers them.
SystemMemory host_memory();

/// How an arena finds a free block.
enum class Fit {
    /// By the class of its size alone (eight classes per power of two: at most 12.5 % waste): a repeated step finds its
    /// blocks in whatever order it asks. Only when far more than was ever in use would be held (half as much again and
    /// 64 MiB), or `limit` or the system stands in the way, larger free blocks are used (split where more than 12.5 %
    /// would be wasted; free neighbours join again before) and unused memory is given back.
    own_class,
    /// The smallest free space that is large enough, its rest split off; neighbours join at once. For memory that is
    /// scarce, such as a card's.
    best,
    /// No block is used twice or cut from another: each is the system's own, of exactly its size, and goes back at
    /// once.
    /// Slow; for tools that see who reads beyond a block.
    apart,
};

/// Memory of one backend for activations. A block goes back to the arena when its last Tensor lets go and is handed out
/// again, so that a step which repeats the allocations of the step before asks the system for nothing.
///
/// Blocks may outlive the arena. Thread-safe.
class Arena {
public:
    struct Stats {
        std::size_t bytes_in_use = 0; ///< in blocks that are handed out
        std::size_t bytes_held = 0;   ///< asked from the system and not given back
        std::size_t peak_in_use = 0;  ///< since the last reset_peak()
        std::size_t peak_held = 0;    ///< likewise
        std::int64_t system_allocations = 0;
    };

    static constexpr std::size_t usual_segment = std::size_t{2} << 20;

    /// `backend` is what Buffer::backend() of the blocks says; `limit` 0: as much as the system gives; `segment` (of
    /// Fit::best): bytes that the system is asked for at least, where it has them.
    explicit Arena(Backend* backend, SystemMemory memory = host_memory(), std::size_t limit = 0,
                   Fit fit = Fit::own_class, std::size_t segment = usual_segment);
    ~Arena();

    /// 64-byte aligned (256 with Fit::best) and not cleared. Throws Error that says how much was asked for and what to
    /// do.
    std::shared_ptr<Buffer> allocate(std::size_t bytes);

    /// With Fit::best: that many free bytes in one piece, if the system has them, so that blocks to come lie close.
    void reserve(std::size_t bytes);

    /// Gives everything unused back to the system.
    void trim();
    Stats stats() const;
    void reset_peak();
    void set_limit(std::size_t bytes);

    /// For tests: the n-th allocation from the system from now on (1: the next) and all later ones fail; 0: none.
    void fail_system_allocation(std::int64_t n);

private:
    struct Pool;
    std::shared_ptr<Pool> pool_;
};

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/core/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "engine/core/error.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace denoir {
namespace {

constexpr std::size_t alignment = 64;
/// Sizes of blocks of Fit::best are multiples of this, as those of CUDA's own allocator are.
constexpr std::size_t grain = 256;
/// Blocks up to `small` are cut one after the other from chunks; each larger one is a segment of the system of its own.
constexpr std::size_t small = std::size_t{256} << 10;
constexpr std::size_t chunk = Arena::usual_segment;
/// Bytes that may be held beyond 1.5 times the most that was in use (thrift_bound).
constexpr std::size_t free_allowance = std::size_t{64} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

/// Rounds up to eight classes per power of two, all multiples of 64 (which makes the classes below 512 coarser).
std::size_t size_class(std::size_t bytes) {
    bytes = std::max(bytes, alignment);
    return round_up(bytes, std::max(alignment, std::bit_floor(bytes - 1) / 8));
}

/// Lets the address sanitizer report any use of memory that was returned. Only for memory that the host can address.
void poison([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_POISON_MEMORY_REGION(memory, bytes);
#endif
}

void unpoison([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

} // namespace

SystemMemory host_memory() {
    const auto allocate = [](std::size_t bytes) -> std::byte* {
        void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return nullptr;
        if (bytes >= chunk) ::madvise(memory, bytes, MADV_HUGEPAGE);
        return static_cast<std::byte*>(memory);
    };
    return {allocate, [](std::byte* memory, std::size_t bytes) { ::munmap(memory, bytes); }, true};
}

struct Arena::Pool : std::enable_shared_from_this<Arena::Pool> {
    Pool(Backend* for_backend, SystemMemory from, std::size_t at_most, Fit how, std::size_t segment_bytes)
        : backend(for_backend), memory(std::move(from)), limit(at_most), fit(how), segment(segment_bytes) {}
    ~Pool() {
        memory.lasting = false;
        release_unused(everything);
    }

    std::shared_ptr<Buffer> allocate(std::size_t bytes);
    void give_back(std::byte* data);
    void reserve(std::size_t bytes);
    void trim();

    std::mutex mutex;
    Backend* backend;
    SystemMemory memory;
    std::size_t limit;
    Fit fit;
    std::size_t segment;
    Stats stats;
    std::int64_t fail_in = 0;

private:
    class Lease;
    struct Block {
        std::size_t bytes;
        bool free;
        bool first; ///< the first of its segment, which is never joined to the block before it
    };
    using Blocks = std::map<std::byte*, Block>; ///< all blocks by address, without gaps inside a segment
    static constexpr std::size_t everything = ~std::size_t{0};
    static constexpr std::size_t max_request = everything / 4; ///< small enough that no sum of sizes wraps around

    std::byte* take(std::size_t bytes);
    std::byte* take_exact(std::size_t bytes);
    std::byte* take_best_fit(std::size_t bytes, std::size_t largest);
    std::byte* take_from_tail(std::size_t bytes);
    std::byte* take_packed(std::size_t bytes);
    std::byte* take_class(std::size_t bytes);
    std::byte* take_apart(std::size_t bytes);
    Blocks::iterator joined(Blocks::iterator block);
    std::byte* take_system(std::size_t bytes);
    std::byte* hand_out(Blocks::iterator block);
    void split(Blocks::iterator block, std::size_t bytes);
    void join_neighbours();
    void release_unused(std::size_t bytes);
    void release(Blocks::iterator block);
    std::size_t thrift_bound(std::size_t bytes) const;
    std::byte* ask_system(std::size_t bytes);
    void insert_free(Blocks::iterator block) { free_.emplace(block->second.bytes, block->first); }

    Blocks blocks_;
    std::set<std::pair<std::size_t, std::byte*>> free_; ///< all free blocks but the tail, by size, then by address
    Blocks::iterator tail_ = blocks_.end();             ///< the free rest of the chunk that small blocks are cut from
    std::size_t most_in_use_ = 0;                       ///< since the last trim()
};

/// The Buffer that a Tensor holds. It keeps the pool alive, and returns its block when it is destroyed.
class Arena::Pool::Lease final : public Buffer {
public:
    Lease(std::shared_ptr<Pool> pool, std::byte* data, std::size_t bytes)
        : Buffer(data, bytes, pool->backend), pool_(std::move(pool)) {
        if (pool_->memory.host) unpoison(data, bytes);
    }
    ~Lease() override { pool_->give_back(data_); }

private:
    std::shared_ptr<Pool> pool_;
};

std::shared_ptr<Buffer> Arena::Pool::allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex);
    return std::make_shared<Lease>(shared_from_this(), take(bytes), bytes);
}

void Arena::Pool::give_back(std::byte* data) {
    const std::lock_guard lock(mutex);
    const auto block = blocks_.find(data);
    stats.bytes_in_use -= block->second.bytes;
    block->second.free = true;
    if (memory.host) poison(data, block->second.bytes);
    if (fit == Fit::apart) return release(block);
    insert_free(fit == Fit::best ? joined(block) : block);
}

void Arena::Pool::reserve(std::size_t bytes) {
    const std::lock_guard lock(mutex);
    if (fit == Fit::apart) return;
    bytes = round_up(bytes, grain);
    if (free_.lower_bound({bytes, nullptr}) != free_.end()) return;
    if (std::byte* data = ask_system(bytes)) insert_free(blocks_.find(data));
}

void Arena::Pool::trim() {
    const std::lock_guard lock(mutex);
    release_unused(everything);
    most_in_use_ = stats.bytes_in_use;
}

std::byte* Arena::Pool::take(std::size_t bytes) {
    std::byte* data = nullptr;
    if (bytes < max_request)
        data = fit == Fit::apart ? take_apart(bytes) : fit == Fit::best ? take_packed(bytes) : take_class(bytes);
    if (data) return data;
    throw Error("", "memory",
                fmt::format("cannot allocate {} MiB more ({} MiB are in use{})", (bytes >> 20) + 1,
                            stats.bytes_in_use >> 20, limit ? fmt::format(" of at most {} MiB", limit >> 20) : ""),
                "use a smaller size, fewer frames or bf16, or close other programs");
}

std::byte* Arena::Pool::hand_out(Blocks::iterator block) {
    block->second.free = false;
    stats.bytes_in_use += block->second.bytes;
    stats.peak_in_use = std::max(stats.peak_in_use, stats.bytes_in_use);
    most_in_use_ = std::max(most_in_use_, stats.bytes_in_use);
    return block->first;
}

/// A block with Fit::apart.
std::byte* Arena::Pool::take_apart(std::size_t bytes) {
    std::byte* data = ask_system(std::max<std::size_t>(bytes, 1));
    return data ? hand_out(blocks_.find(data)) : nullptr;
}

/// A block with Fit::own_class.
std::byte* Arena::Pool::take_class(std::size_t bytes) {
    const std::size_t rounded = size_class(bytes);
    if (std::byte* data = take_exact(rounded)) return data;
    if (std::byte* data = take_from_tail(rounded)) return data;
    return take_system(rounded);
}

std::byte* Arena::Pool::take_exact(std::size_t bytes) {
    const auto found = free_.lower_bound({bytes, nullptr});
    if (found == free_.end() || found->first != bytes) return nullptr;
    const auto block = blocks_.find(found->second);
    free_.erase(found);
    return hand_out(block);
}

/// The smallest free block that is large enough and not larger than `largest`; null if there is none.
std::byte* Arena::Pool::take_best_fit(std::size_t bytes, std::size_t largest) {
    const auto found = free_.lower_bound({bytes, nullptr});
    if (found == free_.end() || found->first > largest) return nullptr;
    const auto block = blocks_.find(found->second);
    free_.erase(found);
    if (block->second.bytes - bytes > (fit == Fit::best ? 0 : bytes / 8)) {
        split(block, bytes);
        insert_free(std::next(block));
    }
    return hand_out(block);
}

/// A block with Fit::best, from a free block or from a new segment.
std::byte* Arena::Pool::take_packed(std::size_t bytes) {
    bytes = round_up(std::max(bytes, grain), grain);
    if (std::byte* data = take_best_fit(bytes, everything)) return data;
    std::byte* data = ask_system(std::max(bytes, segment));
    if (!data) data = ask_system(bytes);
    if (!data) {
        release_unused(everything);
        data = ask_system(bytes);
    }
    if (!data) return nullptr;
    insert_free(blocks_.find(data));
    return take_best_fit(bytes, everything);
}

/// With Fit::best: joins `block`, which must not be in free_, with its free neighbours, which are removed from free_.
Arena::Pool::Blocks::iterator Arena::Pool::joined(Blocks::iterator block) {
    const auto absorb_next = [&](Blocks::iterator first) {
        const auto next = std::next(first);
        if (next == blocks_.end() || !next->second.free || next->second.first) return;
        free_.erase({next->second.bytes, next->first});
        first->second.bytes += next->second.bytes;
        blocks_.erase(next);
    };
    absorb_next(block);
    if (block->second.first || !std::prev(block)->second.free) return block;
    const auto before = std::prev(block);
    free_.erase({before->second.bytes, before->first});
    before->second.bytes += block->second.bytes;
    blocks_.erase(block);
    return before;
}

std::byte* Arena::Pool::take_from_tail(std::size_t bytes) {
    if (bytes > small || tail_ == blocks_.end() || tail_->second.bytes < bytes) return nullptr;
    const auto block = std::exchange(tail_, blocks_.end());
    if (block->second.bytes > bytes) {
        split(block, bytes);
        tail_ = std::next(block);
    }
    return hand_out(block);
}

/// New memory within thrift_bound(); else a larger free block, or new memory after unused memory was released.
std::byte* Arena::Pool::take_system(std::size_t bytes) {
    const std::size_t wanted = bytes <= small ? chunk : bytes;
    if (stats.bytes_held + wanted > thrift_bound(bytes)) {
        join_neighbours();
        // A large block is not split for a few bytes.
        if (std::byte* data = take_best_fit(bytes, bytes <= small ? chunk : everything)) return data;
        release_unused(wanted);
    }
    std::byte* data = ask_system(wanted);
    if (!data) {
        join_neighbours();
        if ((data = take_best_fit(bytes, everything))) return data;
        release_unused(everything);
        data = ask_system(wanted);
    }
    if (data && wanted != bytes) {
        if (tail_ != blocks_.end()) insert_free(tail_);
        tail_ = blocks_.find(data);
        return take_from_tail(bytes);
    }
    if (!data && wanted != bytes) data = ask_system(bytes);
    return data ? hand_out(blocks_.find(data)) : nullptr;
}

std::size_t Arena::Pool::thrift_bound(std::size_t bytes) const {
    const std::size_t most = std::max(most_in_use_, stats.bytes_in_use + bytes);
    const std::size_t bound = most + most / 2 + free_allowance;
    return limit ? std::min(limit, bound) : bound;
}

/// A new segment as one free block, which is not in free_ yet; null if there is no memory.
std::byte* Arena::Pool::ask_system(std::size_t bytes) {
    if (limit && (bytes > limit || stats.bytes_held > limit - bytes)) return nullptr;
    if (fail_in == 1) return nullptr;
    if (fail_in > 1) --fail_in;
    std::byte* data = memory.allocate(bytes);
    if (!data) return nullptr;
    if (memory.host) poison(data, bytes);
    blocks_.insert_or_assign(data, Block{bytes, true, true});
    stats.bytes_held += bytes;
    stats.peak_held = std::max(stats.peak_held, stats.bytes_held);
    ++stats.system_allocations;
    return data;
}

void Arena::Pool::split(Blocks::iterator block, std::size_t bytes) {
    blocks_.emplace_hint(std::next(block), block->first + bytes, Block{block->second.bytes - bytes, true, false});
    block->second.bytes = bytes;
}

void Arena::Pool::join_neighbours() {
    tail_ = blocks_.end();
    free_.clear();
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
        if (!block->second.free) continue;
        for (auto next = std::next(block); next != blocks_.end() && next->second.free && !next->second.first;) {
            block->second.bytes += next->second.bytes;
            next = blocks_.erase(next);
        }
        insert_free(block);
    }
}

/// Releases whole segments that are free, the largest first, until `bytes` more would be within thrift_bound().
void Arena::Pool::release_unused(std::size_t bytes) {
    if (memory.lasting) return;
    join_neighbours();
    const std::size_t bound = bytes == everything ? 0 : thrift_bound(bytes);
    for (auto at = free_.end(); at != free_.begin();) {
        --at;
        if (bound && stats.bytes_held + bytes <= bound) return;
        const auto block = blocks_.find(at->second), next = std::next(block);
        if (!block->second.first || (next != blocks_.end() && !next->second.first)) continue;
        release(block);
        at = free_.erase(at);
    }
}

/// Releases `block`, which must be a whole segment. If it is in free_, the caller must remove it there.
void Arena::Pool::release(Blocks::iterator block) {
    if (memory.host) unpoison(block->first, block->second.bytes);
    memory.release(block->first, block->second.bytes);
    stats.bytes_held -= block->second.bytes;
    blocks_.erase(block);
}

Arena::Arena(Backend* backend, SystemMemory memory, std::size_t limit, Fit fit, std::size_t segment)
    : pool_(std::make_shared<Pool>(backend, std::move(memory), limit, fit, segment)) {}

Arena::~Arena() = default;

std::shared_ptr<Buffer> Arena::allocate(std::size_t bytes) { return pool_->allocate(bytes); }

void Arena::reserve(std::size_t bytes) { pool_->reserve(bytes); }

void Arena::trim() { pool_->trim(); }

Arena::Stats Arena::stats() const {
    const std::lock_guard lock(pool_->mutex);
    return pool_->stats;
}

void Arena::reset_peak() {
    const std::lock_guard lock(pool_->mutex);
    pool_->stats.peak_in_use = pool_->stats.bytes_in_use;
    pool_->stats.peak_held = pool_->stats.bytes_held;
}

void Arena::fail_system_allocation(std::int64_t n) {
    const std::lock_guard lock(pool_->mutex);
    pool_->fail_in = n;
}

} // namespace denoir

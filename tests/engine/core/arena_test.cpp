// SPDX-License-Identifier: Apache-2.0
#include "engine/core/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/error.h"

namespace denoir {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
using Block = std::shared_ptr<Buffer>;

/// Memory of at most `capacity` bytes that counts how many of them are taken.
struct Ledger {
    std::size_t out = 0, capacity = ~std::size_t{0};
    SystemMemory memory() {
        const SystemMemory host = host_memory();
        return {[this, host](std::size_t bytes) -> std::byte* {
                    if (bytes > capacity - out) return nullptr;
                    out += bytes;
                    return host.allocate(bytes);
                },
                [this, host](std::byte* data, std::size_t bytes) {
                    out -= bytes;
                    host.release(data, bytes);
                },
                true};
    }
};

/// The allocations of a made-up transformer step: long-lived ones, and short-lived ones of several sizes in between.
void step(Arena& arena, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Block> live;
    for (int i = 0; i < 400; ++i) {
        if (live.size() > 12 || (!live.empty() && random() % 2)) {
            const std::size_t at = random() % live.size();
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            const std::size_t bytes = random() % 4 ? (random() % 9 + 1) * 700'000 : random() % 3000;
            live.push_back(arena.allocate(bytes));
            std::memset(live.back()->data(), 1, std::min<std::size_t>(bytes, 4096));
        }
    }
}

TEST(Arena, blocks_apart_are_the_systems_own_and_go_back_at_once) {
    Ledger ledger;
    ledger.capacity = 1000;
    Arena arena(nullptr, ledger.memory(), 0, Fit::apart);
    arena.reserve(500);
    EXPECT_EQ(ledger.out, 0u);
    for (int i = 0; i < 3; ++i) {
        const Block a = arena.allocate(300), b = arena.allocate(7);
        EXPECT_EQ(ledger.out, 307u);
        EXPECT_EQ(arena.stats().bytes_in_use, 307u);
        EXPECT_THROW(arena.allocate(700), Error);
    }
    EXPECT_EQ(ledger.out, 0u);
    EXPECT_EQ(arena.stats().bytes_held, 0u);
    EXPECT_EQ(arena.stats().system_allocations, 6);
    arena.trim();
}

TEST(Arena, blocks_are_aligned_and_tell_their_size) {
    Arena arena(nullptr);
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{65}, std::size_t{4097}, mib + 1, 5 * mib}) {
        const Block block = arena.allocate(bytes);
        EXPECT_EQ(block->bytes(), bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data()) % 64, 0u);
        std::memset(block->data(), 0xAB, bytes);
    }
    auto* backend = reinterpret_cast<Backend*>(std::uintptr_t{64});
    EXPECT_EQ(Arena(backend).allocate(8)->backend(), backend);
}

/// Blocks of many sizes come and go in disorder; `between` is called after each.
void live_blocks_keep_their_bytes(Arena& arena, unsigned seed, const std::function<void()>& between) {
    std::mt19937 random(seed);
    std::vector<Block> live;
    for (int i = 0; i < 3000; ++i) {
        if (live.size() > 40) {
            const std::size_t at = random() % live.size();
            const auto* data = reinterpret_cast<const unsigned char*>(live[at]->data());
            for (std::size_t k = 0; k < live[at]->bytes(); k += 61) ASSERT_EQ(data[k], data[0]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        }
        live.push_back(arena.allocate(random() % (i % 3 ? 5000 : 600'000) + 1));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(live.back()->data()) % 64, 0u);
        std::memset(live.back()->data(), i % 251, live.back()->bytes());
        if (i % 500 == 499) arena.trim();
        between();
    }
}

TEST(Arena, live_blocks_do_not_overlap) {
    Arena arena(nullptr);
    live_blocks_keep_their_bytes(arena, 3, [] {});
}

TEST(Arena, a_repeated_step_asks_the_system_for_nothing) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        Arena arena(nullptr);
        step(arena, seed);
        const auto first = arena.stats();
        EXPECT_EQ(first.bytes_in_use, 0u);
        for (int repeat = 0; repeat < 3; ++repeat) step(arena, seed);
        EXPECT_EQ(arena.stats().system_allocations, first.system_allocations) << seed;
        EXPECT_EQ(arena.stats().bytes_held, first.bytes_held) << seed;
    }
}

TEST(Arena, waste_is_bounded) {
    Arena arena(nullptr);
    for (std::size_t bytes = mib; bytes < 40 * mib; bytes += 777'777) {
        const Block block = arena.allocate(bytes);
        const auto used = static_cast<double>(arena.stats().bytes_in_use);
        EXPECT_LE(used, 1.125 * static_cast<double>(bytes)) << bytes;
    }
    // The loop went through forty sizes, and the arena must not keep a block of each of them.
    EXPECT_LE(arena.stats().bytes_held, 64 * mib + arena.stats().peak_in_use * 3 / 2);
}

TEST(Arena, under_a_limit_larger_blocks_are_split_and_joined_again) {
    Ledger ledger;
    Arena arena(nullptr, ledger.memory(), 18 * mib);
    arena.allocate(16 * mib);
    {
        std::vector<Block> parts;
        for (int i = 0; i < 5; ++i) parts.push_back(arena.allocate(3 * mib));
        EXPECT_EQ(arena.stats().system_allocations, 1) << arena.stats().bytes_held;
        EXPECT_LE(ledger.out, 18 * mib);
    }
    const Block whole = arena.allocate(16 * mib);
    EXPECT_EQ(arena.stats().system_allocations, 1);
    EXPECT_EQ(ledger.out, 16 * mib);
}

TEST(Arena, the_limit_is_told) {
    Ledger ledger;
    Arena arena(nullptr, ledger.memory(), 20 * mib);
    const Block most = arena.allocate(16 * mib);
    try {
        arena.allocate(10 * mib);
        FAIL();
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "memory: cannot allocate 11 MiB more (16 MiB are in use of at most 20 MiB); "
                               "use a smaller size, fewer frames or bf16, or close other programs");
    }
    EXPECT_EQ(arena.allocate(2 * mib)->bytes(), 2 * mib); // what still fits is given
    Arena unlimited(nullptr, ledger.memory());
    EXPECT_THROW(unlimited.allocate(~std::size_t{0}), Error);
    EXPECT_THROW(unlimited.allocate(~std::size_t{0} / 2), Error);
    EXPECT_THROW(unlimited.allocate(~std::size_t{0} / 8), Error);
}

TEST(Arena, a_little_room_serves_small_blocks) {
    Ledger ledger;
    Arena arena(nullptr, ledger.memory(), 1 * mib); // less than one chunk
    const Block small = arena.allocate(1000), other = arena.allocate(1000);
    EXPECT_LE(ledger.out, 1 * mib);
}

TEST(Arena, unused_memory_is_given_back_before_giving_up) {
    Ledger ledger;
    ledger.capacity = 100 * mib;
    Arena arena(nullptr, ledger.memory());
    for (int i = 0; i < 3; ++i) {
        arena.allocate(60 * mib);
        arena.allocate(90 * mib);
    }
    EXPECT_LE(ledger.out, 100 * mib);
    EXPECT_THROW(arena.allocate(101 * mib), Error);
    EXPECT_EQ(ledger.out, 0u);
}

TEST(Arena, a_refusal_of_the_system_leaves_everything_usable) {
    for (int n = 1; n < 12; ++n) {
        Ledger ledger;
        {
            Arena arena(nullptr, ledger.memory());
            arena.fail_system_allocation(n);
            EXPECT_THROW(
                {
                    std::vector<Block> live;
                    for (std::size_t i = 1;; ++i) live.push_back(arena.allocate(i * 300'000));
                },
                Error);
            EXPECT_EQ(arena.stats().bytes_in_use, 0u);
            arena.fail_system_allocation(0);
            step(arena, 5);
            EXPECT_EQ(arena.stats().bytes_in_use, 0u);
            EXPECT_EQ(arena.stats().bytes_held, ledger.out);
            arena.trim();
            EXPECT_EQ(ledger.out, 0u);
        }
    }
}

TEST(Arena, trim_keeps_what_is_in_use) {
    Ledger ledger;
    Arena arena(nullptr, ledger.memory());
    const Block kept = arena.allocate(3 * mib), small = arena.allocate(100);
    std::memset(kept->data(), 7, kept->bytes());
    step(arena, 9);
    arena.trim();
    EXPECT_LE(ledger.out, 6 * mib);
    EXPECT_EQ(kept->data()[3 * mib - 1], std::byte{7});
    arena.reset_peak();
    EXPECT_EQ(arena.stats().peak_in_use, arena.stats().bytes_in_use);
    EXPECT_EQ(arena.stats().peak_held, ledger.out);
}

TEST(Arena, blocks_may_outlive_it) {
    Ledger ledger;
    Block block;
    {
        Arena arena(nullptr, ledger.memory());
        block = arena.allocate(mib);
    }
    std::memset(block->data(), 1, block->bytes());
    block.reset();
    EXPECT_EQ(ledger.out, 0u);
}

TEST(Arena, threads_share_it) {
    Arena arena(nullptr);
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < 4; ++i) threads.emplace_back([&arena, i] { step(arena, i); });
    }
    EXPECT_EQ(arena.stats().bytes_in_use, 0u);
    arena.trim();
    EXPECT_EQ(arena.stats().bytes_held, 0u);
}

/// An arena that chooses blocks as the CUDA backend's does.
Arena best(Ledger& ledger) { return Arena(nullptr, ledger.memory(), 0, Fit::best); }

TEST(ArenaOfBestFit, live_blocks_do_not_overlap_and_free_space_joins) {
    Ledger ledger;
    Arena arena = best(ledger);
    live_blocks_keep_their_bytes(arena, 4, [&] { ASSERT_EQ(arena.stats().bytes_held, ledger.out); });
    EXPECT_EQ(arena.stats().bytes_in_use, 0u);
    // Every segment must be one free piece again, so that this block needs nothing new from the system.
    const auto asked = arena.stats().system_allocations;
    arena.allocate(Arena::usual_segment);
    EXPECT_EQ(arena.stats().system_allocations, asked);
    arena.trim();
    EXPECT_EQ(ledger.out, 0u);
}

TEST(ArenaOfBestFit, holds_little_more_than_is_used) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        Ledger ledger;
        Arena arena = best(ledger);
        for (int repeat = 0; repeat < 4; ++repeat) step(arena, seed);
        EXPECT_LE(arena.stats().bytes_held, arena.stats().peak_in_use * 2) << seed;
        Arena closer = best(ledger);
        closer.reserve(arena.stats().peak_in_use * 5 / 4);
        step(closer, seed);
        EXPECT_LE(closer.stats().bytes_held, arena.stats().peak_in_use * 3 / 2) << seed;
    }
}

TEST(ArenaOfBestFit, takes_what_was_reserved) {
    Ledger ledger;
    Arena arena = best(ledger);
    arena.reserve(40 * mib);
    arena.reserve(30 * mib); // that much is reserved already
    EXPECT_EQ(arena.stats().system_allocations, 1);
    const Block a = arena.allocate(13 * mib), b = arena.allocate(100), c = arena.allocate(26 * mib);
    EXPECT_EQ(arena.stats().system_allocations, 1);
    const Block d = arena.allocate(mib);
    EXPECT_EQ(arena.stats().system_allocations, 2);
    ledger.capacity = ledger.out;
    arena.reserve(40 * mib); // the system has no more, which is not an error here
    EXPECT_EQ(arena.stats().bytes_held, ledger.out);
}

TEST(ArenaOfBestFit, says_when_there_is_no_more_and_goes_on) {
    Ledger ledger;
    ledger.capacity = 10 * mib;
    Arena arena = best(ledger);
    {
        const Block small = arena.allocate(100);
        EXPECT_THROW(arena.allocate(9 * mib), Error); // does not fit beside a segment of the usual size
    }
    const Block large = arena.allocate(9 * mib); // the free segment is returned to the system to make room
    EXPECT_THROW(arena.allocate(2 * mib), Error);
    const Block exact = arena.allocate(mib / 2); // less than the size of a usual segment is left
    EXPECT_LE(ledger.out, ledger.capacity);
    EXPECT_THROW(arena.allocate(~std::size_t{0} - 5), Error);
}

TEST(ArenaOfBestFit, lasting_memory_goes_back_with_the_arena_and_its_last_block) {
    Ledger ledger;
    SystemMemory memory = ledger.memory();
    memory.lasting = true;
    Block last;
    {
        Arena arena(nullptr, memory, 0, Fit::best);
        arena.allocate(30 * mib);
        last = arena.allocate(mib);
        arena.trim();
        EXPECT_EQ(ledger.out, 30 * mib);
        EXPECT_EQ(arena.stats().bytes_held, 30 * mib);
    }
    EXPECT_EQ(ledger.out, 30 * mib);
    last.reset();
    EXPECT_EQ(ledger.out, 0u);
}

} // namespace
} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
// Ubuntu's compiler turns on checks of glibc by default; their longjmp takes a jump to another stack for an error.
#undef _FORTIFY_SOURCE
#include "engine/backend/cuda/emulator.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <vector>

#include "engine/backend/cuda/fake_runtime.h"

namespace denoir::cuda::emulator {

Position thread_index, block_index, block_size, grid_size;

namespace {

constexpr std::size_t stack_bytes = 64 << 10;
constexpr int warp = 32;

struct Fibre {
    ucontext_t start{};
    jmp_buf here; ///< where it goes on
    bool begun = false;
    std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
    Position index;
    bool done = false;
};

/// Where `members` threads wait for each other, any number of times. A thread that ends leaves it.
struct Meeting {
    std::size_t members = 0, arrived = 0;
    std::uint64_t round = 0;
    void pass_if_all() {
        if (arrived < members) return;
        arrived = 0;
        ++round;
    }
    void leave() {
        --members;
        if (members > 0) pass_if_all();
    }
};

struct Block {
    std::vector<std::unique_ptr<Fibre>> fibres; ///< kept between blocks: stacks are expensive
    std::size_t count = 0, current = 0;
    jmp_buf host;
    const std::function<void()>* thread = nullptr;
    Meeting everyone;
    std::vector<Meeting> warps;
    std::vector<std::array<float, warp>> lanes; ///< by warp: the values that its threads exchange
    std::vector<std::max_align_t> shared;
    Order order = Order::forward;

    Fibre& now() { return *fibres[current]; }
    // A context is made once; jumping between those that exist costs no system call.
    void yield() {
        if (_setjmp(now().here) == 0) _longjmp(host, 1);
    }
};

Block& block() {
    static Block one;
    return one;
}

/// What a fibre does: it runs one thread of block after block.
void enter() {
    for (Block& b = block();; b.yield()) {
        (*b.thread)();
        b.now().done = true;
        b.everyone.leave();
        b.warps[b.current / warp].leave();
    }
}

void resume(Block& b, std::size_t i) {
    b.current = i;
    Fibre& f = b.now();
    thread_index = f.index;
    if (_setjmp(b.host) != 0) return;
    if (f.begun) _longjmp(f.here, 1);
    f.begun = true;
    getcontext(&f.start);
    f.start.uc_stack.ss_sp = f.stack.get();
    f.start.uc_stack.ss_size = stack_bytes;
    f.start.uc_link = nullptr;
    makecontext(&f.start, enter, 0);
    setcontext(&f.start);
}

void run_block(Block& b) {
    for (std::size_t i = 0; i < b.count; ++i) {
        Fibre& f = *b.fibres[i];
        f.done = false;
        f.index = {static_cast<unsigned>(i) % block_size.x, static_cast<unsigned>(i) / block_size.x, 0};
    }
    b.everyone = {b.count};
    for (std::size_t w = 0; w < b.warps.size(); ++w) b.warps[w] = {std::min<std::size_t>(warp, b.count - w * warp)};
    for (bool left = true; left;) {
        left = false;
        for (std::size_t n = 0; n < b.count; ++n) {
            const std::size_t i = b.order == Order::forward ? n : b.count - 1 - n;
            if (!b.fibres[i]->done) resume(b, i);
            left |= !b.fibres[i]->done;
        }
    }
}

} // namespace

void* shared() { return block().shared.data(); }

void check_launch(std::int64_t blocks, Threads threads, std::size_t shared_bytes) {
    const std::size_t count = std::size_t{threads.x} * threads.y;
    assert(count > 0 && count <= 1024 && shared_bytes <= 48 * 1024 && blocks > 0 && blocks <= 0x7FFFFFFF);
}

void run(std::int64_t blocks, Threads threads, std::size_t shared_bytes, const std::function<void()>& thread) {
    Block& b = block();
    b.count = std::size_t{threads.x} * threads.y;
    while (b.fibres.size() < b.count) b.fibres.push_back(std::make_unique<Fibre>());
    b.lanes.resize((b.count + warp - 1) / warp);
    b.warps.resize(b.lanes.size());
    // Kernels must not rely on what shared memory holds at first.
    b.shared.assign(shared_bytes / sizeof(std::max_align_t) + 1, std::max_align_t{});
    b.thread = &thread;
    block_size = {threads.x, threads.y, 1};
    grid_size = {static_cast<unsigned>(blocks), 1, 1};
    for (std::int64_t i = 0; i < blocks; ++i) {
        block_index = {static_cast<unsigned>(i), 0, 0};
        run_block(b);
    }
}

namespace {

void meet(Block& b, Meeting& meeting) {
    const std::uint64_t round = meeting.round;
    ++meeting.arrived;
    meeting.pass_if_all();
    while (meeting.round == round) b.yield();
}

} // namespace

void barrier() { meet(block(), block().everyone); }

float shuffle_xor(float value, int mask) {
    Block& b = block();
    const std::size_t self = b.current, w = self / warp;
    b.lanes[w][self % warp] = value;
    meet(b, b.warps[w]);
    const float other = b.lanes[w][(self ^ static_cast<std::size_t>(mask)) % warp];
    meet(b, b.warps[w]);
    return other;
}

void submit(Runtime& runtime, std::function<void()> kernel) {
    auto& fake = static_cast<FakeRuntime&>(runtime);
    fake.submit([order = fake.backward() ? Order::backward : Order::forward, kernel = std::move(kernel)] {
        block().order = order;
        kernel();
    });
}

} // namespace denoir::cuda::emulator

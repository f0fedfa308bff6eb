// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/backend/cuda/runtime.h"

namespace denoir::cuda {

/// A device made of host memory, for tests and for planning. The host cannot touch its memory but through the runtime:
/// the pages are locked outside kernels and copies. Kernels run on the emulator, at once. While it records, it refuses
/// what a card refuses then: to be waited for or asked how far it is, and copies from and to the host.
class FakeRuntime final : public Runtime {
public:
    /// `backward`: the threads of a block take turns from the last to the first.
    /// `counting`: nothing is computed or copied and no memory is touched, so that a run of any size can be planned;
    /// what the host reads is zero.
    explicit FakeRuntime(std::size_t memory = std::size_t{256} << 20, bool backward = false, bool counting = false);
    ~FakeRuntime() override;

    const Properties& properties() const override { return properties_; }
    std::size_t free_memory() override { return properties_.memory - used_; }
    std::byte* allocate(std::size_t bytes) override;
    void release(std::byte* memory) noexcept override;
    std::byte* allocate_pinned(std::size_t bytes) override;
    void release_pinned(std::byte* memory) noexcept override;
    void to_device(std::byte* device, const std::byte* host, std::size_t bytes, Queue) override;
    void to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
    void to_host_later(std::byte* pinned, const std::byte* device, std::size_t bytes) override;
    void on_device(std::byte* to, const std::byte* from, std::size_t bytes) override;
    void set(std::byte* device, std::uint8_t value, std::size_t bytes) override;
    void wait() override {
        not_recorded("waiting");
        copy_now();
    }
    bool idle() override {
        not_recorded("asking for what is done");
        return true;
    }
    void order(Queue, Queue) override { not_recorded("order between queues"); }
    int make_mark() override { return marks_++; }
    void mark(int, Queue) override { not_recorded("a mark"); }
    void await(int, Queue) override { not_recorded("waiting for a mark"); }
    bool reached(int) override {
        copy_now();
        return true;
    }
    float time(const std::function<void()>& work) override;
    std::unique_ptr<Graph> record(const std::function<void()>& work) override;
    bool recording() const override { return recording_ != nullptr; }
    void replay(Graph&) override;
    void* stream() const override { return nullptr; }

    /// Does `work` now, or records it.
    void submit(std::function<void()> work);

    /// For tests: allocations number first … last of all (the first is 1) find no memory.
    void fail_between(int first, int last) {
        fail_first_ = first;
        fail_last_ = last;
    }
    void refuse_pinned() { refuse_pinned_ = true; }
    std::size_t pinned_blocks() const { return pinned_.size(); }
    int allocations() const { return allocations_; }
    int replays() const { return replays_; }
    std::size_t used() const { return used_; }
    std::size_t peak() const { return peak_; }
    bool backward() const { return backward_; }

private:
    void not_recorded(const char* what) const;
    void lock(bool locked);
    void copy_now();
    void perform(const std::function<void()>& work);

    Properties properties_;
    std::byte* base_ = nullptr;
    std::size_t used_ = 0, peak_ = 0;
    std::map<std::size_t, std::size_t> taken_; ///< offset -> bytes
    std::map<std::byte*, std::unique_ptr<std::byte[]>> pinned_;
    std::vector<std::function<void()>>* recording_ = nullptr;
    std::vector<std::function<void()>> later_; ///< copies to the host that nobody has waited for
    bool backward_, counting_;
    int fail_first_ = 0, fail_last_ = -1, allocations_ = 0, replays_ = 0, marks_ = 0;
    bool refuse_pinned_ = false;
};

} // namespace denoir::cuda

// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <vector>

#include "engine/backend/cuda/check.h"
#include "engine/backend/cuda/driver_check.h"
#include "engine/backend/cuda/runtime.h"
#include "engine/core/error.h"

namespace denoir::cuda {
namespace {

constexpr int least_major = 8; ///< Ampere: the first that has bf16 and cvt.rn.bf16

class CardGraph final : public Graph {
public:
    explicit CardGraph(cudaGraphExec_t exec) : exec_(exec) {}
    ~CardGraph() override { cudaGraphExecDestroy(exec_); }
    cudaGraphExec_t exec() const { return exec_; }

private:
    cudaGraphExec_t exec_;
};

class CardRuntime final : public Runtime {
public:
    explicit CardRuntime(int index);
    ~CardRuntime() override;

    const Properties& properties() const override { return properties_; }
    std::size_t free_memory() override;
    std::byte* allocate(std::size_t bytes) override;
    void release(std::byte* memory) noexcept override;
    std::byte* allocate_pinned(std::size_t bytes) override;
    void release_pinned(std::byte* memory) noexcept override;
    void to_device(std::byte* device, const std::byte* host, std::size_t bytes, Queue) override;
    void to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
    void to_host_later(std::byte* pinned, const std::byte* device, std::size_t bytes) override;
    void on_device(std::byte* to, const std::byte* from, std::size_t bytes) override;
    void set(std::byte* device, std::uint8_t value, std::size_t bytes) override;
    void wait() override;
    bool idle() override;
    void order(Queue before, Queue after) override;
    int make_mark() override;
    void mark(int mark, Queue queue) override { check(cudaEventRecord(at(mark), stream(queue)), "marking"); }
    void await(int mark, Queue queue) override { check(cudaStreamWaitEvent(stream(queue), at(mark), 0), "waiting"); }
    bool reached(int mark) override {
        select();
        return passed(cudaEventQuery(at(mark)));
    }
    float time(const std::function<void()>& work) override;
    std::unique_ptr<Graph> record(const std::function<void()>& work) override;
    bool recording() const override { return recording_; }
    void replay(Graph& graph) override {
        check(cudaGraphLaunch(static_cast<CardGraph&>(graph).exec(), compute_), "replaying");
    }
    void* stream() const override {
        select(); // a kernel is about to be started
        return compute_;
    }

private:
    cudaStream_t stream(Queue queue) const { return queue == Queue::compute ? compute_ : transfer_; }
    cudaEvent_t at(int mark) const { return marks_[static_cast<std::size_t>(mark)]; }
    /// What a query found: true if the work is done, false if it is not yet.
    static bool passed(cudaError_t code) {
        if (code != cudaErrorNotReady) {
            check(code, "computing");
            return true;
        }
        cudaGetLastError();
        return false;
    }
    /// The calling thread works on this card from here on. To be called before anything that may be the first call of a
    /// thread: otherwise CUDA makes a context for it on cuda:0, which takes half a gigabyte there.
    void select() const { check(cudaSetDevice(index_), "choosing the card"); }

    int index_;
    Properties properties_;
    cudaStream_t compute_ = nullptr, transfer_ = nullptr;
    std::vector<cudaEvent_t> marks_;
    int between_ = -1; ///< mark used by order()
    bool recording_ = false;
};

CardRuntime::CardRuntime(int index) : index_(index) {
    select();
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, index), "reading the card's properties");
    properties_ = {p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem};
    if (p.major < least_major)
        throw Error("", "device",
                    fmt::format("cuda:{} ({}) has compute capability {}.{}; 8.0 is needed", index,
                                printable(p.name, 60), p.major, p.minor),
                    "use the device cpu");
    check(cudaStreamCreateWithFlags(&compute_, cudaStreamNonBlocking), "making a stream");
    check(cudaStreamCreateWithFlags(&transfer_, cudaStreamNonBlocking), "making a stream");
    between_ = make_mark();
}

CardRuntime::~CardRuntime() {
    cudaSetDevice(index_);
    for (const cudaEvent_t event : marks_) cudaEventDestroy(event);
    if (transfer_) cudaStreamDestroy(transfer_);
    if (compute_) cudaStreamDestroy(compute_);
}

std::size_t CardRuntime::free_memory() {
    select();
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free memory");
    return free;
}

std::byte* CardRuntime::allocate(std::size_t bytes) {
    select();
    void* memory = nullptr;
    const cudaError_t code = cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError(); // clears it: it is not sticky, but it stays the last error
        return nullptr;
    }
    check(code, "allocating");
    return static_cast<std::byte*>(memory);
}

void CardRuntime::release(std::byte* memory) noexcept {
    cudaSetDevice(index_);
    cudaFree(memory);
    cudaGetLastError();
}

std::byte* CardRuntime::allocate_pinned(std::size_t bytes) {
    select();
    void* memory = nullptr;
    if (cudaMallocHost(&memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return static_cast<std::byte*>(memory);
}

void CardRuntime::release_pinned(std::byte* memory) noexcept {
    cudaSetDevice(index_);
    cudaFreeHost(memory);
    cudaGetLastError();
}

void CardRuntime::to_device(std::byte* device, const std::byte* host, std::size_t bytes, Queue queue) {
    select();
    if (recording_) throw Error("", "device", "a copy from the host cannot be recorded");
    check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream(queue)), "copying to the card");
}

void CardRuntime::to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
    select();
    if (recording_) throw Error("", "device", "a copy to the host cannot be recorded");
    check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, compute_), "copying from the card");
    wait();
}

void CardRuntime::to_host_later(std::byte* pinned, const std::byte* device, std::size_t bytes) {
    select();
    if (recording_) throw Error("", "device", "a copy to the host cannot be recorded");
    order(Queue::compute, Queue::transfer);
    check(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, transfer_), "copying from the card");
}

void CardRuntime::on_device(std::byte* to, const std::byte* from, std::size_t bytes) {
    select();
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, compute_), "copying on the card");
}

void CardRuntime::set(std::byte* device, std::uint8_t value, std::size_t bytes) {
    select();
    check(cudaMemsetAsync(device, value, bytes, compute_), "clearing");
}

void CardRuntime::wait() {
    select();
    check(cudaStreamSynchronize(transfer_), "waiting for transfers");
    check(cudaStreamSynchronize(compute_), "waiting for the card");
}

bool CardRuntime::idle() {
    select();
    return passed(cudaStreamQuery(compute_));
}

void CardRuntime::order(Queue before, Queue after) {
    mark(between_, before);
    await(between_, after);
}

int CardRuntime::make_mark() {
    select();
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
    marks_.push_back(event);
    return static_cast<int>(marks_.size()) - 1;
}

float CardRuntime::time(const std::function<void()>& work) {
    select();
    struct Event {
        cudaEvent_t value = nullptr;
        Event() { check(cudaEventCreate(&value), "making an event"); }
        ~Event() { cudaEventDestroy(value); }
    } begin, end;
    check(cudaEventRecord(begin.value, compute_), "timing");
    work();
    check(cudaEventRecord(end.value, compute_), "timing");
    check(cudaEventSynchronize(end.value), "timing");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.value, end.value), "timing");
    return milliseconds;
}

std::unique_ptr<Graph> CardRuntime::record(const std::function<void()>& work) {
    select();
    check(cudaStreamBeginCapture(compute_, cudaStreamCaptureModeRelaxed), "recording");
    recording_ = true;
    cudaGraph_t graph = nullptr;
    try {
        work();
    } catch (...) {
        recording_ = false;
        cudaStreamEndCapture(compute_, &graph);
        if (graph) cudaGraphDestroy(graph);
        cudaGetLastError();
        throw;
    }
    recording_ = false;
    check(cudaStreamEndCapture(compute_, &graph), "recording");
    cudaGraphExec_t exec = nullptr;
    const cudaError_t code = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    check(code, "preparing the recording");
    auto made = std::make_unique<CardGraph>(exec);
    check(cudaGraphUpload(exec, compute_),
          "preparing the recording"); // so that a lack of memory is found now, not by the first replay
    return made;
}

} // namespace

void check(cudaError_t code, const char* doing) {
    if (code == cudaSuccess) return;
    cudaGetLastError();
    if (code == cudaErrorMemoryAllocation)
        throw Error("", "memory", fmt::format("the card has no memory left ({})", doing),
                    "use a smaller size, fewer frames or bf16, or close other programs that use the card");
    if (code == cudaErrorNoKernelImageForDevice) check_code(code);
    throw Error("", "device", fmt::format("the card failed ({}: {})", doing, cudaGetErrorName(code)),
                "start again; use the device cpu if it persists");
}

void check_code(int code) {
    if (code == cudaSuccess) return;
    cudaGetLastError();
    throw Error("", "device", "this build has no machine code for the card",
                "configure with the preset cuda-all, or use the device cpu");
}

void check_launch(int code) { check(static_cast<cudaError_t>(code), "starting a kernel"); }

std::shared_ptr<Runtime> open_card(int index) {
    int driver = 0, cards = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
    check_driver(index, driver, CUDART_VERSION);
    const cudaError_t code = cudaGetDeviceCount(&cards);
    cudaGetLastError();
    if (code != cudaSuccess && code != cudaErrorNoDevice)
        throw Error("", "device",
                    fmt::format("cuda:{} cannot be used: the driver says {}", index, cudaGetErrorName(code)),
                    "use the device cpu");
    if (index >= cards)
        throw Error("", "device",
                    cards == 0 ? std::string("no NVIDIA card was found")
                               : fmt::format("there is no cuda:{}, only {} card{}", index, cards, cards > 1 ? "s" : ""),
                    cards == 0 ? "use the device cpu" : "use cuda:0 or cpu");
    return std::make_shared<CardRuntime>(index);
}

} // namespace denoir::cuda

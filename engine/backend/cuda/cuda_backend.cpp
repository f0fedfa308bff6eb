// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <thread>

#include "engine/backend/cuda/memory_plan.h"
#include "engine/backend/cuda/recordings.h"
#include "engine/backend/cuda/tensors.h"
#include "engine/core/error.h"
#include "engine/core/memory.h"

namespace denoir::cuda {
namespace {

/// Bytes; a larger tensor goes to the card piece by piece.
constexpr std::size_t largest_whole = std::size_t{16} << 20;

constexpr std::size_t most_pinned = std::size_t{256} << 20;

/// Weights are cut from segments of this size: the card gives whole pages of 2 MiB, and many weights are slightly
/// larger than a number of them.
constexpr std::size_t weight_segment = std::size_t{32} << 20;

Fit fit_of(const CudaBackend::Options& options) { return options.exact ? Fit::apart : Fit::best; }

std::shared_ptr<DeviceUse> use_of(const CudaBackend::Options& options) {
    auto use = std::make_shared<DeviceUse>();
    if (options.memory > 0) use->limit = options.memory;
    return use;
}

RmsNorm norm_by(const Tensor& weight, const RmsOptions& options) {
    RmsNorm a;
    a.eps = options.eps;
    a.weight = weight.data<float>();
    a.round_normalised = options.round_normalised;
    a.round_weight = options.round_weight;
    return a;
}

} // namespace

SystemMemory device_memory(std::shared_ptr<Runtime> runtime, std::shared_ptr<DeviceUse> use) {
    const auto allocate = [runtime, use](std::size_t bytes) {
        if (bytes > use->limit - std::min(use->limit, use->held.load())) return static_cast<std::byte*>(nullptr);
        std::byte* memory = runtime->allocate(bytes);
        if (!memory) return memory;
        const std::size_t held = use->held += bytes;
        use->peak = std::max(use->peak.load(), held); // one engine thread allocates
        ++use->allocations;
        return memory;
    };
    const auto release = [runtime, use](std::byte* memory, std::size_t bytes) {
        runtime->release(memory);
        use->held -= bytes;
    };
    return {allocate, release, false};
}

SystemMemory pinned_memory(std::shared_ptr<Runtime> runtime) {
    return {[runtime](std::size_t bytes) { return runtime->allocate_pinned(bytes); },
            [runtime](std::byte* memory, std::size_t) { runtime->release_pinned(memory); }, false};
}

CudaBackend::CudaBackend(std::shared_ptr<Runtime> runtime, Options options)
    : runtime_(std::move(runtime)),
      options_(std::move(options)),
      pool_(options_.threads),
      use_(use_of(options_)),
      own_arena_(std::make_unique<Arena>(self(), device_memory(runtime_, use_), 0, fit_of(options_))),
      weight_arena_(
          std::make_unique<Arena>(self(), device_memory(runtime_, use_), 0, fit_of(options_), weight_segment)),
      arena_(own_arena_.get()),
      pinned_(nullptr, pinned_memory(runtime_), most_pinned),
      staging_(*runtime_, pool_, pinned_),
      stream_(*runtime_, staging_) {
    if (options_.exact) options_.record = false; // a recording goes on using memory that its tensors gave back
    if (!options_.blas) return;
    const Borrowed to_stay(*this, *weight_arena_);
    blas_workspace_ = allocate({static_cast<std::int64_t>(options_.blas->workspace_bytes())}, DType::u8);
    options_.blas->set_workspace(blas_workspace_.raw());
}

CudaBackend::~CudaBackend() {
    try {
        runtime_->wait();
    } catch (const Error&) {
        // The card has failed; whoever waited for a result was told.
    }
}

void CudaBackend::set_stop(std::stop_token stop) {
    stop_ = stop;
    pool_.set_stop(std::move(stop));
}

void CudaBackend::throw_if_stopped() const {
    if (stop_.stop_requested()) throw Cancelled();
}

void CudaBackend::wait_until(const std::function<bool()>& done) const {
    while (!done()) {
        throw_if_stopped();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

void CudaBackend::wait() {
    wait_until([&] { return runtime_->idle(); });
    runtime_->wait();
}

Tensor CudaBackend::allocate(const Shape& shape, DType dtype) {
    const std::size_t bytes = checked_bytes(shape, dtype);
    for (bool again = false;; again = true) {
        try {
            Tensor made(arena_->allocate(bytes), 0, shape, dtype);
            if (options_.poison && bytes > 0) runtime_->set(made.raw(), 0xFF, bytes); // NaN in every float type
            return made;
        } catch (const Error& e) {
            if (!is_out_of_memory(e)) throw;
            if (again)
                throw Error(
                    "", "memory", "on the card: " + e.message(),
                    stream_.active()
                        ? "use a smaller size or fewer frames, or the device cpu"
                        : "use a smaller size, fewer frames or bf16, or close other programs that use the card");
        }
        // Another arena may hold memory that nobody uses.
        for (Arena* other : {own_arena_.get(), weight_arena_.get()})
            if (other != arena_) other->trim();
    }
}

Tensor CudaBackend::empty(const Shape& shape, DType dtype) { return allocate(shape, dtype); }

Tensor CudaBackend::upload(const Tensor& host) {
    Tensor out = allocate(host.shape(), host.dtype());
    if (host.elements() == 0) return out;
    ended(uploads_);
    const bool whole = out.bytes() <= largest_whole;
    // From pageable memory the driver copies only when the card has done everything that was submitted before.
    Tensor source = whole ? pinned_tensor(pinned_, host.shape(), host.dtype()) : Tensor();
    if (source) {
        copy_dense(host, source.raw());
    } else if (host.is_contiguous()) {
        source = host;
    } else {
        source = Tensor::host(host.shape(), host.dtype());
        copy_dense(host, source.raw());
    }
    if (!whole) {
        const auto read = [from = source.raw()](std::int64_t begin, std::int64_t end, std::byte* to) {
            std::memcpy(to, from + begin, static_cast<std::size_t>(end - begin));
        };
        staging_.copy(out.raw(), static_cast<std::int64_t>(out.bytes()), 1, read, Runtime::Queue::compute);
        return out;
    }
    runtime_->to_device(out.raw(), source.raw(), source.bytes());
    // The source is held until it has been read, even if it is the caller's: a card that shares the host's pages may
    // read it later.
    started(uploads_, {source, {}, 0}, Runtime::Queue::compute);
    return out;
}

void CudaBackend::started(std::deque<Copy>& copies, Copy copy, Runtime::Queue queue) {
    if (free_marks_.empty()) free_marks_.push_back(runtime_->make_mark());
    copy.mark = free_marks_.back();
    free_marks_.pop_back();
    runtime_->mark(copy.mark, queue);
    copies.push_back(std::move(copy));
}

/// Lets go of the copies that are done.
void CudaBackend::ended(std::deque<Copy>& copies) {
    for (; !copies.empty() && runtime_->reached(copies.front().mark); copies.pop_front())
        free_marks_.push_back(copies.front().mark);
}

Tensor CudaBackend::download_later(const Tensor& x) {
    throw_if_stopped();
    ended(uploads_);
    ended(downloads_);
    Tensor host = x.elements() > 0 ? pinned_tensor(pinned_, x.shape(), x.dtype()) : Tensor();
    if (!host) return download(x);
    const Tensor source = x.is_contiguous() ? x : contiguous_copy(x);
    runtime_->to_host_later(host.raw(), source.raw(), source.bytes());
    started(downloads_, {host, source, 0}, Runtime::Queue::transfer);
    return host;
}

void CudaBackend::finish(const Tensor& host) {
    const auto same = [&](const Copy& copy) { return copy.host.raw() == host.raw(); };
    while (std::any_of(downloads_.begin(), downloads_.end(), same)) {
        wait_until([&] { return runtime_->reached(downloads_.front().mark); });
        free_marks_.push_back(downloads_.front().mark);
        downloads_.pop_front();
    }
}

Tensor CudaBackend::download(const Tensor& x) {
    Tensor out = Tensor::host(x.shape(), x.dtype());
    if (x.elements() == 0) return out;
    const Tensor source = x.is_contiguous() ? x : contiguous_copy(x);
    wait();
    runtime_->to_host(out.raw(), source.raw(), source.bytes());
    return out;
}

Backend::MemoryStats CudaBackend::memory() const {
    const std::size_t in_use = own_arena_->stats().bytes_in_use + weight_arena_->stats().bytes_in_use;
    return {in_use, use_->held, use_->peak, use_->allocations};
}

std::size_t CudaBackend::free_memory() {
    const std::size_t held = use_->held;
    return std::min(runtime_->free_memory(), use_->limit - std::min(use_->limit, held));
}

std::string CudaBackend::plan_memory(const MemoryNeeds& needs) {
    stream_.set_ring({});
    resident_left_ = ~std::size_t{0};
    trim();
    once_ = needs.once;
    activations_ = needs.activations;
    if (needs.weights == 0) return {};
    const std::size_t margin = std::min(memory_margin, std::min(runtime_->properties().memory, use_->limit) / 8);
    // What is held now is mostly the same weights, from an earlier run, so it counts as free; the workspace stays.
    const std::size_t of_the_library = blas_workspace_ ? blas_workspace_.bytes() : 0;
    const MemoryPlan plan =
        cuda::plan_memory(needs, free_memory() + use_->held - of_the_library, margin, available_memory());
    if (plan.rung == MemoryPlan::Rung::none)
        throw Error("", "memory", describe(plan, needs), "use a smaller size, fewer frames, or the device cpu");
    if (plan.ring > 0) {
        const Borrowed to_stay(*this, *weight_arena_);
        Tensor ring = allocate({static_cast<std::int64_t>(plan.ring)}, DType::u8);
        runtime_->wait(); // weights will arrive on another queue, perhaps where a kernel still reads
        stream_.set_ring(std::move(ring));
        resident_left_ = plan.resident;
    }
    return describe(plan, needs);
}

Tensor CudaBackend::as(const Tensor& x, DType dtype) {
    const Tensor there = here(x);
    if (there.dtype() == dtype && (there.rank() == 0 || there.stride(-1) == 1)) return there;
    Tensor out = allocate(there.shape(), dtype);
    copy(there, out);
    return out;
}

void CudaBackend::copy(const Tensor& in, Tensor& out) {
    throw_if_stopped();
    assert(in.shape() == out.shape() && !is_block(in.dtype()));
    if (out.elements() == 0) return;
    const Tensor from = here(in);
    if (from.dtype() == out.dtype()) {
        if (from.is_contiguous() && out.is_contiguous()) return runtime_->on_device(out.raw(), from.raw(), out.bytes());
        if (out.dtype() != DType::f32 && out.dtype() != DType::bf16)
            return copy_raw(*runtime_, walk(out, from, from, true), element_bytes(out.dtype()));
    }
    cuda::copy(*runtime_, walk(out, from, from));
}

void CudaBackend::fill(Tensor& out, float value) {
    throw_if_stopped();
    if (out.elements() > 0) cuda::fill(*runtime_, walk(out, out, out), value);
}

void CudaBackend::add(const Tensor& a, const Tensor& b, Tensor& out) {
    throw_if_stopped();
    assert(a.shape() == out.shape() && b.shape() == out.shape());
    if (out.elements() > 0) combine(*runtime_, Pair::sum, walk(out, here(a), here(b)));
}

void CudaBackend::multiply(const Tensor& a, const Tensor& b, Tensor& out) {
    throw_if_stopped();
    assert(a.shape() == out.shape() && b.shape() == out.shape());
    if (out.elements() > 0) combine(*runtime_, Pair::product, walk(out, here(a), here(b)));
}

void CudaBackend::activate(Activation kind, const Tensor& in, Tensor& out) {
    throw_if_stopped();
    assert(in.shape() == out.shape());
    if (out.elements() == 0) return;
    const Tensor from = here(in);
    if (kind == Activation::gelu_tanh_steps) return gelu_in_steps(*runtime_, walk(out, from, from));
    cuda::activate(*runtime_, curve_of(kind), walk(out, from, from));
}

// Rows ---------------------------------------------------------------------------------------------------------------

void CudaBackend::layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, Tensor& out) {
    throw_if_stopped();
    LayerNorm a;
    a.x = rows(x);
    a.out = rows(out);
    a.tokens = x.size(0);
    a.tokens_per_group = std::max<std::int64_t>(1, x.size(0));
    a.channels = static_cast<int>(x.size(1));
    a.eps = eps;
    if (weight) a.weight.data = weight->data<float>();
    if (bias) a.bias.data = bias->data<float>();
    cuda::layer_norm(*runtime_, a);
}

void CudaBackend::layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps,
                                      Tensor& out) {
    throw_if_stopped();
    LayerNorm a;
    a.x = rows(x);
    a.out = rows(out);
    a.tokens = x.size(0);
    a.tokens_per_group = std::max<std::int64_t>(1, x.size(0) / std::max<std::int64_t>(1, shift.size(0)));
    a.channels = static_cast<int>(x.size(1));
    a.eps = eps;
    a.weight = {scale.data<float>(), scale.stride(0)};
    a.bias = {shift.data<float>(), shift.stride(0)};
    a.one_plus = true;
    cuda::layer_norm(*runtime_, a);
}

void CudaBackend::rms(RmsNorm& a, const Tensor& x, const Tensor& out) {
    throw_if_stopped();
    a.x = rows(x);
    a.out = rows(out);
    a.tokens = x.size(0);
    a.channels = static_cast<int>(x.size(1));
    cuda::rms_norm(*runtime_, a);
}

void CudaBackend::rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions& options, Tensor& out) {
    RmsNorm a = norm_by(weight, options);
    rms(a, x, out);
}

void CudaBackend::rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions& options, const Rope& table,
                                int heads, Tensor& out) {
    RmsNorm a = norm_by(weight, options);
    set_rotation(a, table, static_cast<int>(x.size(1) / heads));
    const Tensor from = in_pairs(x) ? x : contiguous_copy(x);
    assert(in_pairs(out));
    rms(a, from, out);
}

void CudaBackend::rope(const Tensor& x, const Rope& table, int heads, Tensor& out) {
    RmsNorm a;
    a.factor = RmsNorm::Factor::none;
    set_rotation(a, table, static_cast<int>(x.size(1) / heads));
    const Tensor from = in_pairs(x) ? x : contiguous_copy(x);
    assert(in_pairs(out));
    rms(a, from, out);
}

Tensor CudaBackend::contiguous_copy(const Tensor& x) {
    Tensor out = allocate(x.shape(), x.dtype());
    copy(x, out);
    return out;
}

void CudaBackend::gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) {
    throw_if_stopped();
    GatedAdd a;
    a.x = rows(x);
    a.y = rows(y);
    a.out = rows(out);
    a.tokens = x.size(0);
    a.tokens_per_group = std::max<std::int64_t>(1, x.size(0) / std::max<std::int64_t>(1, gate.size(0)));
    a.channels = static_cast<int>(x.size(1));
    a.gate = {gate.data<float>(), gate.stride(0)};
    cuda::gated_add(*runtime_, a);
}

void CudaBackend::add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions& options,
                                 Tensor& sum, Tensor& out) {
    throw_if_stopped();
    const std::int64_t tokens = x.size(0);
    // A table of rank 1 is one row for all tokens.
    const auto group = [&](const Tensor* table) {
        return table && table->rank() == 2 ? std::max<std::int64_t>(1, tokens / table->size(0))
                                           : std::max<std::int64_t>(1, tokens);
    };
    const auto group_rows = [&](const Tensor* table) {
        return table ? GroupRows{table->data<float>(), table->rank() == 2 ? table->stride(0) : 0} : GroupRows{};
    };
    AddLayerNorm a;
    a.x = rows(x);
    a.y = rows(y);
    a.gate = group_rows(gate);
    a.tokens_per_gate = group(gate);
    a.round_before = options.round_before;
    a.norm.x = rows(sum);
    a.norm.out = rows(out);
    a.norm.tokens = tokens;
    a.norm.tokens_per_group = group(options.weight);
    a.norm.channels = static_cast<int>(x.size(1));
    a.norm.eps = options.eps;
    a.norm.weight = group_rows(options.weight);
    a.norm.bias = group_rows(options.bias);
    a.norm.one_plus = options.modulate;
    if (!cuda::add_layer_norm(*runtime_, a)) Backend::add_layer_norm(x, y, gate, options, sum, out);
}

void CudaBackend::channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) {
    const std::int64_t channels = x.size(-1);
    if (x.elements() == 0) return;
    const Shape flat{x.elements() / channels, channels};
    RmsNorm a;
    a.factor = RmsNorm::Factor::l2;
    a.weight = gamma.data<float>();
    a.silu = silu;
    rms(a, x.rank() == 2 ? x : x.reshape(flat), out.reshape(flat));
}

} // namespace denoir::cuda

// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/recordings.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/log.h"

namespace denoir::cuda {
namespace {

/// Memory for an arena, taken from another one, so that what the first call gave back is used again. It must last as
/// long as the recordings, which always work at the same addresses.
SystemMemory memory_of(Arena& arena) {
    auto held = std::make_shared<std::map<std::byte*, std::shared_ptr<Buffer>>>();
    const auto allocate = [&arena, held](std::size_t bytes) -> std::byte* {
        try {
            std::shared_ptr<Buffer> block = arena.allocate(bytes);
            std::byte* const memory = block->data();
            held->emplace(memory, std::move(block));
            return memory;
        } catch (const Error&) {
            return nullptr;
        }
    };
    return {allocate, [held](std::byte* memory, std::size_t) { held->erase(memory); }, false, true};
}

} // namespace

/// The first call is not recorded: in it, weights are uploaded, plans made and algorithms chosen. The second call is
/// recorded, in memory that only recordings use; they share it, as they run one after the other. From then on inputs
/// are copied and the recording is replayed.
Tensor CudaBackend::captured(const std::string& key, std::span<const Tensor> inputs, const Body& body) {
    throw_if_stopped();
    if (!options_.record || stream_.active()) { // streamed weights change their addresses
        make_room();
        return body(inputs);
    }
    const auto known = recordings_.find(key);
    if (known == recordings_.end()) {
        make_room();
        own_arena_->reset_peak();
        const std::size_t before = own_arena_->stats().bytes_in_use;
        Tensor out = body(inputs); // if it throws, not all that a recording needs was made
        auto made = std::make_unique<Recording>();
        made->bytes = own_arena_->stats().peak_in_use - before;
        recordings_[key] = std::move(made);
        return out;
    }
    Recording& r = *known->second;
    if (r.refused) return body(inputs);
    if (!r.graph) {
        std::string why;
        try {
            record(r, inputs, body);
        } catch (const Error& e) {
            why = std::string(": ") + e.what();
        } catch (...) { // the other side of the border knows why
        }
        if (!r.graph) {
            // Memory for a recording may be missing, or a library may refuse it. The kernels can still be started one
            // by one.
            r.reset();
            // The memory that it took can be used by others only if the arena gives it back.
            if (std::none_of(recordings_.begin(), recordings_.end(),
                             [](const auto& other) { return other.second->graph != nullptr; }))
                recording_arena_.reset();
            throw_if_stopped();
            log::info("the kernels of " + key + " cannot be recorded" + why);
            r.refused = true;
            return body(inputs);
        }
    }
    take_in(r, inputs);
    runtime_->replay(*r.graph);
    Tensor out = allocate(r.output.shape(), r.output.dtype());
    copy(r.output, out);
    return out;
}

/// Copies all inputs together: a transformer has hundreds of them, most of them small.
void CudaBackend::take_in(Recording& r, std::span<const Tensor> inputs) {
    Stretches together;
    assert(inputs.size() == r.inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        assert(inputs[i].defined() == r.inputs[i].defined());
        if (!inputs[i]) continue;
        assert(inputs[i].is_contiguous() && inputs[i].shape() == r.inputs[i].shape() &&
               inputs[i].dtype() == r.inputs[i].dtype());
        std::byte *const to = r.inputs[i].raw(), *const from = inputs[i].raw();
        if (together.count == Stretches::most) copy_all(*runtime_, std::exchange(together, {}));
        if (!together.add(to, from, inputs[i].bytes())) runtime_->on_device(to, from, inputs[i].bytes());
    }
    copy_all(*runtime_, together);
}

void CudaBackend::make_room() {
    if (own_arena_->stats().bytes_held < activations_) own_arena_->reserve(activations_);
}

void CudaBackend::record(Recording& r, std::span<const Tensor> inputs, const Body& body) {
    own_arena_->trim();
    if (!recording_arena_) {
        recording_arena_ = std::make_unique<Arena>(self(), memory_of(*own_arena_), 0, Fit::best);
        std::size_t bytes = r.bytes;
        for (const Tensor& input : inputs) bytes += input ? input.bytes() : 0;
        recording_arena_->reserve(bytes + bytes / 4); // for pieces that do not fit exactly
    }
    const Borrowed to_last(*this, *recording_arena_);
    for (const Tensor& input : inputs) r.inputs.push_back(input ? allocate(input.shape(), input.dtype()) : Tensor());
    r.graph = runtime_->record([&] { r.output = body(r.inputs); });
}

void CudaBackend::trim() {
    if (!recordings_.empty() || staging_.busy() || !uploads_.empty() || !downloads_.empty()) runtime_->wait();
    staging_.let_go();
    ended(uploads_);
    ended(downloads_);
    pinned_.trim();
    recordings_.clear();
    recording_arena_.reset();
    own_arena_->trim();
    weight_arena_->trim();
}

} // namespace denoir::cuda

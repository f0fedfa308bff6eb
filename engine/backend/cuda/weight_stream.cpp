// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/weight_stream.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/core/error.h"

namespace denoir::cuda {
namespace {

constexpr std::size_t npos = ~std::size_t{0}, alignment = 256;

std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

} // namespace

StreamedWeight::StreamedWeight(std::shared_ptr<Runtime> runtime, ThreadPool& pool, Shape shape, DType dtype,
                               Source source, bool pin)
    : runtime_(std::move(runtime)), shape_(shape), dtype_(dtype), source_(std::move(source)) {
    if (pin) pinned_ = runtime_->allocate_pinned(bytes());
    if (!pinned_) return;
    try {
        read_all(pool, rows(), row_bytes(), std::exchange(source_, {})(), pinned_);
    } catch (...) { // it may have been cancelled
        runtime_->release_pinned(pinned_);
        throw;
    }
}

StreamedWeight::~StreamedWeight() {
    if (pinned_) runtime_->release_pinned(pinned_);
}

void StreamedWeight::copy(std::byte* device, Staging& staging, Runtime::Queue queue) const {
    if (pinned_)
        runtime_->to_device(device, pinned_, bytes(), queue);
    else
        staging.copy(device, rows(), row_bytes(), source_(), queue);
}

void WeightStream::set_ring(Tensor ring) {
    if (ring_.defined()) runtime_.wait();
    for (const Place& p : places_) free_marks_.insert(free_marks_.end(), {p.arrived, p.done});
    places_.clear();
    next_.clear();
    head_ = 0;
    last_ = nullptr;
    late_ = copies_ = 0;
    ring_ = std::move(ring);
}

WeightStream::Place* WeightStream::find(const StreamedWeight* weight) {
    for (Place& p : places_)
        if (p.weight.get() == weight) return &p;
    return nullptr;
}

int WeightStream::take_mark() {
    if (free_marks_.empty()) return runtime_.make_mark();
    const int mark = free_marks_.back();
    free_marks_.pop_back();
    return mark;
}

std::size_t WeightStream::make_room(std::size_t bytes, bool force) {
    const std::size_t begin = head_ + bytes <= ring_.bytes() ? head_ : 0, end = begin + bytes;
    if (end > ring_.bytes()) return npos;
    const auto overlaps = [&](const Place& p) { return p.offset < end && begin < p.offset + p.bytes; };
    for (const Place& p : places_)
        if (overlaps(p) && p.waits && !force) return npos;
    for (auto p = places_.begin(); p != places_.end();) {
        if (!overlaps(*p)) {
            ++p;
            continue;
        }
        // The copy over it waits for the kernels that read it; if none did, both copies are in one queue, in order.
        if (p->read) runtime_.await(p->done, Runtime::Queue::transfer);
        free_marks_.insert(free_marks_.end(), {p->arrived, p->done});
        p = places_.erase(p);
    }
    return begin;
}

bool WeightStream::bring(const std::shared_ptr<const StreamedWeight>& weight, bool force) {
    const std::size_t bytes = rounded_up(weight->bytes()), offset = make_room(bytes, force);
    if (offset == npos) return false;
    head_ = offset + bytes;
    weight->copy(ring_.raw() + offset, staging_, Runtime::Queue::transfer);
    places_.push_back({weight, offset, bytes, take_mark(), take_mark()});
    runtime_.mark(places_.back().arrived, Runtime::Queue::transfer);
    ++copies_;
    return true;
}

/// Starts to copy what follows `from`, as long as there is room without weights that are still going to be read.
void WeightStream::look_ahead(const StreamedWeight* from) {
    const StreamedWeight* at = from;
    for (std::size_t steps = 0; steps <= next_.size(); ++steps) {
        const auto following = next_.find(at);
        if (following == next_.end()) return;
        const auto weight = following->second.lock();
        if (!weight || weight.get() == from) return;
        Place* place = find(weight.get());
        if (place)
            place->waits = true; // still there from the last round, or on its way
        else if (!bring(weight, false))
            return;
        at = weight.get();
    }
}

Tensor WeightStream::fetch(const std::shared_ptr<const StreamedWeight>& weight) {
    assert(active());
    if (Place* before = last_ ? find(last_) : nullptr) {
        runtime_.mark(before->done, Runtime::Queue::compute);
        before->read = true;
        before->waits = false;
    }
    if (last_ && last_ != weight.get()) next_[last_] = weight;
    Place* place = find(weight.get());
    if (!place) {
        ++late_;
        if (!bring(weight, true))
            throw Error("", "memory", "a weight is larger than the card's room for streamed weights",
                        "use the device cpu");
        place = find(weight.get());
    }
    place->waits = true;
    runtime_.await(place->arrived, Runtime::Queue::compute);
    last_ = weight.get();
    const std::size_t offset = place->offset;
    look_ahead(weight.get());
    return Tensor(ring_.buffer(), static_cast<std::size_t>(ring_.raw() - ring_.buffer()->data()) + offset,
                  weight->shape(), weight->dtype());
}

} // namespace denoir::cuda

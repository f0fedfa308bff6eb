// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "engine/backend/cuda/runtime.h"
#include "engine/backend/cuda/staging.h"
#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"

namespace denoir::cuda {

/// A weight that lies in the host's memory, or in its file, and passes through the card when it is used.
class StreamedWeight {
public:
    /// Gets ready to read the weight's rows (axis 0) in the form that kernels want.
    using Source = std::function<ReadRows()>;
    /// `pin`: the rows are read into pinned memory, by all threads, where there is some; else anew for each copy.
    StreamedWeight(std::shared_ptr<Runtime>, ThreadPool&, Shape, DType, Source source, bool pin);
    ~StreamedWeight();
    StreamedWeight(const StreamedWeight&) = delete;
    /// Starts to copy it to `device` on a queue. Pinned memory of its own is read until the copy is done.
    void copy(std::byte* device, Staging&, Runtime::Queue) const;
    std::size_t bytes() const { return checked_bytes(shape_, dtype_); }
    const Shape& shape() const { return shape_; }
    DType dtype() const { return dtype_; }
    bool pinned() const { return pinned_ != nullptr; }

private:
    std::int64_t rows() const { return shape_[0]; }
    std::size_t row_bytes() const { return rows() > 0 ? bytes() / static_cast<std::size_t>(rows()) : 0; }

    std::shared_ptr<Runtime> runtime_;
    Shape shape_;
    DType dtype_;
    Source source_;
    std::byte* pinned_ = nullptr;
};

/// Brings streamed weights to the card through one stretch of memory used in turns. It remembers which weight came
/// after which, and while the card computes with one it copies those that will follow.
class WeightStream {
public:
    /// Both outlive it.
    WeightStream(Runtime& runtime, Staging& staging) : runtime_(runtime), staging_(staging) {}
    /// The memory weights pass through; an undefined tensor ends streaming. Forgets everything.
    void set_ring(Tensor ring);
    bool active() const { return ring_.defined(); }

    /// The weight on the card, for kernels that are asked for before the next call.
    Tensor fetch(const std::shared_ptr<const StreamedWeight>&);

    /// Copies made because nobody had foreseen the weight; a steady run makes none.
    std::int64_t late() const { return late_; }
    std::int64_t copies() const { return copies_; }

private:
    struct Place {
        std::shared_ptr<const StreamedWeight> weight;
        std::size_t offset, bytes;
        int arrived, done; ///< marks
        bool read = false; ///< kernels were asked for; `done` stands behind the last of them
        bool waits = true; ///< is going to be read; not to be overwritten
    };
    Place* find(const StreamedWeight*);
    /// Room for `bytes`, over what nobody waits for; with `force` over anything. npos: none.
    std::size_t make_room(std::size_t bytes, bool force);
    bool bring(const std::shared_ptr<const StreamedWeight>&, bool force);
    void look_ahead(const StreamedWeight* from);
    int take_mark();

    Runtime& runtime_;
    Staging& staging_;
    Tensor ring_;
    std::deque<Place> places_; ///< in the order of their arrival
    std::size_t head_ = 0;     ///< where the next one goes
    const StreamedWeight* last_ = nullptr;
    std::map<const StreamedWeight*, std::weak_ptr<const StreamedWeight>> next_;
    std::vector<int> free_marks_;
    std::int64_t late_ = 0, copies_ = 0;
};

} // namespace denoir::cuda

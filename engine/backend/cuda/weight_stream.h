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

/// A weight that stays in host memory, or in its file, and is copied to the card each time that it is used.
class StreamedWeight {
public:
    /// Prepares reading the weight's rows (axis 0) in the form that kernels take.
    using Source = std::function<ReadRows()>;
    /// `pin`: the rows are read once into pinned memory, if there is enough; otherwise they are read anew for each
    /// copy.
    StreamedWeight(std::shared_ptr<Runtime>, ThreadPool&, Shape, DType, Source source, bool pin);
    ~StreamedWeight();
    StreamedWeight(const StreamedWeight&) = delete;
    /// Starts to copy the weight to `device` on a queue. Its pinned memory must stay until the copy is done.
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

/// Brings streamed weights to the card through a ring buffer. It remembers in which order the weights were used, and
/// copies the next ones while the card computes with the current one.
class WeightStream {
public:
    /// Both outlive it.
    WeightStream(Runtime& runtime, Staging& staging) : runtime_(runtime), staging_(staging) {}
    /// Sets the ring buffer; an undefined tensor ends streaming. Forgets all weights and their order.
    void set_ring(Tensor ring);
    bool active() const { return ring_.defined(); }

    /// The weight on the card, for kernels that are submitted before the next call.
    Tensor fetch(const std::shared_ptr<const StreamedWeight>&);

    /// Number of copies that had not been started in advance; in steady state there are none.
    std::int64_t late() const { return late_; }
    std::int64_t copies() const { return copies_; }

private:
    struct Place {
        std::shared_ptr<const StreamedWeight> weight;
        std::size_t offset, bytes;
        int arrived, done; ///< marks
        bool read = false; ///< kernels that read it were submitted; `done` marks the end of the last of them
        bool waits = true; ///< going to be read (again), so it must not be overwritten
    };
    Place* find(const StreamedWeight*);
    /// Finds room for `bytes` by evicting weights that have been read or, with `force`, any weights. npos: there is
    /// none.
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

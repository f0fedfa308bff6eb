// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "engine/backend/cuda/runtime.h"
#include "engine/core/arena.h"
#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"

namespace denoir::cuda {

/// Writes rows [begin, end) to `to`, densely. Called by several threads at a time.
using ReadRows = std::function<void(std::int64_t begin, std::int64_t end, std::byte* to)>;

/// All of `rows` rows, `row_bytes` bytes each, by all threads. Throws Cancelled.
void read_all(ThreadPool&, std::int64_t rows, std::size_t row_bytes, const ReadRows&, std::byte* to);

/// Pinned memory of the arena; undefined where there is none.
Tensor pinned_tensor(Arena& pinned, const Shape&, DType);

/// Brings to the card what lies in a file or in pageable memory, through a few pieces of pinned memory: from any other
/// the driver copies more slowly than the bus carries, by one thread, which the host waits for. While some pieces are
/// on their way, all threads read the next. Where no pinned memory is left, a piece is pageable.
class Staging {
public:
    struct Sizes {
        std::size_t piece = std::size_t{16} << 20; ///< bytes; a row that is longer is a piece of its own
        std::size_t most = 4;                      ///< so many pieces exist at a time
    };
    /// All of these outlive it.
    Staging(Runtime& runtime, ThreadPool& pool, Arena& pinned) : Staging(runtime, pool, pinned, Sizes()) {}
    Staging(Runtime&, ThreadPool&, Arena& pinned, Sizes);

    /// Once it returns, every row has been read, and what is asked for on `queue` finds them at `device`. Throws
    /// Cancelled, and what `read` throws; some rows may still arrive then.
    void copy(std::byte* device, std::int64_t rows, std::size_t row_bytes, const ReadRows& read, Runtime::Queue queue);
    /// Lets go of the pieces that have arrived.
    void let_go();
    bool busy() const { return !pieces_.empty(); }

private:
    struct Piece {
        Tensor host;
        int arrived; ///< mark
    };
    Tensor take(std::size_t bytes);

    Runtime& runtime_;
    ThreadPool& pool_;
    Arena& pinned_;
    Sizes sizes_;
    std::deque<Piece> pieces_; ///< on their way, in the order of their start
    std::vector<int> free_marks_;
};

} // namespace denoir::cuda

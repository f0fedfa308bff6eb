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

/// Writes rows [begin, end) to `to`, densely. Called by several threads at once.
using ReadRows = std::function<void(std::int64_t begin, std::int64_t end, std::byte* to)>;

/// Reads all `rows` rows of `row_bytes` bytes each, with all threads. Throws Cancelled.
void read_all(ThreadPool&, std::int64_t rows, std::size_t row_bytes, const ReadRows&, std::byte* to);

/// A tensor in pinned memory of the arena; undefined if there is not enough.
Tensor pinned_tensor(Arena& pinned, const Shape&, DType);

/// Copies data from a file or pageable memory to the card through a few buffers of pinned memory. (From pageable memory
/// the driver copies synchronously, with one thread, more slowly than the bus allows.) While some pieces are being
/// transferred, all threads read the next ones. If there is no pinned memory left, a piece goes through pageable
/// memory.
class Staging {
public:
    struct Sizes {
        std::size_t piece = std::size_t{16} << 20; ///< bytes; a longer row is a piece of its own
        std::size_t most = 4;                      ///< pieces that exist at a time
    };
    /// The arguments must outlive it.
    Staging(Runtime& runtime, ThreadPool& pool, Arena& pinned) : Staging(runtime, pool, pinned, Sizes()) {}
    Staging(Runtime&, ThreadPool&, Arena& pinned, Sizes);

    /// When it returns, every row has been read, and work submitted to `queue` from then on finds them at `device`.
    /// Throws Cancelled, and what `read` throws; some rows may still be in transfer then.
    void copy(std::byte* device, std::int64_t rows, std::size_t row_bytes, const ReadRows& read, Runtime::Queue queue);
    /// Frees the pieces whose transfer is done.
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

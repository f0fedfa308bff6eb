// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/staging.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "engine/core/error.h"

namespace denoir::cuda {
namespace {

/// Bytes that a thread reads at a time: few, so that a person who cancels need not wait.
constexpr std::size_t share = std::size_t{256} << 10;

std::int64_t rows_in(std::size_t bytes, std::size_t row_bytes) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / row_bytes));
}

} // namespace

void read_all(ThreadPool& pool, std::int64_t rows, std::size_t row_bytes, const ReadRows& read, std::byte* to) {
    if (rows == 0 || row_bytes == 0) return;
    const std::int64_t step = rows_in(share, row_bytes);
    pool.run((rows + step - 1) / step, [&](std::int64_t i, int) {
        const std::int64_t begin = i * step;
        read(begin, std::min(rows, begin + step), to + static_cast<std::size_t>(begin) * row_bytes);
    });
}

Tensor pinned_tensor(Arena& pinned, const Shape& shape, DType dtype) {
    try {
        return Tensor(pinned.allocate(checked_bytes(shape, dtype)), 0, shape, dtype);
    } catch (const Error&) {
        return {}; // there is a slower way
    }
}

Staging::Staging(Runtime& runtime, ThreadPool& pool, Arena& pinned, Sizes sizes)
    : runtime_(runtime), pool_(pool), pinned_(pinned), sizes_(sizes) {}

void Staging::let_go() {
    for (; !pieces_.empty() && runtime_.reached(pieces_.front().arrived); pieces_.pop_front())
        free_marks_.push_back(pieces_.front().arrived);
}

/// Memory for the next piece. If `most` pieces are on their way, waits until the first of them has arrived.
Tensor Staging::take(std::size_t bytes) {
    while (pieces_.size() >= sizes_.most && !runtime_.reached(pieces_.front().arrived)) {
        pool_.throw_if_stopped();
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    if (pieces_.size() >= sizes_.most) let_go();
    const Shape shape{static_cast<std::int64_t>(bytes)};
    Tensor memory = pinned_tensor(pinned_, shape, DType::u8);
    return memory ? memory : Tensor::host(shape, DType::u8);
}

void Staging::copy(std::byte* device, std::int64_t rows, std::size_t row_bytes, const ReadRows& read,
                   Runtime::Queue queue) {
    if (rows == 0 || row_bytes == 0) return;
    // All pieces have one size, at most that of all rows, so that the arena can use the same blocks again.
    const std::size_t piece = std::min(std::max(sizes_.piece, row_bytes), static_cast<std::size_t>(rows) * row_bytes);
    const std::int64_t step = rows_in(piece, row_bytes);
    for (std::int64_t begin = 0; begin < rows; begin += step) {
        const std::int64_t count = std::min(step, rows - begin);
        const std::size_t bytes = static_cast<std::size_t>(count) * row_bytes;
        Tensor memory = take(piece);
        read_all(
            pool_, count, row_bytes,
            [&](std::int64_t first, std::int64_t end, std::byte* to) { read(begin + first, begin + end, to); },
            memory.raw());
        if (free_marks_.empty()) free_marks_.push_back(runtime_.make_mark());
        runtime_.to_device(device + static_cast<std::size_t>(begin) * row_bytes, memory.raw(), bytes, queue);
        // A pageable piece is held as well: a card that shares the host's pages may read it later.
        pieces_.push_back({std::move(memory), free_marks_.back()});
        free_marks_.pop_back();
        runtime_.mark(pieces_.back().arrived, queue);
    }
}

} // namespace denoir::cuda

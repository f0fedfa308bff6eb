// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <optional>

#include "engine/backend/cpu/kernels.h"
#include "engine/backend/weight.h"
#include "engine/backend/weight_changes.h"

namespace denoir::cpu {

/// Reads a stored weight of any storage dtype as rows of f32: rows are axis 0, columns all other axes together. The
/// scale of 8-bit files is multiplied in, and changes (LoRA) are added. The weight must outlive it.
class WeightRows {
public:
    /// `round`: whether values are rounded to bf16.
    WeightRows(const Kernels&, const Weight&, bool round);
    std::int64_t count() const { return count_; }
    std::int64_t columns() const { return columns_; }
    /// Reads columns [begin, end) of a row; both must be multiples of align(), or the end of the row.
    void read(std::int64_t row, std::int64_t begin, std::int64_t end, float* out) const;
    /// The same, rounded to bf16. `wide`: scratch memory of as many floats.
    void read_bf16(std::int64_t row, std::int64_t begin, std::int64_t end, float* wide, std::uint16_t* out) const;
    /// Prefetches what read() will need, since pieces of rows are too short for the processor to predict the next one.
    void fetch(std::int64_t row, std::int64_t begin, std::int64_t end) const;
    /// A pointer to the stored row if it is of this type and needs no change; else null.
    const std::byte* direct(std::int64_t row, DType) const;
    /// Size of a block of the storage type, in columns.
    std::int64_t align() const { return info(dtype_).block_elements; }

private:
    const std::byte* at(std::int64_t row, std::int64_t column) const {
        return data_ + row * row_bytes_ + column / align() * info(dtype_).block_bytes;
    }
    /// The values before they are rounded: in `wide`, or in place.
    const float* unrounded(std::int64_t row, std::int64_t begin, std::int64_t end, float* wide) const;

    const Kernels& kernels_;
    DType dtype_;
    const std::byte* data_;
    std::int64_t count_, columns_, row_bytes_;
    const Tensor scale_;
    const std::vector<WeightChange>& changes_;
    mutable std::once_flag widened_; ///< for changed_, made on first use, as most weights are packed and never read
    mutable std::optional<ChangedRows> changed_;
    bool round_;
};

} // namespace denoir::cpu

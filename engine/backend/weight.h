// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace denoir {

/// What a LoRA adds to a weight: factor · up · down, or factor · difference. Tensors are dense host memory (mapped
/// pages) of any float type except block types. Rows are the weight's axis 0, columns all other axes together.
struct WeightChange {
    Tensor up, down;   ///< [rows, rank], [rank, columns]
    Tensor difference; ///< in place of these two: as many elements as the weight
    float factor = 1;
};

/// One parameter of a checkpoint as it is stored in its file (usually mapped pages), in any storage dtype, and the form
/// that a backend prepared of it on first use (packed, converted, uploaded). The prepared form replaces the mapped
/// pages, so that a weight is in memory only once.
class Weight {
public:
    Weight() = default;
    Weight(std::string name, Tensor stored) : name_(std::move(name)), stored_(std::move(stored)) {}

    const std::string& name() const { return name_; } ///< the canonical (original Wan) name, for messages
    const Shape& shape() const { return stored_.shape(); }
    const Tensor& stored() const { return stored_; } ///< dense host memory

    /// For 8-bit files: W = float(stored) * scale; [] or [1] for the whole tensor, [out] or [out,1] per row. Undefined
    /// means 1.
    Tensor scale;

    /// Added whenever the weight is read (weight_changes.h).
    std::vector<WeightChange> changes;

    /// The forms that a backend has prepared, by use ("linear.bf16", "f32", "conv…"). Only backends access it, on the
    /// engine thread.
    mutable std::map<std::string, std::shared_ptr<void>, std::less<>> prepared;

private:
    std::string name_;
    Tensor stored_;
};

/// Releases the file's pages of a weight, which are not needed any more if a prepared copy replaces them.
inline void drop_stored_pages(const Weight& weight) {
    const Tensor& stored = weight.stored();
    if (const Buffer* buffer = stored.buffer().get())
        buffer->drop_pages(static_cast<std::size_t>(stored.raw() - buffer->data()), stored.bytes());
}

} // namespace denoir

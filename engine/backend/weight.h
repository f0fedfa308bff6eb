// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace denoir {

/// What a LoRA adds to a weight: factor · up · down, or factor · difference. Dense host memory (mapped pages), any
/// float type but block types; rows and columns as kernels fold them (axis 0, and all others).
struct WeightChange {
    Tensor up, down;   ///< [rows, rank], [rank, columns]
    Tensor difference; ///< instead of both: as many elements as the weight
    float factor = 1;
};

/// One parameter of a checkpoint as it lies in its file (usually mapped pages), in any storage dtype, plus what a
/// backend made of it on first use (packed, converted, uploaded). The prepared form replaces the mapped pages, so a
/// weight counts once against memory.
class Weight {
public:
    Weight() = default;
    Weight(std::string name, Tensor stored) : name_(std::move(name)), stored_(std::move(stored)) {}

    const std::string& name() const { return name_; } ///< canonical (original Wan) name, for messages
    const Shape& shape() const { return stored_.shape(); }
    const Tensor& stored() const { return stored_; } ///< dense host memory

    /// 8-bit files: W = float(stored) * scale; [] or [1] for the whole tensor, [out] or [out,1] per row. Undefined: 1.
    Tensor scale;

    /// Added whenever the weight is read (weight_changes.h).
    std::vector<WeightChange> changes;

    /// What a backend keeps beside it, by use ("linear.bf16", "f32", "conv…"). Only backends touch it, on the engine
    /// thread.
    mutable std::map<std::string, std::shared_ptr<void>, std::less<>> prepared;

private:
    std::string name_;
    Tensor stored_;
};

/// The file's pages of a weight whose prepared copy replaces them are not needed any more.
inline void drop_stored_pages(const Weight& weight) {
    const Tensor& stored = weight.stored();
    if (const Buffer* buffer = stored.buffer().get())
        buffer->drop_pages(static_cast<std::size_t>(stored.raw() - buffer->data()), stored.bytes());
}

} // namespace denoir

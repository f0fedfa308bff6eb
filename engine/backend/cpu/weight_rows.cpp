// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/weight_rows.h"

#include <stdexcept>

#include "engine/backend/cpu/rows.h"

namespace denoir::cpu {

WeightRows::WeightRows(const Kernels& kernels, const Weight& weight, bool round)
    : kernels_(kernels),
      dtype_(weight.stored().dtype()),
      data_(weight.stored().raw()),
      count_(1),
      columns_(weight.stored().elements()),
      scale_(weight.scale ? weight.scale.to_host_f32() : Tensor()),
      changes_(weight.changes),
      round_(round && (scale_ || dtype_ != DType::bf16)) {
    if (weight.shape().rank() > 0) count_ = weight.shape()[0];
    columns_ /= std::max<std::int64_t>(count_, 1);
    // Not an assertion, since going on would read other elements. Container::tensor converts such tensors to f32.
    if (columns_ % align() != 0) throw std::logic_error("rows of " + weight.name() + " are not whole blocks");
    row_bytes_ = columns_ / align() * info(dtype_).block_bytes;
}

const float* WeightRows::unrounded(std::int64_t row, std::int64_t begin, std::int64_t end, float* wide) const {
    assert(begin % align() == 0 && end % align() == 0);
    const std::int64_t n = end - begin;
    const float* values = as_f32(kernels_, dtype_, at(row, begin), n, wide);
    if (scale_) {
        kernels_.scale(values, scale_.data<float>()[scale_.elements() > 1 ? row : 0], wide, n);
        values = wide;
    }
    if (changes_.empty()) return values;
    if (values != wide) store_f32(kernels_, values, DType::f32, reinterpret_cast<std::byte*>(wide), n);
    std::call_once(widened_, [&] { changed_.emplace(changes_, dtype_, scale_.defined()); });
    changed_->add(row, columns_, begin, end, wide);
    return wide;
}

void WeightRows::read(std::int64_t row, std::int64_t begin, std::int64_t end, float* out) const {
    const float* values = unrounded(row, begin, end, out);
    if (round_)
        kernels_.round_bf16(values, out, end - begin);
    else
        store_f32(kernels_, values, DType::f32, reinterpret_cast<std::byte*>(out), end - begin);
}

void WeightRows::read_bf16(std::int64_t row, std::int64_t begin, std::int64_t end, float* wide,
                           std::uint16_t* out) const {
    kernels_.narrow_bf16(unrounded(row, begin, end, wide), out, end - begin);
}

void WeightRows::fetch(std::int64_t row, std::int64_t begin, std::int64_t end) const {
    for (const std::byte *line = at(row, begin), *last = at(row, end); line < last; line += 64)
        __builtin_prefetch(line);
}

const std::byte* WeightRows::direct(std::int64_t row, DType dtype) const {
    if (dtype_ != dtype || scale_ || round_ || !changes_.empty()) return nullptr;
    return data_ + row * row_bytes_;
}

} // namespace denoir::cpu

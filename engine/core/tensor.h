// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/dtype.h"

namespace denoir {

class Backend;

/// Sizes of up to eight axes, slowest first, as in PyTorch.
class Shape {
public:
    static constexpr int max_rank = 8;
    Shape() = default;
    Shape(std::initializer_list<std::int64_t> sizes);
    explicit Shape(std::span<const std::int64_t> sizes);
    int rank() const { return rank_; }
    std::int64_t operator[](int axis) const { return sizes_[axis < 0 ? axis + rank_ : axis]; }
    std::int64_t& operator[](int axis) { return sizes_[axis < 0 ? axis + rank_ : axis]; }
    /// Number of elements; 1 for rank 0.
    std::int64_t elements() const;
    std::span<const std::int64_t> sizes() const { return {sizes_.data(), static_cast<std::size_t>(rank_)}; }
    const std::int64_t* begin() const { return sizes_.data(); }
    const std::int64_t* end() const { return sizes_.data() + rank_; }
    void push_back(std::int64_t size) {
        assert(rank_ < max_rank);
        sizes_[rank_++] = size;
    }
    friend bool operator==(const Shape& a, const Shape& b) {
        return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
    }

private:
    std::array<std::int64_t, max_rank> sizes_{};
    int rank_ = 0;
};

/// The shape as "[16, 3, 6, 10]".
std::string to_string(const Shape&);

/// A range of memory: an arena block of a backend, a mapped file, or plain host memory. Freed by its last owner.
class Buffer {
public:
    virtual ~Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    std::byte* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    /// The backend whose kernels can use this memory; null for host memory of no backend (files, inputs).
    Backend* backend() const { return backend_; }
    /// Tells that this range is not needed for now. A mapped file releases its pages, which are read again on access.
    virtual void drop_pages(std::size_t /*offset*/, std::size_t /*bytes*/) const {}

protected:
    Buffer(std::byte* data, std::size_t bytes, Backend* backend) : data_(data), bytes_(bytes), backend_(backend) {}
    std::byte* data_;
    std::size_t bytes_;
    Backend* backend_;
};

/// A view of a Buffer with a shape, strides (in elements) and a dtype. Copying a Tensor shares the memory; negative
/// axes count from the end. A view may be a column block of QKV, a head, or a frame of [C,T,h,w].
class Tensor {
public:
    Tensor() = default;
    /// A dense view of `buffer` from `byte_offset` on. With block dtypes, the last axis counts elements.
    Tensor(std::shared_ptr<Buffer> buffer, std::size_t byte_offset, Shape shape, DType dtype);

    /// Uninitialised host memory that belongs to no backend (64-byte aligned).
    static Tensor host(Shape shape, DType dtype = DType::f32);
    static Tensor zeros(Shape shape, DType dtype = DType::f32);
    static Tensor from(std::span<const float> values, Shape shape);

    bool defined() const { return buffer_ != nullptr; }
    explicit operator bool() const { return defined(); }
    const Shape& shape() const { return shape_; }
    std::int64_t size(int axis) const { return shape_[axis]; }
    std::int64_t stride(int axis) const { return strides_[axis < 0 ? axis + shape_.rank() : axis]; }
    int rank() const { return shape_.rank(); }
    std::int64_t elements() const { return shape_.elements(); }
    DType dtype() const { return dtype_; }
    Backend* backend() const { return buffer_ ? buffer_->backend() : nullptr; }
    const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
    bool is_contiguous() const;
    /// Bytes of a dense copy.
    std::size_t bytes() const;

    std::byte* raw() const { return buffer_->data() + offset_; }
    template <class T> T* data() const { return reinterpret_cast<T*>(raw()); }
    /// All elements of a contiguous host tensor.
    template <class T> std::span<T> span() const {
        assert(is_contiguous());
        return {data<T>(), static_cast<std::size_t>(elements())};
    }

    // Views, which copy nothing. Block dtypes allow only slices of the first axis and reshapes that keep the last one.
    Tensor slice(int axis, std::int64_t begin, std::int64_t end) const;
    Tensor select(int axis, std::int64_t index) const; ///< removes the axis
    Tensor reshape(Shape shape) const;                 ///< throws std::logic_error if strides do not allow it
    Tensor permute(std::initializer_list<int> axes) const;
    Tensor unsqueeze(int axis) const;
    /// An axis of size 1 repeated `count` times (stride 0), for the other side of an elementwise op or the source of a
    /// copy.
    Tensor expand(int axis, std::int64_t count) const {
        Tensor view = *this;
        const int a = axis < 0 ? axis + rank() : axis;
        assert(shape_[a] == 1);
        view.shape_[a] = count;
        view.strides_[static_cast<std::size_t>(a)] = 0;
        return view;
    }
    /// Axis `axis` split in two: [.., a*b, ..] -> [.., a, b, ..]; `inner` = b. Works on any strides.
    Tensor split(int axis, std::int64_t inner) const;

    /// A dense f32 copy, or the tensor itself if it already is dense f32. Host tensors only, of any dtype and strides
    /// (block dtypes: dense).
    Tensor to_host_f32() const;

private:
    std::shared_ptr<Buffer> buffer_;
    std::size_t offset_ = 0; ///< in bytes
    Shape shape_;
    std::array<std::int64_t, Shape::max_rank> strides_{};
    DType dtype_ = DType::f32;
};

/// A dense copy of a host tensor of any strides.
Tensor clone(const Tensor&);
/// Copies the values of `host` to `to`, last axis fastest; dense runs are copied as a whole.
void copy_dense(const Tensor& host, std::byte* to);
/// The same for an array of any rank. `strides` are in elements.
void copy_dense(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, int element_bytes,
                const std::byte* from, std::byte* to);

/// The bytes of a dense tensor with a shape from a file. Throws std::overflow_error if a size is negative, the product
/// does not fit, or the last axis does not hold whole blocks.
std::size_t checked_bytes(const Shape& shape, DType dtype);

} // namespace denoir

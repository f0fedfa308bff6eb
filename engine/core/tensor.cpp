// SPDX-License-Identifier: Apache-2.0
#include "engine/core/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>

#include "engine/core/error.h"

namespace denoir {
namespace {

using Strides = std::array<std::int64_t, Shape::max_rank>;

class HostBuffer final : public Buffer {
public:
    explicit HostBuffer(std::size_t bytes) : Buffer(allocate(bytes), bytes, nullptr) {}
    ~HostBuffer() override { ::operator delete(data_, alignment); }

private:
    static constexpr std::align_val_t alignment{64};

    static std::byte* allocate(std::size_t bytes) {
        void* memory = ::operator new(std::max<std::size_t>(bytes, 1), alignment, std::nothrow);
        if (!memory)
            throw Error("", "memory", fmt::format("cannot allocate {} MiB more", (bytes >> 20) + 1),
                        "use a smaller size or fewer frames, or close other programs");
        return static_cast<std::byte*>(memory);
    }
};

Strides dense_strides(const Shape& shape) {
    Strides strides{};
    std::int64_t next = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        strides[static_cast<std::size_t>(axis)] = next;
        // Only an empty tensor may have such large axes; its strides are never used.
        if (__builtin_mul_overflow(next, std::max<std::int64_t>(shape[axis], 1), &next)) return {};
    }
    return strides;
}

/// The bytes of `elements` that lie densely in memory; for block types these must be whole blocks.
std::size_t span_bytes(std::int64_t elements, DType dtype) {
    const DTypeInfo& type = info(dtype);
    assert(elements % type.block_elements == 0);
    return static_cast<std::size_t>(elements / type.block_elements * type.block_bytes);
}

/// Neighbouring axes that can be treated as one.
struct Run {
    std::int64_t elements, stride;
};

/// The runs of a tensor, the fastest first. Axes of size 1 do not count.
std::vector<Run> runs_of(const Shape& shape, const Strides& strides) {
    std::vector<Run> runs;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        const std::int64_t size = shape[axis], stride = strides[static_cast<std::size_t>(axis)];
        if (size == 1) continue;
        if (!runs.empty() && stride == runs.back().elements * runs.back().stride)
            runs.back().elements *= size;
        else
            runs.push_back({size, stride});
    }
    return runs;
}

/// The strides with which the elements of `from` have the shape `to`. Empty if that needs a copy: each new axis must
/// lie within one run.
std::optional<Strides> strides_for(const Shape& from, const Strides& strides, const Shape& to) {
    if (from.elements() == 0) return dense_strides(to);
    const std::vector<Run> runs = runs_of(from, strides);
    Strides out{};
    std::size_t current = 0;
    std::int64_t used = 1;
    for (int axis = to.rank() - 1; axis >= 0; --axis) {
        if (to[axis] != 1 && current < runs.size() && used == runs[current].elements) {
            ++current;
            used = 1;
        }
        const Run run = current < runs.size() ? runs[current] : Run{1, 1};
        out[static_cast<std::size_t>(axis)] = used * run.stride;
        if (to[axis] == 1) continue;
        if (run.elements / used % to[axis] != 0) return std::nullopt;
        used *= to[axis];
    }
    return out;
}

/// Calls row(in, out) for each row along the last axis, with the byte offset of its first element and the index of its
/// first element in a dense copy.
template <class F> void each_row(const Shape& shape, const Strides& strides, std::int64_t element_size, F row) {
    const int rank = shape.rank();
    const std::int64_t width = rank ? shape[-1] : 1, rows = width ? shape.elements() / width : 0;
    std::array<std::int64_t, Shape::max_rank> index{};
    std::int64_t offset = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        row(offset * element_size, r * width);
        for (int axis = rank - 2; axis >= 0; --axis) { // advances the index, the slowest axis last
            const auto a = static_cast<std::size_t>(axis);
            offset += strides[a];
            if (++index[a] < shape[axis]) break;
            offset -= strides[a] * shape[axis];
            index[a] = 0;
        }
    }
}

} // namespace

Shape::Shape(std::initializer_list<std::int64_t> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const std::int64_t> sizes) : rank_(static_cast<int>(sizes.size())) {
    assert(sizes.size() <= max_rank);
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
}

std::int64_t Shape::elements() const {
    // In an empty tensor of a file the other axes may be of any size, and their product may not fit.
    if (std::find(begin(), end(), 0) != end()) return 0;
    std::int64_t product = 1;
    for (const std::int64_t size : *this) product *= size;
    return product;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", ")); }

void copy_dense(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, int element_bytes,
                const std::byte* from, std::byte* to) {
    std::int64_t run = 1, runs = 1; // elements of a dense run, and number of runs
    std::size_t outer = shape.size();
    for (; outer > 0 && (strides[outer - 1] == run || shape[outer - 1] == 1); --outer) run *= shape[outer - 1];
    for (std::size_t axis = 0; axis < outer; ++axis) runs *= shape[axis];
    const auto bytes = static_cast<std::size_t>(run * element_bytes);
    if (bytes == 0) return;
    std::vector<std::int64_t> at(outer);
    for (; runs > 0; --runs, to += bytes) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < outer; ++axis) offset += at[axis] * strides[axis];
        std::memcpy(to, from + offset * element_bytes, bytes);
        for (std::size_t axis = outer; axis > 0 && ++at[axis - 1] == shape[axis - 1]; --axis) at[axis - 1] = 0;
    }
}

void copy_dense(const Tensor& host, std::byte* to) {
    if (host.is_contiguous()) { // also of block types
        std::memcpy(to, host.raw(), host.bytes());
        return;
    }
    std::array<std::int64_t, Shape::max_rank> strides{};
    for (int axis = 0; axis < host.rank(); ++axis) strides[static_cast<std::size_t>(axis)] = host.stride(axis);
    copy_dense(host.shape().sizes(), strides, element_bytes(host.dtype()), host.raw(), to);
}

Tensor clone(const Tensor& t) {
    Tensor copy = Tensor::host(t.shape(), t.dtype());
    copy_dense(t, copy.raw());
    return copy;
}

std::size_t checked_bytes(const Shape& shape, DType dtype) {
    const DTypeInfo& type = info(dtype);
    std::int64_t elements = 1;
    bool fits = true, empty = false;
    for (const std::int64_t size : shape) {
        fits = fits && size >= 0;
        empty = empty || size == 0;
    }
    for (const std::int64_t size : shape) fits = fits && (empty || !__builtin_mul_overflow(elements, size, &elements));
    if (empty) elements = 0;
    fits = fits && (type.block_elements == 1 || (shape.rank() > 0 && shape[-1] % type.block_elements == 0));
    std::int64_t bytes = 0;
    if (!fits || __builtin_mul_overflow(elements / type.block_elements, std::int64_t{type.block_bytes}, &bytes))
        throw std::overflow_error("tensor size");
    return static_cast<std::size_t>(bytes);
}

Tensor::Tensor(std::shared_ptr<Buffer> buffer, std::size_t byte_offset, Shape shape, DType dtype)
    : buffer_(std::move(buffer)), offset_(byte_offset), shape_(shape), strides_(dense_strides(shape)), dtype_(dtype) {
    assert(buffer_ && offset_ <= buffer_->bytes() && checked_bytes(shape_, dtype_) <= buffer_->bytes() - offset_);
}

Tensor Tensor::host(Shape shape, DType dtype) {
    return {std::make_shared<HostBuffer>(checked_bytes(shape, dtype)), 0, shape, dtype};
}

Tensor Tensor::zeros(Shape shape, DType dtype) {
    Tensor out = host(shape, dtype);
    std::fill_n(out.raw(), out.bytes(), std::byte{0});
    return out;
}

Tensor Tensor::from(std::span<const float> values, Shape shape) {
    assert(static_cast<std::int64_t>(values.size()) == shape.elements());
    Tensor out = host(shape);
    std::copy(values.begin(), values.end(), out.data<float>());
    return out;
}

bool Tensor::is_contiguous() const {
    if (elements() == 0) return true;
    std::int64_t next = 1;
    for (int axis = rank() - 1; axis >= 0; --axis) {
        if (size(axis) != 1 && stride(axis) != next) return false;
        next *= size(axis);
    }
    return true;
}

std::size_t Tensor::bytes() const { return checked_bytes(shape_, dtype_); }

Tensor Tensor::slice(int axis, std::int64_t begin, std::int64_t end) const {
    if (axis < 0) axis += rank();
    assert(axis >= 0 && axis < rank() && 0 <= begin && begin <= end && end <= size(axis));
    Tensor out = *this;
    out.shape_[axis] = end - begin;
    out.offset_ += span_bytes(begin * stride(axis), dtype_);
    return out;
}

Tensor Tensor::select(int axis, std::int64_t index) const {
    if (axis < 0) axis += rank();
    const Tensor one = slice(axis, index, index + 1);
    Tensor out = one;
    out.shape_ = {};
    for (int i = 0, to = 0; i < rank(); ++i) {
        if (i == axis) continue;
        out.shape_.push_back(one.size(i));
        out.strides_[static_cast<std::size_t>(to++)] = one.stride(i);
    }
    return out;
}

Tensor Tensor::reshape(Shape shape) const {
    const auto strides = shape.elements() == elements() ? strides_for(shape_, strides_, shape) : std::nullopt;
    // Not an assertion, since going on would read other elements, or memory that is not ours.
    if (!strides) throw std::logic_error("reshape " + to_string(shape_) + " -> " + to_string(shape) + " needs a copy");
    assert(!is_block(dtype_) || shape[-1] == shape_[-1]);
    Tensor out = *this;
    out.shape_ = shape;
    out.strides_ = *strides;
    return out;
}

Tensor Tensor::permute(std::initializer_list<int> axes) const {
    assert(static_cast<int>(axes.size()) == rank() && !is_block(dtype_));
    Tensor out = *this;
    int to = 0;
    for (int axis : axes) {
        if (axis < 0) axis += rank();
        assert(std::count(axes.begin(), axes.end(), axis) + std::count(axes.begin(), axes.end(), axis - rank()) == 1);
        out.shape_[to] = size(axis);
        out.strides_[static_cast<std::size_t>(to++)] = stride(axis);
    }
    return out;
}

Tensor Tensor::unsqueeze(int axis) const {
    if (axis < 0) axis += rank() + 1;
    assert(axis >= 0 && axis <= rank() && rank() < Shape::max_rank);
    Tensor out = *this;
    out.shape_.push_back(1);
    for (int i = rank(); i > axis; --i) {
        out.shape_[i] = size(i - 1);
        out.strides_[static_cast<std::size_t>(i)] = stride(i - 1);
    }
    out.shape_[axis] = 1;
    out.strides_[static_cast<std::size_t>(axis)] = axis < rank() ? size(axis) * stride(axis) : 1;
    return out;
}

Tensor Tensor::split(int axis, std::int64_t inner) const {
    if (axis < 0) axis += rank();
    assert(axis >= 0 && axis < rank() && inner > 0 && size(axis) % inner == 0 && !is_block(dtype_));
    Tensor out = unsqueeze(axis);
    out.shape_[axis] = size(axis) / inner;
    out.shape_[axis + 1] = inner;
    out.strides_[static_cast<std::size_t>(axis)] = inner * stride(axis);
    return out;
}

Tensor Tensor::to_host_f32() const {
    const bool dense = is_contiguous();
    if (dense && dtype_ == DType::f32) return *this;
    Tensor out = host(shape_);
    auto* values = out.data<float>();
    if (dense) {
        to_f32(dtype_, raw(), values, elements());
        return out;
    }
    assert(!is_block(dtype_));
    const std::int64_t width = size(-1), bytes = element_bytes(dtype_), step = stride(-1) * bytes;
    std::vector<std::byte> row(step == bytes ? 0 : static_cast<std::size_t>(width * bytes));
    each_row(shape_, strides_, bytes, [&](std::int64_t offset, std::int64_t index) {
        const std::byte* from = raw() + offset;
        for (std::int64_t i = 0; !row.empty() && i < width; ++i)
            std::memcpy(row.data() + i * bytes, from + i * step, static_cast<std::size_t>(bytes));
        to_f32(dtype_, row.empty() ? from : row.data(), values + index, width);
    });
    return out;
}

} // namespace denoir

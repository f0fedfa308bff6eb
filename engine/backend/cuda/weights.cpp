// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cassert>
#include <cstring>

#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/memory_plan.h"
#include "engine/backend/weight_changes.h"
#include "engine/core/memory.h"

namespace denoir::cuda {
namespace {

/// A weight that is on the card, or that is streamed to it.
struct Prepared {
    Tensor resident;
    std::shared_ptr<const StreamedWeight> streamed;
};

/// Matrices as they are stored, stacked by rows.
struct StoredRows {
    struct Part {
        Tensor stored, scale;
        std::vector<WeightChange> changes;
        std::int64_t count;
        bool is(DType dtype) const { return stored.dtype() == dtype && !scale && changes.empty(); }
    };
    std::vector<Part> parts;
    std::int64_t count = 0, columns = 0;

    void append(const Weight& w) {
        const std::int64_t rows = w.shape().rank() > 0 ? w.shape()[0] : 1;
        columns = w.stored().elements() / std::max<std::int64_t>(1, rows);
        parts.push_back({w.stored(), w.scale, w.changes, rows});
        count += rows;
    }
    explicit StoredRows(const Weight& w) { append(w); }
    explicit StoredRows(std::span<const LinearLayer> layers) {
        for (const LinearLayer& layer : layers) {
            append(*layer.weight);
            assert(columns * parts.back().count == layer.weight->stored().elements() &&
                   columns * parts[0].count == parts[0].stored.elements());
        }
    }
    std::size_t row_bytes(DType dtype) const { return static_cast<std::size_t>(columns * element_bytes(dtype)); }
    /// Whether it is a single matrix that is stored in this form.
    bool is(DType dtype) const { return parts.size() == 1 && parts[0].is(dtype); }
};

/// Writes the stored rows [begin, end) as f32 or bf16, with the scale of 8-bit files multiplied in and changes added.
/// `scales`, `changes`: those of the part, in f32.
void read_rows(const StoredRows::Part& part, const Tensor& scales, const ChangedRows& changes, std::int64_t begin,
               std::int64_t end, std::int64_t columns, DType to, std::byte* out) {
    const Tensor& stored = part.stored;
    const DTypeInfo& from = info(stored.dtype());
    const std::int64_t row_bytes = columns / from.block_elements * from.block_bytes;
    std::vector<float> row(to == DType::f32 ? 0 : static_cast<std::size_t>(columns));
    for (std::int64_t r = begin; r < end; ++r, out += columns * element_bytes(to)) {
        float* values = to == DType::f32 ? reinterpret_cast<float*>(out) : row.data();
        to_f32(stored.dtype(), stored.raw() + r * row_bytes, values, columns);
        if (scales) {
            const float scale = scales.data<float>()[scales.elements() > 1 ? r : 0];
            for (std::int64_t i = 0; i < columns; ++i) values[i] *= scale;
        }
        changes.add(r, columns, 0, columns, values);
        if (to != DType::f32) from_f32(to, values, out, columns);
    }
}

/// A function that reads rows of all parts as `dtype`.
ReadRows reader(const StoredRows& rows, DType dtype) {
    struct Part {
        StoredRows::Part part;
        Tensor scales;
        ChangedRows changes;
        std::int64_t first; ///< its first row among all
    };
    auto parts = std::make_shared<std::vector<Part>>();
    std::int64_t first = 0;
    for (const StoredRows::Part& part : rows.parts) {
        parts->push_back({part, part.scale ? part.scale.to_host_f32() : Tensor(),
                          ChangedRows(part.changes, part.stored.dtype(), part.scale.defined()), first});
        first += part.count;
    }
    return [parts, columns = rows.columns, row_bytes = rows.row_bytes(dtype), dtype](std::int64_t begin,
                                                                                     std::int64_t end, std::byte* to) {
        for (const Part& p : *parts) {
            const std::int64_t from = std::max(begin - p.first, std::int64_t{0}),
                               until = std::min(end - p.first, p.part.count);
            if (from >= until) continue;
            const std::size_t bytes = static_cast<std::size_t>(until - from) * row_bytes;
            if (p.part.is(dtype))
                std::memcpy(to, p.part.stored.raw() + static_cast<std::size_t>(from) * row_bytes, bytes);
            else
                read_rows(p.part, p.scales, p.changes, from, until, columns, dtype, to);
            to += bytes;
        }
    };
}

} // namespace

std::shared_ptr<void>& CudaBackend::kept(const Weight& w, std::string_view use) {
    return w.prepared[fmt::format("cuda{}.{}", options_.index, use)];
}

std::shared_ptr<void>& CudaBackend::kept(Layers layers, std::string_view use) {
    if (layers.size() == 1) return kept(*layers[0].weight, use);
    return kept(*layers[0].weight, fmt::format("{} of {}", use, layers.size()));
}

Tensor CudaBackend::convert(const Weight& w, DType dtype) {
    const StoredRows rows(w);
    if (rows.is(dtype)) return w.stored().reshape({rows.count, rows.columns});
    Tensor out = Tensor::host({rows.count, rows.columns}, dtype);
    read_all(pool_, rows.count, rows.row_bytes(dtype), reader(rows, dtype), out.raw());
    return out;
}

Tensor CudaBackend::load(Layers layers, DType dtype) {
    const StoredRows rows(layers);
    Tensor out = allocate({rows.count, rows.columns}, dtype);
    staging_.copy(out.raw(), rows.count, rows.row_bytes(dtype), reader(rows, dtype), Runtime::Queue::compute);
    return out;
}

Tensor CudaBackend::load(const Weight& w, DType dtype) {
    const LinearLayer alone{&w, nullptr};
    return load({&alone, 1}, dtype);
}

Tensor CudaBackend::matrix(Layers layers, DType dtype) {
    auto& slot = kept(layers, dtype == DType::bf16 ? "matrix.bf16" : "matrix.f32");
    if (!slot) {
        const Borrowed to_stay(*this, *weight_arena_);
        auto made = std::make_shared<Prepared>();
        const StoredRows rows(layers);
        const Shape shape{rows.count, rows.columns};
        const std::size_t bytes = checked_bytes(shape, dtype);
        bool file_is_read_again = false;
        if (stream_.active() && bytes > resident_left_) {
            const auto source = [rows, dtype] { return reader(rows, dtype); };
            made->streamed = std::make_shared<const StreamedWeight>(runtime_, pool_, shape, dtype, source,
                                                                    !once_ && host_has(bytes, available_memory()));
            file_is_read_again = !made->streamed->pinned();
        } else {
            made->resident = load(layers, dtype);
            if (stream_.active()) resident_left_ -= bytes;
        }
        if (!file_is_read_again)
            for (const LinearLayer& layer : layers) drop_stored_pages(*layer.weight);
        slot = made;
    }
    const Prepared& prepared = *std::static_pointer_cast<Prepared>(slot);
    if (prepared.resident) return prepared.resident;
    if (!stream_.active()) { // memory has been planned anew since, without streaming
        const Borrowed to_stay(*this, *weight_arena_);
        const auto streamed = prepared.streamed;
        Tensor there = allocate(streamed->shape(), streamed->dtype());
        streamed->copy(there.raw(), staging_, Runtime::Queue::compute);
        runtime_->wait(); // before its pinned memory is given back
        slot = std::make_shared<Prepared>(Prepared{there, nullptr});
        return there;
    }
    return stream_.fetch(prepared.streamed);
}

Tensor CudaBackend::taps_first(const Weight& w, DType dtype, std::span<const int> stacked) {
    auto& slot = kept(w, fmt::format("taps.{}.{}", dtype == DType::bf16 ? "bf16" : "f32", fmt::join(stacked, ",")));
    if (!slot) {
        const Borrowed to_stay(*this, *weight_arena_);
        const Shape& s = w.shape();
        const std::int64_t time = s.rank() == 5 ? s[2] : 1;
        const Tensor whole = load(w, dtype).reshape({s[0], s[1], time, s[-2], s[-1]}),
                     stored = stacked.empty() ? whole.permute({0, 2, 3, 4, 1}) : whole.permute({0, 3, 4, 2, 1});
        Tensor turned = allocate(stored.shape(), dtype);
        if (stacked.empty()) copy(stored, turned);
        for (std::size_t place = 0; place < stacked.size(); ++place) {
            Tensor frame = turned.select(3, static_cast<std::int64_t>(place));
            copy(stored.select(3, stacked[place]), frame);
        }
        drop_stored_pages(w);
        slot = std::make_shared<Tensor>(turned);
    }
    return *std::static_pointer_cast<Tensor>(slot);
}

Tensor CudaBackend::phase_taps(const Weight& w, DType dtype) {
    auto& slot = kept(w, dtype == DType::bf16 ? "phases.bf16" : "phases.f32");
    if (!slot) {
        const std::int64_t outputs = w.shape()[0], channels = w.shape()[1];
        const Tensor stored = convert(w, DType::f32);
        Tensor taps = Tensor::host({4 * outputs, 2, 2, channels});
        pool_.run(outputs, [&](std::int64_t o, int) {
            const float* from = stored.data<float>() + o * channels * 9;
            for (int phase = 0; phase < 4; ++phase) {
                float* to = taps.data<float>() + (phase * outputs + o) * 4 * channels;
                for (std::int64_t c = 0; c < channels; ++c) {
                    double sums[4] = {};
                    for (int y = 0; y < 3; ++y)
                        for (int x = 0; x < 3; ++x) {
                            // The taps see pixels 2i + parity - 1 … 2i + parity + 1 of the duplicated picture.
                            const int down = (y + 1 + phase / 2) / 2 - phase / 2,
                                      across = (x + 1 + phase % 2) / 2 - phase % 2;
                            sums[2 * down + across] += static_cast<double>(from[c * 9 + 3 * y + x]);
                        }
                    for (int tap = 0; tap < 4; ++tap) to[tap * channels + c] = static_cast<float>(sums[tap]);
                }
            }
        });
        Tensor there = taps;
        if (dtype != DType::f32) {
            there = Tensor::host(taps.shape(), dtype);
            from_f32(dtype, taps.data<float>(), there.raw(), taps.elements());
        }
        const Borrowed to_stay(*this, *weight_arena_);
        slot = std::make_shared<Tensor>(upload(there));
        drop_stored_pages(w);
    }
    return *std::static_pointer_cast<Tensor>(slot);
}

Tensor CudaBackend::parameter(const Weight& w, bool round_bf16) {
    auto& slot = kept(w, round_bf16 ? "f32.bf16" : "f32");
    if (!slot) {
        Tensor values = convert(w, DType::f32);
        if (round_bf16) {
            Tensor rounded = Tensor::host(values.shape());
            for (std::int64_t i = 0; i < values.elements(); ++i)
                rounded.data<float>()[i] = round_to_bf16(values.data<float>()[i]);
            values = rounded;
        }
        const Borrowed to_stay(*this, *weight_arena_);
        slot = std::make_shared<Tensor>(upload(values.reshape(w.shape())));
    }
    return *std::static_pointer_cast<Tensor>(slot);
}

CudaBackend::Bias CudaBackend::bias_of(const Weight* bias, DType compute) {
    if (!bias) return {};
    const bool round = compute == DType::bf16;
    const Tensor wide = parameter(*bias, round);
    if (!round) return {wide, wide};
    auto& slot = kept(*bias, "bias.bf16");
    if (!slot) {
        const Borrowed to_stay(*this, *weight_arena_);
        Tensor narrow = allocate(wide.shape(), DType::bf16);
        copy(wide, narrow);
        slot = std::make_shared<Tensor>(narrow);
    }
    return {wide, *std::static_pointer_cast<Tensor>(slot)};
}

CudaBackend::Bias CudaBackend::bias_of(Layers layers, DType compute) {
    if (layers.size() == 1 || !layers[0].bias) return bias_of(layers[0].bias, compute);
    auto& slot = kept(layers, compute == DType::bf16 ? "bias.bf16" : "bias.f32");
    if (!slot) {
        const Borrowed to_stay(*this, *weight_arena_);
        std::vector<Tensor> wide;
        std::int64_t count = 0;
        for (const LinearLayer& layer : layers) {
            wide.push_back(bias_of(layer.bias, compute).wide);
            count += wide.back().elements();
        }
        Bias all{allocate({count}, DType::f32), allocate({count}, compute)};
        std::int64_t at = 0;
        for (const Tensor& part : wide) {
            Tensor to = all.wide.slice(0, at, at + part.elements());
            copy(part.reshape(to.shape()), to);
            at += part.elements();
        }
        copy(all.wide, all.narrow);
        slot = std::make_shared<Bias>(all);
    }
    return *std::static_pointer_cast<Bias>(slot);
}

void CudaBackend::gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) {
    throw_if_stopped();
    if (out.elements() == 0) return;
    // A vocabulary is far larger than the few rows of a prompt: the host picks them.
    const StoredRows all(table);
    const Tensor scales = table.scale ? table.scale.to_host_f32() : Tensor();
    const ChangedRows changes(table.changes, table.stored().dtype(), table.scale.defined());
    Tensor picked = Tensor::host({static_cast<std::int64_t>(ids.size()), all.columns}, out.dtype());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        assert(ids[i] >= 0 && ids[i] < all.count);
        read_rows(all.parts[0], scales, changes, ids[i], ids[i] + 1, all.columns, out.dtype(),
                  picked.raw() + static_cast<std::int64_t>(i) * all.columns * element_bytes(out.dtype()));
    }
    copy(upload(picked), out);
}

} // namespace denoir::cuda

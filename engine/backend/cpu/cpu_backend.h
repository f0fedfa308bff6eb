// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/backend/backend.h"
#include "engine/backend/cpu/kernels.h"
#include "engine/core/arena.h"
#include "engine/core/memory.h"
#include "engine/core/thread_pool.h"

namespace denoir::cpu {

class OneDnnMatrix;
class WeightRows;
struct KernelShape;

/// The kernels on the host's processor. Every kernel divides its work into pieces that depend on shapes alone and runs
/// them on one pool, so that results are the same for any number of threads. Each op has its own file.
class CpuBackend : public Backend {
public:
    /// `available` returns the bytes that the host could give.
    explicit CpuBackend(
        int threads, std::function<std::size_t()> available = [] { return available_memory(); });

    Device device() const override { return {}; }
    bool fast_bf16() const override;
    /// The type of the packed copy that products of so many rows in `compute` keep of their weight in place of its
    /// stored form; empty if they keep none.
    static std::optional<DType> packed_type(DType compute, std::int64_t rows);
    int threads() const override { return pool_.threads(); }
    void set_stop(std::stop_token stop) override { pool_.set_stop(std::move(stop)); }

    Tensor empty(const Shape&, DType) override;
    Tensor upload(const Tensor& host) override;
    Tensor download(const Tensor&) override;
    MemoryStats memory() const override;
    void trim() override { arena_.trim(); }
    Tensor parameter(const Weight&, bool round_bf16) override;

    void copy(const Tensor& in, Tensor& out) override;
    void fill(Tensor& out, float value) override;
    void add(const Tensor& a, const Tensor& b, Tensor& out) override;
    void multiply(const Tensor& a, const Tensor& b, Tensor& out) override;
    void activate(Activation, const Tensor& in, Tensor& out) override;

    void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, Tensor& out) override;
    void gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) override;

    void layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, Tensor& out) override;
    void layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps,
                             Tensor& out) override;
    void rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions&, Tensor& out) override;
    void rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions&, const Rope&, int heads,
                       Tensor& out) override;
    void rope(const Tensor& x, const Rope&, int heads, Tensor& out) override;
    void gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) override;

    void attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, Tensor& out) override;
    void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
              const ConvOptions&, Tensor& out) override;
    void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) override;

private:
    /// attention() without AttentionOptions::added.
    void attend(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, Tensor& out);
    /// Calls body(begin, end, scratch) for consecutive ranges of [0, rows) of about 64 Ki elements each. `scratch`:
    /// `scratch_floats` floats of the thread's own memory.
    void each_rows(std::int64_t rows, std::int64_t elements_per_row, std::int64_t scratch_floats,
                   const std::function<void(std::int64_t begin, std::int64_t end, float* scratch)>& body);
    /// `floats` of f32 memory for each thread.
    class Scratch {
    public:
        Scratch(CpuBackend&, std::int64_t floats);
        float* of(int worker) const { return memory_.data<float>() + worker * floats_; }

    private:
        std::int64_t floats_;
        Tensor memory_;
    };
    using RowOperation = void (*)(const float*, const float*, float*, std::int64_t);
    void binary(RowOperation, const Tensor& a, const Tensor& b, Tensor& out);
    void linear_few_rows(const Tensor& x, const WeightRows&, const float* bias, const LinearOptions&, Tensor& out);
    /// `kept`: the result of linear_panels(), or undefined if each tile shall pack its part of the weight.
    void linear_tiles(const Tensor& x, const WeightRows&, const Tensor& kept, const float* bias, const LinearOptions&,
                      Tensor& out);
    void linear_packed(const Tensor& x, OneDnnMatrix&, const float* bias, const LinearOptions&, Tensor& out);
    std::shared_ptr<OneDnnMatrix> packed_weight(const Weight&, const WeightRows&, bool round);
    Tensor linear_panels(const Weight&, const WeightRows&);
    /// Packs panels (kernels.h) of n columns of Wᵀ, which are the weight's rows [column, column + n), for depth
    /// [k, k + count). `scratch`: memory for a panel of factors and, if these are bf16, for a row as f32.
    void pack_columns(const WeightRows&, std::int64_t column, std::int64_t n, std::int64_t k, std::int64_t count,
                      DType factors, float* scratch, std::byte* to) const;
    void keep(const Weight&, std::string_view use, std::shared_ptr<void> packed, std::int64_t bytes) const;
    const Weight& with_changes(const Weight&, bool round);
    bool multiplies_as_stored(const Weight&, std::int64_t depth, bool round) const;
    DType conv_factors(const KernelShape&, const ConvOptions&) const;
    Tensor conv_panels(const Weight&, const Shape& out, const ConvOptions&, DType factors);
    Tensor winograd_panels(const Weight&, const ConvOptions&);
    /// Writes the rotation of a token with every value twice to row [2 · D]: the cosines, then pairs (-sin, +sin).
    void widen_rotation(const Rope&, std::int64_t token, float* row) const;

    Arena arena_;
    ThreadPool pool_;
    const Kernels& kernels_;
    std::function<std::size_t()> available_;
};

} // namespace denoir::cpu

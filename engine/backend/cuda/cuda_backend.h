// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/backend/cuda/blas.h"
#include "engine/backend/cuda/dnn.h"
#include "engine/backend/cuda/eight_bit.h"
#include "engine/backend/cuda/kernels/elementwise.h"
#include "engine/backend/cuda/kernels/rows.h"
#include "engine/backend/cuda/runtime.h"
#include "engine/backend/cuda/staging.h"
#include "engine/backend/cuda/weight_stream.h"
#include "engine/core/arena.h"
#include "engine/core/thread_pool.h"

namespace denoir::cuda {

/// Device memory asked from the driver by all arenas of a backend.
struct DeviceUse {
    std::size_t limit = ~std::size_t{0}; ///< the most that `held` may be
    std::atomic<std::size_t> held{0}, peak{0}, allocations{0};
};

/// The kernels on one card. They are submitted to one queue and run in that order, so memory that a tensor gives back
/// may be used again at once. If NVIDIA's libraries are missing, our own plain kernels do their work, more slowly.
class CudaBackend final : public Backend {
public:
    struct Options {
        int index = 0;
        int threads = 0;          ///< of the host, which read weights
        Backend* owner = nullptr; ///< the backend that tensors belong to; null: this one
        std::unique_ptr<Blas> blas;
        std::unique_ptr<Dnn> dnn;
        EightBit eight_bit = EightBit::off; ///< how large linear layers in bf16 are computed
        bool record = true;                 ///< whether captured() records kernels and replays them
        std::size_t memory = 0;             ///< the most bytes to hold, as on a smaller card; 0: no limit
        /// The size of what is made and used in pieces of some rows: the scores of plain attention, the sums of int8.
        std::int64_t piece_bytes = std::int64_t{256} << 20;
        // For tests and tools on a card:
        bool poison = false; ///< every block is filled with NaN at first
        bool exact = false;  ///< every block is an allocation of its own (Fit::apart), and nothing is recorded
    };
    CudaBackend(std::shared_ptr<Runtime>, Options);
    ~CudaBackend() override;

    Device device() const override { return {Device::Kind::cuda, options_.index}; }
    bool fast_bf16() const override { return true; }
    bool keeps_memory() const override { return true; } // to give memory back makes the card wait
    bool streams_weights() const override { return true; }
    int threads() const override { return pool_.threads(); }
    void set_stop(std::stop_token stop) override;

    Tensor empty(const Shape&, DType) override;
    Tensor upload(const Tensor& host) override;
    Tensor download(const Tensor&) override;
    Tensor download_later(const Tensor&) override;
    void finish(const Tensor& host) override;
    MemoryStats memory() const override;
    std::size_t free_memory() override;
    void trim() override;
    std::string plan_memory(const MemoryNeeds&) override;
    Tensor parameter(const Weight&, bool round_bf16) override;
    Tensor captured(const std::string& key, std::span<const Tensor> inputs, const Body& body) override;

    void copy(const Tensor& in, Tensor& out) override;
    void fill(Tensor& out, float value) override;
    void add(const Tensor& a, const Tensor& b, Tensor& out) override;
    void multiply(const Tensor& a, const Tensor& b, Tensor& out) override;
    void activate(Activation, const Tensor& in, Tensor& out) override;

    void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&, Tensor& out) override;
    std::vector<Tensor> linear_joined(const Tensor& x, std::span<const LinearLayer> layers,
                                      const LinearOptions&) override;
    void gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) override;

    void layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps, Tensor& out) override;
    void layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps,
                             Tensor& out) override;
    void rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions&, Tensor& out) override;
    void rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions&, const Rope&, int heads,
                       Tensor& out) override;
    void rope(const Tensor& x, const Rope&, int heads, Tensor& out) override;
    void gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) override;
    void add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions&, Tensor& sum,
                        Tensor& out) override;

    void attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, Tensor& out) override;
    void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
              const ConvOptions&, Tensor& out) override;
    bool wants_frames_side_by_side(const Weight& w, const ConvOptions&) const override;
    void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) override;

    /// For tests, which make its allocations fail (Arena::fail_system_allocation).
    Arena& arena() { return *arena_; }

private:
    /// While it exists, allocations go to another arena.
    class Borrowed {
    public:
        Borrowed(CudaBackend& backend, Arena& to) : current_(backend.arena_), before_(current_) { current_ = &to; }
        ~Borrowed() { current_ = before_; }
        Borrowed(const Borrowed&) = delete;

    private:
        Arena*& current_;
        Arena* before_;
    };
    struct Recording;
    void record(Recording&, std::span<const Tensor> inputs, const Body& body);
    void take_in(Recording&, std::span<const Tensor> inputs);
    /// Reserves the memory that was planned for activations as one piece: scattered pieces would add up to more.
    void make_room();
    Backend* self() { return options_.owner ? options_.owner : this; }
    void throw_if_stopped() const;
    /// Waits until done() is true. Throws Cancelled: a person who cancels need not wait for the card.
    void wait_until(const std::function<bool()>& done) const;
    void wait();
    /// A copy between the card and the host that may still run. Until it is done, it holds the tensors whose memory
    /// nothing else keeps from being used again.
    struct Copy {
        Tensor host, device;
        int mark;
    };
    void started(std::deque<Copy>& copies, Copy, Runtime::Queue);
    void ended(std::deque<Copy>& copies);
    /// x if it is on this card, otherwise an uploaded copy.
    Tensor here(const Tensor& x) { return x.backend() == self() ? x : upload(x); }
    /// x on this card, of type `dtype` and with a last stride of 1: x itself if it is that, otherwise a copy.
    Tensor as(const Tensor& x, DType dtype);
    Tensor allocate(const Shape&, DType);
    Tensor contiguous_copy(const Tensor&);

    // Weights (weights.cpp).
    using Layers = std::span<const LinearLayer>;
    /// The layers' weights stacked by rows, [rows, columns], in f32 or bf16; made on first use and kept.
    Tensor matrix(Layers, DType);
    /// The same in new memory, which is not kept. When it returns, every row has been read: the file's pages may go.
    Tensor load(Layers, DType);
    Tensor load(const Weight&, DType);
    /// A convolution's weight as [O, kt, kh, kw, C]; with `stacked`, as [O, kh, kw, kt, C] for frames in this order.
    Tensor taps_first(const Weight&, DType, std::span<const int> stacked = {});
    /// The weight of conv_in_phases(), [4·O, 2, 2, C], made from that of a 3x3 convolution of a duplicated picture.
    /// Duplication makes four pixels of each one; for each of the four, taps that meet on one original pixel are added.
    Tensor phase_taps(const Weight&, DType);
    /// The weight in host memory, [rows, columns]: the stored tensor itself if it has this type already.
    Tensor convert(const Weight&, DType);
    /// What this card keeps with a weight for one use; null at first.
    std::shared_ptr<void>& kept(const Weight&, std::string_view use);
    /// The same for several layers together; it is kept with the first of them.
    std::shared_ptr<void>& kept(Layers, std::string_view use);
    /// A bias in f32 and, for the libraries, in the type of the computation.
    struct Bias {
        Tensor wide, narrow;
    };
    Bias bias_of(const Weight*, DType compute);
    /// The layers' biases one after the other.
    Bias bias_of(Layers, DType compute);

    void linear(const Tensor& x, Layers, const LinearOptions&, Tensor& out);
    void product(Product&, Tensor& c);
    bool linear_eight_bit(const Tensor& x, Layers, const Bias&, Tensor& out);
    /// A matrix in 8-bit values, [rows, columns], each row with its scale in f32, [rows].
    struct EightBitRows {
        Tensor values, scales;
    };
    EightBitRows quantised(const Tensor& matrix);
    /// The layers' weights stacked by rows; made on first use and kept. Null if the card has no room to keep them.
    std::shared_ptr<EightBitRows> eight_bit_weight(Layers, std::int64_t rows, std::int64_t columns);
    void forget_eight_bit_weight(Layers, std::int64_t rows, std::int64_t columns);
    bool multiply_eight_bit_in_library(const EightBitProduct&);
    bool refuse_eight_bit(std::int64_t k, std::int64_t n);
    void rms(RmsNorm&, const Tensor& x, const Tensor& out);

    bool attention_fused(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, Tensor& log_sum,
                         Tensor& out);
    void join_last_key(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&,
                       const Tensor& log_sum, const Tensor& added, Tensor& out);
    void attention_plain(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&, Tensor& out);
    struct ConvCall;
    /// Whether the library is asked for this convolution at all.
    bool fuses(const Weight& w, const ConvOptions&) const;
    bool stacks(const Weight& w, const ConvOptions&) const;
    void conv_frame(const ConvCall&, const Tensor* residual, Tensor& out);
    bool conv_fused(const ConvCall&, const Tensor* residual, Tensor& out);
    bool conv_in_phases(const ConvCall&, Tensor& out);
    Tensor zero_padded(const Tensor& x, std::int64_t rows);
    void conv_plain(const ConvCall&, Tensor& out);
    Dnn::Caller dnn_caller(Tensor& workspace);

    std::shared_ptr<Runtime> runtime_;
    Options options_;
    ThreadPool pool_;
    std::stop_token stop_;
    std::shared_ptr<DeviceUse> use_;
    /// What stays for long has arenas of its own: between activations it would keep their memory from being given back.
    std::unique_ptr<Arena> own_arena_, weight_arena_, recording_arena_;
    Arena* arena_; ///< own_arena_ unless another one is Borrowed
    Tensor blas_workspace_;
    std::set<std::pair<std::int64_t, std::int64_t>> refused_eight_bit_; ///< k, n of products that the library cannot do
    std::map<std::string, std::unique_ptr<Recording>, std::less<>> recordings_;
    Arena pinned_;
    Staging staging_;
    WeightStream stream_;
    std::deque<Copy> uploads_, downloads_; ///< in the order of their start
    std::vector<int> free_marks_;
    std::size_t resident_left_ = ~std::size_t{0}; ///< bytes of weights that may still stay
    bool once_ = false;                           ///< MemoryNeeds::once
    std::size_t activations_ = 0;                 ///< MemoryNeeds::activations; 0: not known
};

/// Pinned host memory for an arena.
SystemMemory pinned_memory(std::shared_ptr<Runtime>);

/// Where device memory of an arena comes from.
SystemMemory device_memory(std::shared_ptr<Runtime>, std::shared_ptr<DeviceUse>);

} // namespace denoir::cuda

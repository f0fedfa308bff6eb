// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "engine/backend/backend.h"

// The border between the program and the CUDA module, a library that is opened at run time. It has one entry, which
// checks that both sides were built together. Values and tensors cross the border; exceptions do not: each call says
// how it ended. Both sides share the core library.
namespace denoir::cuda {

/// Changes whenever an interface in this header does.
inline constexpr std::uint32_t module_abi = 5;
inline constexpr const char* module_entry = "denoir_cuda_open";

/// How a call ended.
struct Outcome {
    enum class Kind : int {
        done,
        error,       ///< an Error with the four texts below
        usage_error, ///< a UsageError with them
        cancelled,   ///< the stop token was set
        body_failed  ///< a function that the caller gave has failed; the caller knows why
    } kind = Kind::done;
    std::string file, field, message, hint;
};

/// What the program gives to the module.
struct HostServices {
    void (*log_info)(const char* line) = nullptr; ///< never null; does not throw
};

/// The backend of one card on the other side of the border; each function does what it does in Backend.
class ModuleBackend {
public:
    virtual ~ModuleBackend() = default;
    /// body(inputs, result): false if it failed.
    using ModuleBody = std::function<bool(std::span<const Tensor> inputs, Tensor& result)>;

    virtual std::string libraries() const noexcept = 0; ///< for people: which libraries were found
    virtual bool fast_bf16() const noexcept = 0;
    virtual int threads() const noexcept = 0;
    virtual void set_stop(std::stop_token) noexcept = 0;
    virtual Outcome empty(const Shape&, DType, Tensor& result) noexcept = 0;
    virtual Outcome upload(const Tensor& host, Tensor& result) noexcept = 0;
    virtual Outcome download(const Tensor&, Tensor& result) noexcept = 0;
    virtual Outcome download_later(const Tensor&, Tensor& result) noexcept = 0;
    virtual Outcome finish(const Tensor& host) noexcept = 0;
    virtual Backend::MemoryStats memory() const noexcept = 0;
    virtual Outcome free_memory(std::size_t& result) noexcept = 0;
    virtual Outcome trim() noexcept = 0;
    virtual Outcome plan_memory(const MemoryNeeds&, std::string& result) noexcept = 0;
    virtual Outcome captured(const std::string& key, std::span<const Tensor> inputs, const ModuleBody&,
                             Tensor& result) noexcept = 0;
    virtual Outcome parameter(const Weight&, bool round_bf16, Tensor& result) noexcept = 0;
    virtual Outcome copy(const Tensor& in, Tensor& out) noexcept = 0;
    virtual Outcome fill(Tensor& out, float value) noexcept = 0;
    virtual Outcome add(const Tensor& a, const Tensor& b, Tensor& out) noexcept = 0;
    virtual Outcome multiply(const Tensor& a, const Tensor& b, Tensor& out) noexcept = 0;
    virtual Outcome activate(Activation, const Tensor& in, Tensor& out) noexcept = 0;
    virtual Outcome linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions&,
                           Tensor& out) noexcept = 0;
    virtual Outcome linear_joined(const Tensor& x, std::span<const LinearLayer> layers, const LinearOptions&,
                                  std::vector<Tensor>& results) noexcept = 0;
    virtual Outcome gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) noexcept = 0;
    virtual Outcome layer_norm(const Tensor& x, const Tensor* weight, const Tensor* bias, float eps,
                               Tensor& out) noexcept = 0;
    virtual Outcome layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps,
                                        Tensor& out) noexcept = 0;
    virtual Outcome rms_norm(const Tensor& x, const Tensor& weight, const RmsOptions&, Tensor& out) noexcept = 0;
    virtual Outcome rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions&, const Rope&, int heads,
                                  Tensor& out) noexcept = 0;
    virtual Outcome rope(const Tensor& x, const Rope&, int heads, Tensor& out) noexcept = 0;
    virtual Outcome gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) noexcept = 0;
    virtual Outcome add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions&,
                                   Tensor& sum, Tensor& out) noexcept = 0;
    virtual Outcome attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions&,
                              Tensor& out) noexcept = 0;
    virtual Outcome conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
                         const ConvOptions&, Tensor& out) noexcept = 0;
    virtual bool wants_frames_side_by_side(const Weight& w, const ConvOptions&) const noexcept = 0;
    virtual Outcome channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) noexcept = 0;
};

/// Opens card `index`. `owner` is the backend that tensors belong to; it must outlive the result. Null if the card
/// cannot be used, or if `abi` or `build` (the program's) are not the module's own; `outcome` then says why, unless it
/// is `abi` that differs.
using ModuleEntry = ModuleBackend* (*)(std::uint32_t abi, const char* build, const HostServices*, int index,
                                       int threads, Backend* owner, Outcome* outcome);

/// Names the version, the headers of the border and the compiler that this side was built with (cmake/Cuda.cmake).
const char* build_id();

} // namespace denoir::cuda

// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/guard.h"

#include <new>

#include "engine/core/error.h"
#include "engine/core/log.h"

namespace denoir::cuda {
namespace {

/// Thrown through our own code if a function that the caller gave has failed.
struct BodyFailed {};

Outcome failure(const Error& e, Outcome::Kind kind = Outcome::Kind::error) noexcept {
    Outcome o;
    o.kind = kind;
    try {
        o.file = e.file();
        o.field = e.field();
        o.message = e.message();
        o.hint = e.hint();
    } catch (...) { // no memory for the texts
    }
    return o;
}

class Guard final : public ModuleBackend {
public:
    Guard(std::shared_ptr<Backend> inner, std::string libraries)
        : inner_(std::move(inner)), libraries_(std::move(libraries)) {}

    std::string libraries() const noexcept override { return libraries_; }
    bool fast_bf16() const noexcept override { return inner_->fast_bf16(); }
    int threads() const noexcept override { return inner_->threads(); }
    void set_stop(std::stop_token stop) noexcept override { inner_->set_stop(std::move(stop)); }
    Backend::MemoryStats memory() const noexcept override { return inner_->memory(); }

    Outcome empty(const Shape& shape, DType dtype, Tensor& result) noexcept override {
        return outcome_of([&] { result = inner_->empty(shape, dtype); });
    }
    Outcome upload(const Tensor& host, Tensor& result) noexcept override {
        return outcome_of([&] { result = inner_->upload(host); });
    }
    Outcome download(const Tensor& x, Tensor& result) noexcept override {
        return outcome_of([&] { result = inner_->download(x); });
    }
    Outcome download_later(const Tensor& x, Tensor& result) noexcept override {
        return outcome_of([&] { result = inner_->download_later(x); });
    }
    Outcome finish(const Tensor& host) noexcept override {
        return outcome_of([&] { inner_->finish(host); });
    }
    Outcome free_memory(std::size_t& result) noexcept override {
        return outcome_of([&] { result = inner_->free_memory(); });
    }
    Outcome trim() noexcept override {
        return outcome_of([&] { inner_->trim(); });
    }
    Outcome plan_memory(const MemoryNeeds& needs, std::string& result) noexcept override {
        return outcome_of([&] { result = inner_->plan_memory(needs); });
    }
    Outcome captured(const std::string& key, std::span<const Tensor> inputs, const ModuleBody& body,
                     Tensor& result) noexcept override {
        return outcome_of([&] {
            result = inner_->captured(key, inputs, [&](std::span<const Tensor> own) {
                Tensor out;
                if (!body(own, out)) throw BodyFailed{};
                return out;
            });
        });
    }
    Outcome parameter(const Weight& w, bool round, Tensor& result) noexcept override {
        return outcome_of([&] { result = inner_->parameter(w, round); });
    }
    Outcome copy(const Tensor& in, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->copy(in, out); });
    }
    Outcome fill(Tensor& out, float value) noexcept override {
        return outcome_of([&] { inner_->fill(out, value); });
    }
    Outcome add(const Tensor& a, const Tensor& b, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->add(a, b, out); });
    }
    Outcome multiply(const Tensor& a, const Tensor& b, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->multiply(a, b, out); });
    }
    Outcome activate(Activation kind, const Tensor& in, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->activate(kind, in, out); });
    }
    Outcome linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions& o,
                   Tensor& out) noexcept override {
        return outcome_of([&] { inner_->linear(x, w, bias, o, out); });
    }
    Outcome linear_joined(const Tensor& x, std::span<const LinearLayer> layers, const LinearOptions& o,
                          std::vector<Tensor>& results) noexcept override {
        return outcome_of([&] { results = inner_->linear_joined(x, layers, o); });
    }
    Outcome gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->gather(table, ids, out); });
    }
    Outcome layer_norm(const Tensor& x, const Tensor* w, const Tensor* b, float eps, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->layer_norm(x, w, b, eps, out); });
    }
    Outcome layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps,
                                Tensor& out) noexcept override {
        return outcome_of([&] { inner_->layer_norm_modulate(x, shift, scale, eps, out); });
    }
    Outcome rms_norm(const Tensor& x, const Tensor& w, const RmsOptions& o, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->rms_norm(x, w, o, out); });
    }
    Outcome rms_norm_rope(const Tensor& x, const Tensor& w, const RmsOptions& o, const Rope& rope, int heads,
                          Tensor& out) noexcept override {
        return outcome_of([&] { inner_->rms_norm_rope(x, w, o, rope, heads, out); });
    }
    Outcome rope(const Tensor& x, const Rope& rope, int heads, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->rope(x, rope, heads, out); });
    }
    Outcome gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->gated_add(x, y, gate, out); });
    }
    Outcome add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions& o, Tensor& sum,
                           Tensor& out) noexcept override {
        return outcome_of([&] { inner_->add_layer_norm(x, y, gate, o, sum, out); });
    }
    Outcome attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& o,
                      Tensor& out) noexcept override {
        return outcome_of([&] { inner_->attention(q, k, v, o, out); });
    }
    Outcome conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
                 const ConvOptions& o, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->conv(frames, w, bias, residual, o, out); });
    }
    bool wants_frames_side_by_side(const Weight& w, const ConvOptions& o) const noexcept override {
        return inner_->wants_frames_side_by_side(w, o);
    }
    Outcome channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) noexcept override {
        return outcome_of([&] { inner_->channel_norm(x, gamma, silu, out); });
    }

private:
    std::shared_ptr<Backend> inner_;
    std::string libraries_;
};

} // namespace

Outcome outcome_of(const std::function<void()>& work) noexcept {
    Outcome o;
    try {
        work();
    } catch (const UsageError& e) {
        return failure(e, Outcome::Kind::usage_error);
    } catch (const Error& e) {
        return failure(e);
    } catch (const Cancelled&) {
        o.kind = Outcome::Kind::cancelled;
    } catch (const BodyFailed&) {
        o.kind = Outcome::Kind::body_failed;
    } catch (const std::bad_alloc&) {
        return failure(Error("", "memory", "the host has no memory left", "close other programs"));
    } catch (const std::exception& e) {
        log::info("the CUDA module failed: " + printable(e.what(), 200));
        return failure(Error("", "device", "the CUDA module failed", "start again; use the device cpu if it persists"));
    }
    return o;
}

std::unique_ptr<ModuleBackend> guarded(std::shared_ptr<Backend> inner, std::string libraries) {
    return std::make_unique<Guard>(std::move(inner), std::move(libraries));
}

} // namespace denoir::cuda

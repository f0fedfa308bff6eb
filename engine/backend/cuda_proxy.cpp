// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda_proxy.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>

#include "engine/backend/cuda/module.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

namespace denoir {
namespace {

using cuda::ModuleBackend;
using cuda::Outcome;

void rethrow(const Outcome& o) {
    switch (o.kind) {
    case Outcome::Kind::done:
        return;
    case Outcome::Kind::cancelled:
        throw Cancelled();
    case Outcome::Kind::usage_error:
        throw UsageError(o.file, o.field, o.message, o.hint);
    case Outcome::Kind::error:
    case Outcome::Kind::body_failed:
        break;
    }
    throw Error(o.file, o.field, o.message, o.hint);
}

/// The program's side of the module's border: turns its outcomes into exceptions.
class CudaProxy final : public Backend {
public:
    explicit CudaProxy(const Device& device) : device_(device) {}
    void open(cuda::ModuleEntry entry, int threads) {
        Outcome outcome;
        const cuda::HostServices services{[](const char* line) { log::info(line); }};
        module_.reset(entry(cuda::module_abi, DENOIR_BUILD_ID, &services, device_.index, threads, this, &outcome));
        rethrow(outcome);
        if (!module_)
            throw Error("", "device", "the CUDA module belongs to another build of this program",
                        "install both from one build");
    }

    Device device() const override { return device_; }
    bool fast_bf16() const override { return module_->fast_bf16(); }
    bool keeps_memory() const override { return true; }
    bool streams_weights() const override { return true; }
    int threads() const override { return module_->threads(); }
    void set_stop(std::stop_token stop) override { module_->set_stop(std::move(stop)); }
    MemoryStats memory() const override { return module_->memory(); }

    Tensor empty(const Shape& shape, DType dtype) override {
        Tensor out;
        rethrow(module_->empty(shape, dtype, out));
        return out;
    }
    Tensor upload(const Tensor& host) override {
        Tensor out;
        rethrow(module_->upload(host, out));
        return out;
    }
    Tensor download(const Tensor& x) override {
        Tensor out;
        rethrow(module_->download(x, out));
        return out;
    }
    Tensor download_later(const Tensor& x) override {
        Tensor out;
        rethrow(module_->download_later(x, out));
        return out;
    }
    void finish(const Tensor& host) override { rethrow(module_->finish(host)); }
    std::size_t free_memory() override {
        std::size_t out = 0;
        rethrow(module_->free_memory(out));
        return out;
    }
    void trim() override { rethrow(module_->trim()); }
    std::string plan_memory(const MemoryNeeds& needs) override {
        std::string out;
        rethrow(module_->plan_memory(needs, out));
        return out;
    }
    Tensor captured(const std::string& key, std::span<const Tensor> inputs, const Body& body) override {
        Tensor out;
        std::exception_ptr failed; // exceptions must not pass through the module
        std::string recording_failure;
        const auto careful = [&](std::span<const Tensor> own, Tensor& result) noexcept {
            try {
                result = body(own);
                return true;
            } catch (const std::exception& e) {
                failed = std::current_exception();
                recording_failure = e.what();
            } catch (...) {
                failed = std::current_exception();
            }
            return false;
        };
        const Outcome outcome = module_->captured(key, inputs, careful, out);
        if (outcome.kind == Outcome::Kind::done && !recording_failure.empty())
            log::info(key + " runs without a recording: " + recording_failure);
        if (outcome.kind == Outcome::Kind::body_failed) std::rethrow_exception(failed);
        rethrow(outcome);
        return out;
    }
    Tensor parameter(const Weight& w, bool round) override {
        Tensor out;
        rethrow(module_->parameter(w, round, out));
        return out;
    }
    void copy(const Tensor& in, Tensor& out) override { rethrow(module_->copy(in, out)); }
    void fill(Tensor& out, float value) override { rethrow(module_->fill(out, value)); }
    void add(const Tensor& a, const Tensor& b, Tensor& out) override { rethrow(module_->add(a, b, out)); }
    void multiply(const Tensor& a, const Tensor& b, Tensor& out) override { rethrow(module_->multiply(a, b, out)); }
    void activate(Activation kind, const Tensor& in, Tensor& out) override {
        rethrow(module_->activate(kind, in, out));
    }
    void linear(const Tensor& x, const Weight& w, const Weight* bias, const LinearOptions& o, Tensor& out) override {
        rethrow(module_->linear(x, w, bias, o, out));
    }
    std::vector<Tensor> linear_joined(const Tensor& x, std::span<const LinearLayer> layers,
                                      const LinearOptions& o) override {
        std::vector<Tensor> out;
        rethrow(module_->linear_joined(x, layers, o, out));
        return out;
    }
    void gather(const Weight& table, std::span<const std::int64_t> ids, Tensor& out) override {
        rethrow(module_->gather(table, ids, out));
    }
    void layer_norm(const Tensor& x, const Tensor* w, const Tensor* b, float eps, Tensor& out) override {
        rethrow(module_->layer_norm(x, w, b, eps, out));
    }
    void layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps,
                             Tensor& out) override {
        rethrow(module_->layer_norm_modulate(x, shift, scale, eps, out));
    }
    void rms_norm(const Tensor& x, const Tensor& w, const RmsOptions& o, Tensor& out) override {
        rethrow(module_->rms_norm(x, w, o, out));
    }
    void rms_norm_rope(const Tensor& x, const Tensor& w, const RmsOptions& o, const Rope& rope, int heads,
                       Tensor& out) override {
        rethrow(module_->rms_norm_rope(x, w, o, rope, heads, out));
    }
    void rope(const Tensor& x, const Rope& rope, int heads, Tensor& out) override {
        rethrow(module_->rope(x, rope, heads, out));
    }
    void gated_add(const Tensor& x, const Tensor& y, const Tensor& gate, Tensor& out) override {
        rethrow(module_->gated_add(x, y, gate, out));
    }
    void add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions& o, Tensor& sum,
                        Tensor& out) override {
        rethrow(module_->add_layer_norm(x, y, gate, o, sum, out));
    }
    void attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& o, Tensor& out) override {
        rethrow(module_->attention(q, k, v, o, out));
    }
    void conv(std::span<const Tensor> frames, const Weight& w, const Weight* bias, const Tensor* residual,
              const ConvOptions& o, Tensor& out) override {
        rethrow(module_->conv(frames, w, bias, residual, o, out));
    }
    bool wants_frames_side_by_side(const Weight& w, const ConvOptions& o) const override {
        return module_->wants_frames_side_by_side(w, o);
    }
    void channel_norm(const Tensor& x, const Tensor& gamma, bool silu, Tensor& out) override {
        rethrow(module_->channel_norm(x, gamma, silu, out));
    }

private:
    Device device_;
    std::unique_ptr<ModuleBackend> module_;
};

/// The file of the module: the one that DENOIR_CUDA_MODULE names, else one in the program's folder or in ../lib of it.
/// Empty if there is none.
std::optional<std::filesystem::path> module_file() {
    if (const char* named = std::getenv("DENOIR_CUDA_MODULE"); named && *named) return std::filesystem::path(named);
    std::error_code code;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", code).parent_path();
    for (const char* place : {"", "../lib", "../lib/denoir"}) {
        const std::filesystem::path file = folder / place / "libdenoir_cuda.so";
        if (std::filesystem::exists(file, code)) return file;
    }
    return std::nullopt;
}

cuda::ModuleEntry entry_of(const Device& device) {
    const auto file = module_file();
    if (!file)
        throw Error("", "device", "this build has no CUDA module, so " + device.name() + " cannot be used",
                    "use the device cpu");
    void* library = ::dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); // tensors may outlive all backends
    void* entry = library ? ::dlsym(library, cuda::module_entry) : nullptr;
    const char* error = entry ? nullptr : ::dlerror();
    const std::string why = error ? " (" + printable(error, 200) + ")" : std::string();
    if (!entry)
        throw Error(file->filename().string(), "device",
                    "the CUDA module cannot be opened, so " + device.name() + " cannot be used" + why,
                    "install it from the same build, or use the device cpu");
    return reinterpret_cast<cuda::ModuleEntry>(entry);
}

} // namespace

bool has_cuda_module() { return module_file().has_value(); }

std::shared_ptr<Backend> open_cuda(const Device& device, int threads) {
    const cuda::ModuleEntry entry = entry_of(device);
    auto proxy = std::make_shared<CudaProxy>(device);
    proxy->open(entry, threads);
    return proxy;
}

} // namespace denoir

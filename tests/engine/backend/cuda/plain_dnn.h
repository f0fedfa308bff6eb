// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stands for the library of fused attention and convolution as the backend asks for it. It computes exactly that,
// slowly, or has another one do so.
#include "engine/backend/cuda/dnn.h"
#include "tests/engine/backend/cuda/backends.h"
#include "tests/engine/backend/cuda/tf32.h"
#include "tests/engine/backend/kernel_test.h"

namespace denoir::test {

using cuda::FusedAttention;
using cuda::FusedConv;

/// The bf16 or f32 values of an emulated device.
class Values {
public:
    Values(cuda::Runtime& runtime, const void* device, std::int64_t count, cuda::Type type = cuda::Type::bf16)
        : runtime_(runtime),
          device_(static_cast<std::byte*>(const_cast<void*>(device))),
          host_(Tensor::host({count}, type == cuda::Type::f32 ? DType::f32 : DType::bf16)) {
        runtime_.to_host(host_.raw(), device_, host_.bytes());
    }
    double operator[](std::int64_t i) const {
        return host_.dtype() == DType::f32 ? static_cast<double>(host_.span<float>()[static_cast<std::size_t>(i)])
                                           : static_cast<double>(bf16{bits(i)}.value());
    }
    double factor(std::int64_t i) const {
        const double value = (*this)[i];
        return host_.dtype() == DType::f32 ? static_cast<double>(cut_to_tf32(static_cast<float>(value))) : value;
    }
    void set(std::int64_t i, double v) {
        const float value = static_cast<float>(v);
        if (host_.dtype() == DType::f32)
            host_.span<float>()[static_cast<std::size_t>(i)] = value;
        else
            bits(i) = bf16::from(value).bits;
    }
    void write() { runtime_.to_device(device_, host_.raw(), host_.bytes(), cuda::Runtime::Queue::compute); }

private:
    std::uint16_t& bits(std::int64_t i) const { return host_.span<std::uint16_t>()[static_cast<std::size_t>(i)]; }
    cuda::Runtime& runtime_;
    std::byte* device_;
    Tensor host_;
};

class PlainDnn final : public cuda::Dnn {
public:
    explicit PlainDnn(std::shared_ptr<cuda::FakeRuntime> runtime)
        : runtime_(std::move(runtime)), library_(library_under_test(*runtime_)) {}
    int attentions = 0, convs = 0, with_residual = 0;
    const void* last_x = nullptr; ///< what the last convolution read
    bool stacked = false, adds = true, refuses = false;

    bool prefers_stacked_frames(cuda::Type, std::int64_t) const override { return stacked; }

    bool attention(const FusedAttention& a, const Caller& caller) override {
        ++attentions;
        EXPECT_NE(caller.workspace(1000), nullptr);
        caller.throw_if_stopped();
        EXPECT_LE(a.keys, a.all_keys);
        if (library_) { // refuses rows that do not begin at multiples of 16 bytes
            const bool done = library_->attention(a, caller);
            EXPECT_TRUE(done || a.q_token % 8 != 0 || a.k_token % 8 != 0 || a.v_token % 8 != 0);
            return done;
        }
        const auto extent = [&](std::int64_t tokens, std::int64_t token, std::int64_t head) {
            return (tokens - 1) * token + (a.heads - 1) * head + a.size;
        };
        const Values q(*runtime_, a.q, extent(a.queries, a.q_token, a.q_head)),
            k(*runtime_, a.k, extent(a.keys, a.k_token, a.k_head)),
            v(*runtime_, a.v, extent(a.keys, a.v_token, a.v_head));
        Values out(*runtime_, a.out, extent(a.queries, a.out_token, a.out_head));
        std::vector<float> sums(static_cast<std::size_t>(a.heads * a.queries));
        for (std::int64_t h = 0; h < a.heads; ++h)
            for (std::int64_t i = 0; i < a.queries; ++i) {
                std::vector<double> p(static_cast<std::size_t>(a.keys));
                double total = 0;
                for (std::int64_t j = 0; j < a.keys; ++j) {
                    double s = 0;
                    for (std::int64_t d = 0; d < a.size; ++d)
                        s += q[i * a.q_token + h * a.q_head + d] * k[j * a.k_token + h * a.k_head + d];
                    total += p[static_cast<std::size_t>(j)] = std::exp(s * static_cast<double>(a.scale));
                }
                sums[static_cast<std::size_t>(h * a.queries + i)] = static_cast<float>(std::log(total));
                for (std::int64_t d = 0; d < a.size; ++d) {
                    double sum = 0;
                    for (std::int64_t j = 0; j < a.keys; ++j)
                        sum += p[static_cast<std::size_t>(j)] / total * v[j * a.v_token + h * a.v_head + d];
                    out.set(i * a.out_token + h * a.out_head + d, sum);
                }
            }
        out.write();
        if (a.log_sum)
            runtime_->to_device(reinterpret_cast<std::byte*>(a.log_sum),
                                reinterpret_cast<const std::byte*>(sums.data()), sums.size() * 4,
                                cuda::Runtime::Queue::compute);
        return true;
    }

    bool conv(const FusedConv& c, const Caller& caller) override {
        if (refuses || (c.residual && !adds)) return false;
        ++convs;
        last_x = c.x;
        with_residual += c.residual != nullptr;
        EXPECT_TRUE(!stacked || c.time == 1);
        EXPECT_EQ(c.in % 8, 0);
        EXPECT_EQ(c.out_channels % 8, 0);
        if (library_) {
            const bool done = library_->conv(c, caller);
            EXPECT_TRUE(done);
            return done;
        }
        const std::int64_t results = c.out_time() * c.out_height() * c.out_width() * c.out_channels;
        const Values x(*runtime_, c.x, c.time * c.height * c.width * c.in, c.type),
            w(*runtime_, c.w, c.out_channels * c.taps_time * c.taps_down * c.taps_across * c.in, c.type);
        Values out(*runtime_, c.out, results, c.type);
        std::vector<double> bias(static_cast<std::size_t>(c.out_channels), 0.0);
        if (c.bias) {
            const Values given(*runtime_, c.bias, c.out_channels, c.type);
            for (std::int64_t o = 0; o < c.out_channels; ++o) bias[static_cast<std::size_t>(o)] = given[o];
        }
        std::optional<Values> residual;
        if (c.residual) residual.emplace(*runtime_, c.residual, results, c.type);
        std::int64_t to = 0;
        for (std::int64_t t = 0; t < c.out_time(); ++t)
            for (std::int64_t y = 0; y < c.out_height(); ++y)
                for (std::int64_t p = 0; p < c.out_width(); ++p)
                    for (std::int64_t o = 0; o < c.out_channels; ++o, ++to)
                        out.set(to, bias[static_cast<std::size_t>(o)] + sum(c, x, w, t, y, p, o) +
                                        (residual ? (*residual)[to] : 0.0));
        out.write();
        return true;
    }

private:
    static double sum(const FusedConv& c, const Values& x, const Values& w, std::int64_t t, std::int64_t y,
                      std::int64_t p, std::int64_t o) {
        double total = 0;
        for (std::int64_t dt = 0; dt < c.taps_time; ++dt)
            for (std::int64_t dy = 0; dy < c.taps_down; ++dy)
                for (std::int64_t dx = 0; dx < c.taps_across; ++dx) {
                    const std::int64_t yy = y * c.stride - c.pad_down + dy, xx = p * c.stride - c.pad_across + dx;
                    if (yy < 0 || xx < 0 || yy >= c.height || xx >= c.width) continue;
                    for (std::int64_t i = 0; i < c.in; ++i)
                        total +=
                            x.factor((((t * c.time_stride + dt) * c.height + yy) * c.width + xx) * c.in + i) *
                            w.factor((((o * c.taps_time + dt) * c.taps_down + dy) * c.taps_across + dx) * c.in + i);
                }
        return total;
    }
    std::shared_ptr<cuda::FakeRuntime> runtime_;
    std::unique_ptr<cuda::Dnn> library_;
};

struct Fused {
    std::shared_ptr<cuda::FakeRuntime> runtime = std::make_shared<cuda::FakeRuntime>(std::size_t{1} << 28);
    PlainDnn* dnn = nullptr;
    std::shared_ptr<cuda::CudaBackend> backend;
    Fused() {
        cuda::CudaBackend::Options options;
        auto made = std::make_unique<PlainDnn>(runtime);
        dnn = made.get();
        options.dnn = std::move(made);
        backend = std::make_shared<cuda::CudaBackend>(runtime, std::move(options));
    }
};

} // namespace denoir::test

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/layers.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/backend/weight_changes.h"
#include "engine/core/error.h"

namespace denoir::nn {

const Weight& weight(const Module& m, std::string_view leaf) {
    if (const Weight* found = m.find(leaf)) return *found;
    const std::string name = m.prefix().empty() ? std::string(leaf) : fmt::format("{}.{}", m.prefix(), leaf);
    throw Error(m.weights().origin(), name, "the tensor is missing", "use a complete checkpoint");
}

Tensor linear(const Module& m, const Tensor& x, DType compute, Activation activation) {
    return ops::linear(x, weight(m, "weight"), m.find("bias"), {activation, compute}, compute);
}

std::vector<Tensor> linear_joined(const Module& m, std::span<const char* const> names, const Tensor& x, DType compute) {
    std::vector<LinearLayer> layers;
    for (const char* name : names) layers.push_back({&weight(m[name], "weight"), m[name].find("bias")});
    return ops::linear_joined(x, layers, {Activation::none, compute});
}

Tensor layer_norm(const Module& m, const Tensor& x, float eps, DType out, bool round) {
    Backend& backend = *x.backend();
    const Tensor scale = backend.parameter(weight(m, "weight"), round);
    const Tensor shift = backend.parameter(weight(m, "bias"), round);
    return ops::layer_norm(x, &scale, &shift, eps, out);
}

Tensor rms_norm(const Module& m, const Tensor& x, const RmsOptions& options, DType out) {
    return ops::rms_norm(x, x.backend()->parameter(weight(m, "weight"), options.round_weight), options, out);
}

Tensor modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, DType out) {
    const std::int64_t rows = x.size(0), groups = shift.size(0), width = x.size(1);
    const Tensor scaled = ops::gated_add(x, x, scale, DType::f32);
    const Tensor grouped = scaled.reshape({groups, rows / groups, width});
    return ops::add(grouped, shift.unsqueeze(1).expand(1, rows / groups), out).reshape({rows, width});
}

Tensor heads(const Tensor& x, std::int64_t count) { return x.split(1, x.size(1) / count); }

AttentionOptions attention_over(std::int64_t head_size, DType compute) {
    AttentionOptions options;
    options.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_size)));
    options.compute = compute;
    return options;
}

Tensor on(Backend& backend, const Tensor& x) { return x.backend() == &backend ? x : backend.upload(x); }

Tensor host_f32(const Tensor& x) { return (x.backend() ? x.backend()->download(x) : x).to_host_f32(); }

Tensor host_values(const Weight& w) {
    Tensor values = Tensor::host(w.shape(), DType::f32);
    const std::int64_t count = w.stored().elements();
    float* out = values.data<float>();
    to_f32(w.stored().dtype(), w.stored().raw(), out, count);
    if (count == 0) return values;
    if (w.scale.defined()) {
        const Tensor scale = w.scale.to_host_f32();
        const std::int64_t per_scale = count / scale.elements();
        for (std::int64_t i = 0; i < count; ++i) out[i] *= scale.data<float>()[i / per_scale];
    }
    const std::int64_t rows = w.shape().rank() > 0 ? w.shape()[0] : 1, columns = count / rows;
    const ChangedRows changes(w.changes, w.stored().dtype(), w.scale.defined());
    for (std::int64_t row = 0; row < rows; ++row) changes.add(row, columns, 0, columns, out + row * columns);
    return values;
}

Weight rounded_to_bf16(const Weight& w) {
    if (w.stored().dtype() == DType::bf16 && !w.scale.defined() && w.changes.empty()) return w;
    const Tensor values = host_values(w);
    Tensor rounded = Tensor::host(w.shape(), DType::bf16);
    from_f32(DType::bf16, values.data<float>(), rounded.raw(), values.elements());
    return Weight(w.name(), rounded);
}

} // namespace denoir::nn

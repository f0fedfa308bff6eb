// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/backend.h"

#include "engine/core/memory.h"

namespace denoir {
namespace {

/// The rows of group number `group` of x, which has `groups` groups of equally many rows.
Tensor rows_of_group(const Tensor& x, std::int64_t group, std::int64_t groups) {
    const std::int64_t rows = x.size(0) / groups;
    return x.slice(0, group * rows, (group + 1) * rows);
}

} // namespace

std::size_t Backend::free_memory() { return available_memory(); }

void Backend::finish(const Tensor&) {}

Tensor Backend::captured(const std::string&, std::span<const Tensor> inputs, const Body& body) { return body(inputs); }

std::vector<Tensor> Backend::linear_joined(const Tensor& x, std::span<const LinearLayer> layers,
                                           const LinearOptions& options) {
    std::vector<Tensor> results;
    for (const LinearLayer& layer : layers) {
        results.push_back(empty({x.size(0), layer.weight->shape()[0]}, options.compute));
        linear(x, *layer.weight, layer.bias, options, results.back());
    }
    return results;
}

void Backend::layer_norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, float eps, Tensor& out) {
    const std::int64_t groups = shift.size(0), channels = x.size(1);
    Tensor weight = empty({channels}, DType::f32), ones = empty({channels}, DType::f32),
           bias = empty({channels}, DType::f32);
    fill(ones, 1.0f);
    for (std::int64_t r = 0; r < groups; ++r) {
        add(scale.select(0, r), ones, weight);
        copy(shift.select(0, r), bias);
        Tensor to = rows_of_group(out, r, groups);
        layer_norm(rows_of_group(x, r, groups), &weight, &bias, eps, to);
    }
}

void Backend::add_layer_norm(const Tensor& x, const Tensor& y, const Tensor* gate, const LayerNormOptions& o,
                             Tensor& sum, Tensor& out) {
    if (gate)
        gated_add(x, y, *gate, sum);
    else
        add(x, y, sum);
    Tensor normalised = sum;
    if (o.round_before) {
        normalised = empty(sum.shape(), DType::bf16);
        copy(sum, normalised);
    }
    if (o.modulate)
        layer_norm_modulate(normalised, *o.bias, *o.weight, o.eps, out);
    else
        layer_norm(normalised, o.weight, o.bias, o.eps, out);
}

void Backend::rms_norm_rope(const Tensor& x, const Tensor& weight, const RmsOptions& options, const Rope& table,
                            int heads, Tensor& out) {
    Tensor normalised = empty(x.shape(), DType::f32);
    rms_norm(x, weight, options, normalised);
    rope(normalised, table, heads, out);
}

} // namespace denoir

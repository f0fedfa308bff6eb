// SPDX-License-Identifier: Apache-2.0
#include "engine/models/clip/vision.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/core/error.h"
#include "engine/models/fields.h"
#include "engine/nn/layers.h"

// L = 1 + patches tokens, C width. Section numbers are those of spec/clip.md.
namespace denoir::clip {
namespace {

using nn::linear;

/// A bf16 tower rounds all its parameters to bf16, those of the norms as well, whatever type the file stores.
Tensor layer_norm(const Module& m, const Tensor& x, float eps, DType dtype) {
    return nn::layer_norm(m, x, eps, dtype, dtype == DType::bf16);
}

/// Tells a probe the layers by the names of the original, which begin with `visual`.
struct Told {
    nn::Probe* probe;
    const std::string& prefix;
    template <class Value> void operator()(const Module& m, std::string_view leaf, Value&& value) const {
        nn::tell(probe,
                 prefix.empty() ? Module(m.weights(), m.prefix().empty() ? "visual" : "visual." + m.prefix()) : m, leaf,
                 std::forward<Value>(value));
    }
};

/// image [3, S, S] -> [1 + patches, C]; the class token first, patches row by row
Tensor embed(const Module& m, Backend& backend, const Config& c, const Tensor& image, DType dtype, const Told& tell) {
    Tensor patches = backend.empty({c.grid, c.grid, 3, c.patch, c.patch}, dtype);
    ops::copy(nn::on(backend, image).split(2, c.patch).split(1, c.patch).permute({1, 3, 0, 2, 4}), patches);
    Tensor tokens = backend.empty({1 + c.grid * c.grid, c.width}, dtype);
    Tensor first = tokens.slice(0, 0, 1), rest = tokens.slice(0, 1, tokens.size(0));
    ops::copy(backend.parameter(nn::weight(m, "cls_embedding"), false).reshape({1, c.width}), first);
    const Tensor embedded =
        linear(m["patch_embedding"], patches.reshape({c.grid * c.grid, 3 * c.patch * c.patch}), dtype);
    tell(m, "patch_embedding", embedded);
    ops::copy(embedded, rest);
    const Tensor positions = backend.parameter(nn::weight(m, "pos_embedding"), dtype == DType::bf16);
    return ops::add(tokens, positions.reshape(tokens.shape()), dtype);
}

Tensor self_attention(const Module& m, const Tensor& x, std::int64_t heads, DType dtype, const Told& tell) {
    const std::int64_t width = x.size(1), head = width / heads;
    const Tensor qkv = linear(m["to_qkv"], x, dtype);
    tell(m, "to_qkv", qkv);
    auto part = [&](int i) { return nn::heads(qkv.slice(1, i * width, (i + 1) * width), heads); };
    const AttentionOptions options = nn::attention_over(head, dtype);
    Tensor y = ops::attention(part(0), part(1), part(2), options, dtype).reshape(x.shape());
    tell(m, "proj.input", y);
    y = linear(m["proj"], y, dtype);
    tell(m, "proj", y);
    return y;
}

Tensor mlp(const Module& m, const Tensor& x, DType dtype, const Told& tell) {
    tell(m, "0", [&] { return linear(m[0], x, dtype); });
    Tensor y = linear(m[0], x, dtype, Activation::gelu_erf);
    tell(m, "1", y);
    y = linear(m[2], y, dtype);
    tell(m, "2", y);
    return y;
}

Tensor block(const Module& m, const Config& c, Tensor x, DType dtype, const Told& tell) {
    Tensor y = layer_norm(m["norm1"], x, c.eps, dtype);
    tell(m, "norm1", y);
    x = ops::add(x, self_attention(m["attn"], y, c.heads, dtype, tell), dtype);
    tell(m, "norm2.input", x);
    y = layer_norm(m["norm2"], x, c.eps, dtype);
    tell(m, "norm2", y);
    x = ops::add(x, mlp(m["mlp"], y, dtype, tell), dtype);
    tell(m, "", x);
    return x;
}

Module root(const Weights& weights, const Config& c) { return Module(weights, c.prefix); }

} // namespace

std::map<std::string, Shape> Config::expected() const {
    using fields::expect_affine;
    const std::string p = prefix.empty() ? "" : prefix + ".";
    const std::int64_t positions = grid < 0 ? -1 : 1 + grid * grid;
    std::map<std::string, Shape> all;
    all[p + "patch_embedding.weight"] = {width, 3, patch, patch};
    all[p + "cls_embedding"] = {1, 1, width};
    all[p + "pos_embedding"] = {1, positions, width};
    expect_affine(all, p + "pre_norm", {width});
    for (std::int64_t i = 0; i < layers; ++i) {
        const std::string block = fmt::format("{}transformer.{}.", p, i);
        expect_affine(all, block + "norm1", {width});
        expect_affine(all, block + "attn.to_qkv", {fields::times(3, width), width});
        expect_affine(all, block + "attn.proj", {width, width});
        expect_affine(all, block + "norm2", {width});
        expect_affine(all, block + "mlp.0", {mlp, width});
        expect_affine(all, block + "mlp.2", {width, mlp});
    }
    return all;
}

Config Config::read(const Weights& weights, std::optional<std::int64_t> heads) {
    using fields::size;
    Config c;
    if (weights.find("visual.patch_embedding.weight")) c.prefix = "visual";
    const std::string p = c.prefix.empty() ? "" : c.prefix + ".";
    c.width = size(weights, p + "patch_embedding.weight", 0);
    c.patch = size(weights, p + "patch_embedding.weight", 2);
    c.mlp = size(weights, p + "transformer.0.mlp.0.weight", 0);
    c.layers = std::max(1, root(weights, c)["transformer"].count());
    const Weight* table = weights.find(p + "pos_embedding");
    const std::int64_t positions = table && table->shape().rank() >= 2 ? table->shape()[table->shape().rank() - 2] : -1;
    c.grid = positions < 2 ? -1 : std::lround(std::sqrt(static_cast<double>(positions - 1)));

    std::map<std::string, Shape> expected = c.expected();
    // Some layouts store these without the leading axes of size 1.
    for (const char* name : {"cls_embedding", "pos_embedding"})
        if (const Weight* w = weights.find(p + name)) {
            Shape& shape = expected[p + name];
            while (shape.rank() > w->shape().rank() && shape[0] == 1) shape = Shape(shape.sizes().subspan(1));
        }
    // Parts of the tower that are not used here but may be stored.
    for (const char* name : {"post_norm.weight", "post_norm.bias", "head"})
        if (const Weight* w = weights.find(p + name)) expected[p + name] = w->shape();
    weights.require(expected);

    fields::check_sizes(weights, p + "patch_embedding.weight", {c.width, c.patch, c.mlp, c.grid});
    c.heads = fields::heads(weights, c.width, heads, 80);
    const Json activation = "gelu";
    fields::check_supported(weights, "hidden_act", {&activation, 1}, "use the image encoder that belongs to the model");
    c.eps = fields::eps(weights, "layer_norm_eps", c.eps);
    fields::agree(weights, {"hidden_size"}, c.width, p + "patch_embedding.weight");
    fields::agree(weights, {"intermediate_size"}, c.mlp, p + "transformer.0.mlp.0.weight");
    fields::agree(weights, {"num_hidden_layers"}, c.layers, p + "transformer");
    fields::agree(weights, {"patch_size"}, c.patch, p + "patch_embedding.weight");
    fields::agree(weights, {"image_size"}, c.image(), p + "pos_embedding");
    return c;
}

Vision::Vision(std::shared_ptr<const Weights> weights, std::shared_ptr<Backend> backend, Options options)
    : weights_(std::move(weights)),
      backend_(std::move(backend)),
      config_(Config::read(*weights_, options.heads)),
      options_(options) {}

std::vector<std::string> layer_names(const Config& c) {
    std::vector<std::string> names{"visual.patch_embedding", "visual.pre_norm.input", "visual.pre_norm"};
    for (int i = 0; i + 1 < c.layers; ++i) {
        for (const char* leaf : {"norm1", "attn.to_qkv", "attn.proj.input", "attn.proj", "norm2.input", "norm2",
                                 "mlp.0", "mlp.1", "mlp.2"})
            names.push_back(fmt::format("visual.transformer.{}.{}", i, leaf));
        names.push_back(fmt::format("visual.transformer.{}", i));
    }
    return names;
}

Tensor Vision::forward(const Tensor& image, nn::Probe* probe) const {
    const Shape wanted{3, config_.image(), config_.image()};
    if (!(image.shape() == wanted) || image.dtype() != DType::f32)
        throw Error({}, "image", fmt::format("{} must be f32 of shape {}", to_string(image.shape()), to_string(wanted)),
                    {});

    const Module m = root(*weights_, config_);
    const Told tell{probe, config_.prefix};
    Tensor x = embed(m, *backend_, config_, image, options_.dtype, tell);
    tell(m, "pre_norm.input", x);
    x = layer_norm(m["pre_norm"], x, config_.eps, options_.dtype);
    tell(m, "pre_norm", x);
    for (int i = 0; i + 1 < config_.layers; ++i)
        x = block(m["transformer"][i], config_, std::move(x), options_.dtype, tell); // the last block is not used
    return ops::cast(x, DType::f32);
}

} // namespace denoir::clip

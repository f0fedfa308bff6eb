// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/core/error.h"
#include "engine/models/fields.h"
#include "engine/nn/layers.h"

// n tokens, C model width, N heads. Section numbers are those of spec/umt5.md.
namespace denoir::umt5 {
namespace {

/// The largest `relative_attention_max_distance` that is accepted from config.json: more than any accepted text has.
constexpr std::int64_t farthest = std::int64_t{1} << 20;
using nn::linear;

/// In bf16 both the normalised value and the weight are rounded before they are multiplied (1, Norm).
Tensor norm(const Module& m, const Config& c, const Tensor& x, DType dtype) {
    const bool rounded = dtype == DType::bf16;
    return nn::rms_norm(m, x, {c.eps, rounded, rounded}, dtype);
}

/// The block's own table [buckets, N] expanded to a bias for every query and key: [N, n, n], host.
Tensor position_bias(const Module& m, const Config& c, std::int64_t n, DType dtype) {
    const Tensor table = nn::host_values(nn::weight(m["embedding"], "weight"));
    const std::int64_t heads = c.heads, element = element_bytes(dtype);
    Tensor bias = Tensor::host({heads, n, n}, dtype), line = Tensor::host({2 * n - 1}, dtype);
    std::vector<float> values(static_cast<std::size_t>(2 * n - 1)); // for key - query = 1 - n … n - 1
    for (std::int64_t head = 0; head < heads; ++head) {
        for (std::int64_t i = 0; i < 2 * n - 1; ++i)
            values[static_cast<std::size_t>(i)] =
                table.data<float>()[relative_bucket(i - n + 1, c.buckets, c.max_distance) * heads + head];
        from_f32(dtype, values.data(), line.raw(), 2 * n - 1);
        for (std::int64_t i = 0; i < n; ++i)
            std::memcpy(bias.raw() + (head * n + i) * n * element, line.raw() + (n - 1 - i) * element,
                        static_cast<std::size_t>(n * element));
    }
    return bias;
}

void check_supported(const Weights& weights) {
    const std::pair<const char*, Json> supported[] = {{"feed_forward_proj", "gated-gelu"},
                                                      {"dense_act_fn", "gelu_new"}};
    for (const auto& [key, value] : supported)
        fields::check_supported(weights, key, {&value, 1}, "use the UMT5-XXL encoder");
}

/// x [n, C] -> [n, C]
Tensor self_attention(const Module& m, const Tensor& x, const Tensor& bias, std::int64_t heads, DType dtype,
                      nn::Probe* probe) {
    auto part = [&](const char* projection) {
        const Tensor y = linear(m[projection], x, dtype);
        nn::tell(probe, m, projection, y);
        return nn::heads(y, heads);
    };
    AttentionOptions options; // no 1/sqrt(d); in bf16 the bias is bf16, and every step is rounded
    options.bias = bias;
    options.compute = dtype;
    const Tensor q = part("q"), k = part("k"), v = part("v");
    Tensor y = ops::attention(q, k, v, options, dtype);
    y = y.reshape({x.size(0), y.size(1) * y.size(2)});
    nn::tell(probe, m, "o.input", y);
    y = linear(m["o"], y, dtype);
    nn::tell(probe, m, "o", y);
    return y;
}

/// In bf16 the reference composes tanh GELU from operations that each round.
Tensor gelu(const Module& m, const Tensor& x, DType dtype) {
    if (dtype != DType::bf16) return linear(m, x, dtype, Activation::gelu_tanh);
    return ops::activate(Activation::gelu_tanh_steps, linear(m, x, dtype), dtype);
}

Tensor feed_forward(const Module& m, const Tensor& x, DType dtype, nn::Probe* probe) {
    nn::tell(probe, m, "gate.0", [&] { return linear(m["gate"][0], x, dtype); });
    const Tensor gate = gelu(m["gate"][0], x, dtype);
    nn::tell(probe, m, "gate.1", gate);
    Tensor y = linear(m["fc1"], x, dtype);
    nn::tell(probe, m, "fc1", y);
    y = ops::multiply(y, gate, dtype);
    nn::tell(probe, m, "fc2.input", y);
    y = linear(m["fc2"], y, dtype);
    nn::tell(probe, m, "fc2", y);
    return y;
}

Tensor block(const Module& m, const Config& c, Tensor x, DType dtype, nn::Probe* probe) {
    const Tensor bias = x.backend()->upload(position_bias(m["pos_embedding"], c, x.size(0), dtype));
    Tensor y = norm(m["norm1"], c, x, dtype);
    nn::tell(probe, m, "norm1", y);
    x = ops::add(x, self_attention(m["attn"], y, bias, c.heads, dtype, probe), dtype);
    nn::tell(probe, m, "norm2.input", x);
    y = norm(m["norm2"], c, x, dtype);
    nn::tell(probe, m, "norm2", y);
    x = ops::add(x, feed_forward(m["ffn"], y, dtype, probe), dtype);
    nn::tell(probe, m, "", x);
    return x;
}

} // namespace

std::int64_t relative_bucket(std::int64_t relative, std::int64_t buckets, std::int64_t max_distance) {
    const std::int64_t half = buckets / 2, exact = half / 2, offset = relative > 0 ? half : 0,
                       distance = std::abs(relative);
    if (distance < exact) return offset + distance;
    // In f32 as in the reference: at the edge of a bucket the last bit decides.
    const double span = std::log(static_cast<double>(max_distance) / static_cast<double>(exact));
    const float log_steps = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                            static_cast<float>(span) * static_cast<float>(half - exact);
    return offset + std::min(half - 1, exact + static_cast<std::int64_t>(log_steps));
}

std::map<std::string, Shape> Config::expected() const {
    std::map<std::string, Shape> all;
    all["token_embedding.weight"] = {vocabulary, dim};
    for (std::int64_t i = 0; i < layers; ++i) {
        const std::string block = fmt::format("blocks.{}.", i);
        for (const char* projection : {"q", "k", "v"})
            all[fmt::format("{}attn.{}.weight", block, projection)] = {inner, dim};
        all[block + "attn.o.weight"] = {dim, inner};
        all[block + "pos_embedding.embedding.weight"] = {buckets, heads};
        all[block + "ffn.gate.0.weight"] = {ffn_dim, dim};
        all[block + "ffn.fc1.weight"] = {ffn_dim, dim};
        all[block + "ffn.fc2.weight"] = {dim, ffn_dim};
        for (const char* norm : {"norm1", "norm2"}) all[fmt::format("{}{}.weight", block, norm)] = {dim};
    }
    all["norm.weight"] = {dim};
    return all;
}

Config Config::read(const Weights& weights) {
    using fields::size;
    Config c;
    c.vocabulary = size(weights, "token_embedding.weight", 0);
    c.dim = size(weights, "token_embedding.weight", 1);
    c.inner = size(weights, "blocks.0.attn.q.weight", 0);
    c.buckets = size(weights, "blocks.0.pos_embedding.embedding.weight", 0);
    c.heads = size(weights, "blocks.0.pos_embedding.embedding.weight", 1);
    c.ffn_dim = size(weights, "blocks.0.ffn.gate.0.weight", 0);
    c.layers = std::max(1, Module(weights)["blocks"].count());
    if (c.layers > 1 && c.heads > 0 &&
        !weights.find(fmt::format("blocks.{}.pos_embedding.embedding.weight", c.layers - 1)))
        throw Error(weights.origin(), fmt::format("blocks.{}.pos_embedding.embedding.weight", c.layers - 1),
                    "only the first block has a position table: this is a T5, not a UMT5", "use the UMT5-XXL encoder");
    weights.require(c.expected());
    fields::check_sizes(weights, "token_embedding.weight", {c.vocabulary, c.dim, c.inner, c.heads, c.ffn_dim});
    if (c.buckets < 4 || c.buckets % 4)
        throw Error(weights.origin(), "blocks.0.pos_embedding.embedding.weight",
                    fmt::format("{} distance buckets; a multiple of 4 is needed", c.buckets),
                    "use a complete checkpoint");
    if (c.inner % c.heads)
        throw Error(weights.origin(), "blocks.0.attn.q.weight",
                    fmt::format("{} heads do not divide the attention width {}", c.heads, c.inner),
                    "use a complete checkpoint");
    c.max_distance = fields::integer(weights, {"relative_attention_max_distance"}, c.buckets / 4 + 1, farthest)
                         .value_or(std::max(c.max_distance, c.buckets / 4 + 1));
    c.eps = fields::eps(weights, "layer_norm_epsilon", c.eps);
    check_supported(weights);
    fields::agree(weights, {"d_model"}, c.dim, "token_embedding.weight");
    fields::agree(weights, {"vocab_size"}, c.vocabulary, "token_embedding.weight");
    fields::agree(weights, {"d_ff"}, c.ffn_dim, "blocks.0.ffn.gate.0.weight");
    fields::agree(weights, {"num_heads"}, c.heads, "blocks.0.pos_embedding.embedding.weight");
    fields::agree(weights, {"num_layers"}, c.layers, "blocks");
    fields::agree(weights, {"d_kv"}, c.inner / c.heads, "blocks.0.attn.q.weight");
    fields::agree(weights, {"relative_attention_num_buckets"}, c.buckets, "blocks.0.pos_embedding.embedding.weight");
    return c;
}

Encoder::Encoder(std::shared_ptr<const Weights> weights, std::shared_ptr<Backend> backend, Options options)
    : weights_(std::move(weights)), backend_(std::move(backend)), config_(Config::read(*weights_)), options_(options) {}

std::vector<std::string> layer_names(const Config& c) {
    std::vector<std::string> names{"token_embedding"};
    for (int i = 0; i < c.layers; ++i) {
        for (const char* leaf : {"norm1", "attn.q", "attn.k", "attn.v", "attn.o.input", "attn.o", "norm2.input",
                                 "norm2", "ffn.gate.0", "ffn.gate.1", "ffn.fc1", "ffn.fc2.input", "ffn.fc2"})
            names.push_back(fmt::format("blocks.{}.{}", i, leaf));
        names.push_back(fmt::format("blocks.{}", i));
    }
    names.emplace_back("norm");
    return names;
}

Tensor Encoder::encode(std::span<const std::int64_t> ids, nn::Probe* probe) const {
    if (ids.empty()) throw Error({}, "tokens", "there are none", "give at least the closing token, 1");
    for (const std::int64_t id : ids)
        if (id < 0 || id >= config_.vocabulary)
            throw Error({}, "tokens", fmt::format("{} is not in the vocabulary of {}", id, config_.vocabulary),
                        "use the model's own tokenizer");

    const Module m(*weights_);
    Tensor x = ops::gather(*backend_, nn::weight(m["token_embedding"], "weight"), ids, options_.dtype);
    nn::tell(probe, m, "token_embedding", x);
    for (int i = 0; i < config_.layers; ++i) x = block(m["blocks"][i], config_, std::move(x), options_.dtype, probe);
    x = norm(m["norm"], config_, x, options_.dtype);
    nn::tell(probe, m, "norm", x);
    return ops::cast(x, DType::f32);
}

} // namespace denoir::umt5

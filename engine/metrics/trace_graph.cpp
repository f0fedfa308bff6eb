// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <span>
#include <string>

#include "engine/metrics/trace_comparison.h"

namespace denoir::metrics {
namespace {

using Names = std::vector<std::string>;

struct Edge {
    std::string_view layer;
    /// ".x" is a layer of the same block, "<" the block before, "x" a layer outside of blocks. Empty ones do not count.
    std::array<std::string_view, 5> inputs;
};
using Edges = std::span<const Edge>;

constexpr Edge transformer_block[] = {
    {"norm1", {"<"}},
    {"self_attn.input", {".norm1", "e0"}},
    {"self_attn.q", {".self_attn.input"}},
    {"self_attn.norm_q", {".self_attn.q"}},
    {"self_attn.rope_q", {".self_attn.norm_q"}},
    {"self_attn.k", {".self_attn.input"}},
    {"self_attn.norm_k", {".self_attn.k"}},
    {"self_attn.rope_k", {".self_attn.norm_k"}},
    {"self_attn.v", {".self_attn.input"}},
    {"self_attn.o.input", {".self_attn.rope_q", ".self_attn.rope_k", ".self_attn.v"}},
    {"self_attn.o", {".self_attn.o.input"}},
    {"norm3.input", {"<", ".self_attn.o", "e0"}},
    {"norm3", {".norm3.input"}},
    {"cross_attn.q", {".norm3"}},
    {"cross_attn.norm_q", {".cross_attn.q"}},
    {"cross_attn.k", {"text_embedding.2"}},
    {"cross_attn.norm_k", {".cross_attn.k"}},
    {"cross_attn.v", {"text_embedding.2"}},
    {"cross_attn.k_img", {"img_emb.proj.4"}},
    {"cross_attn.norm_k_img", {".cross_attn.k_img"}},
    {"cross_attn.v_img", {"img_emb.proj.4"}},
    {"cross_attn.o.input",
     {".cross_attn.norm_q", ".cross_attn.norm_k", ".cross_attn.v", ".cross_attn.norm_k_img", ".cross_attn.v_img"}},
    {"cross_attn.o", {".cross_attn.o.input"}},
    {"norm2.input", {".norm3.input", ".cross_attn.o"}},
    {"norm2", {".norm2.input"}},
    {"ffn.input", {".norm2", "e0"}},
    {"ffn.0", {".ffn.input"}},
    {"ffn.1", {".ffn.0"}},
    {"ffn.2", {".ffn.1"}},
    {"", {".norm2.input", ".ffn.2", "e0"}},
};

constexpr Edge transformer_rest[] = {
    {"time_embedding.input", {}},
    {"time_embedding.0", {"time_embedding.input"}},
    {"time_embedding.1", {"time_embedding.0"}},
    {"time_embedding.2", {"time_embedding.1"}},
    {"time_projection.0", {"time_embedding.2"}},
    {"time_projection.1", {"time_projection.0"}},
    {"fps_embedding", {}},
    {"fps_projection.0", {"fps_embedding"}},
    {"fps_projection.1", {"fps_projection.0"}},
    {"fps_projection.2", {"fps_projection.1"}},
    {"e0", {"time_projection.1", "fps_projection.2"}},
    {"patch_embedding", {"@latent", "@condition"}},
    {"text_embedding.0", {"@text"}},
    {"text_embedding.1", {"text_embedding.0"}},
    {"text_embedding.2", {"text_embedding.1"}},
    {"img_emb.proj.0", {"@image"}},
    {"img_emb.proj.1", {"img_emb.proj.0"}},
    {"img_emb.proj.2", {"img_emb.proj.1"}},
    {"img_emb.proj.3", {"img_emb.proj.2"}},
    {"img_emb.proj.4", {"img_emb.proj.3"}},
    {"head.norm", {"@last_block"}},
    {"head.head.input", {"head.norm", "time_embedding.2"}},
    {"head", {"head.head.input"}},
    {"velocity", {"head"}},
};

constexpr Edge text_block[] = {
    {"norm1", {"<"}},
    {"attn.q", {".norm1"}},
    {"attn.k", {".norm1"}},
    {"attn.v", {".norm1"}},
    {"attn.o.input", {".attn.q", ".attn.k", ".attn.v"}},
    {"attn.o", {".attn.o.input"}},
    {"norm2.input", {"<", ".attn.o"}},
    {"norm2", {".norm2.input"}},
    {"ffn.gate.0", {".norm2"}},
    {"ffn.gate.1", {".ffn.gate.0"}},
    {"ffn.fc1", {".norm2"}},
    {"ffn.fc2.input", {".ffn.gate.1", ".ffn.fc1"}},
    {"ffn.fc2", {".ffn.fc2.input"}},
    {"", {".norm2.input", ".ffn.fc2"}},
};

constexpr Edge text_rest[] = {{"tokens", {}}, {"token_embedding", {"tokens"}}, {"norm", {"@last_block"}}};

constexpr Edge image_block[] = {
    {"norm1", {"<"}},
    {"attn.to_qkv", {".norm1"}},
    {"attn.proj.input", {".attn.to_qkv"}},
    {"attn.proj", {".attn.proj.input"}},
    {"norm2.input", {"<", ".attn.proj"}},
    {"norm2", {".norm2.input"}},
    {"mlp.0", {".norm2"}},
    {"mlp.1", {".mlp.0"}},
    {"mlp.2", {".mlp.1"}},
    {"", {".norm2.input", ".mlp.2"}},
};

constexpr Edge image_rest[] = {{"pixels", {}},
                               {"visual.patch_embedding", {"pixels"}},
                               {"visual.pre_norm.input", {"visual.patch_embedding"}},
                               {"visual.pre_norm", {"visual.pre_norm.input"}}};

constexpr Edge sampler_rest[] = {
    {"velocity", {"@velocity"}}, {"latent", {"velocity", "@latent"}}, {"x0", {"velocity", "@latent"}}};

/// The inputs of `leaf` in block `index` of the list `prefix` ("blocks."). `first` is the layer before the first block.
std::optional<Names> resolve(Edges edges, std::string_view leaf, const std::string& prefix, int index,
                             std::string_view first) {
    const std::string block = prefix + std::to_string(index);
    for (const Edge& e : edges)
        if (e.layer == leaf) {
            Names names;
            for (const std::string_view in : e.inputs) {
                if (in.empty()) break;
                if (in == "<")
                    names.push_back(index == 0 ? std::string(first) : prefix + std::to_string(index - 1));
                else if (in[0] == '.')
                    names.push_back(block + std::string(in));
                else
                    names.emplace_back(in);
            }
            return names;
        }
    return {};
}

/// Splits a layer's name: "blocks.12.norm1" with the prefix "blocks." gives 12 and "norm1". Empty for other names.
std::optional<std::pair<int, std::string_view>> block_of(std::string_view layer, std::string_view prefix) {
    if (!layer.starts_with(prefix)) return {};
    layer.remove_prefix(prefix.size());
    int index = 0;
    const auto [end, problem] = std::from_chars(layer.data(), layer.data() + layer.size(), index);
    if (problem != std::errc() || index < 0) return {};
    layer.remove_prefix(std::size_t(end - layer.data()));
    if (!layer.empty() && layer[0] != '.') return {};
    return std::pair{index, layer.empty() ? layer : layer.substr(1)};
}

std::optional<Names> inputs_in(Edges block, Edges rest, const std::string& prefix, std::string_view first,
                               std::string_view layer) {
    if (const auto at = block_of(layer, prefix)) return resolve(block, at->second, prefix, at->first, first);
    return resolve(rest, layer, {}, 0, {});
}

/// The inputs of the VAE's layers: residual blocks, attention, head. The input of a whole block is "@before".
std::optional<Names> vae_inputs(std::string_view layer) {
    const std::string name(layer);
    const auto ends = [&](std::string_view tail) { return layer.ends_with(tail); };
    if (layer == "picture") return Names{"decoder.head.2"};
    if (layer == "latent") return Names{"conv1"};
    if (layer == "conv2") return Names{"@decoded"};
    if (layer == "encoder.conv1") return Names{};
    for (const char* first : {".residual.0", ".shortcut", ".1.norm", ".head.0", ".resample.1", ".time_conv"})
        if (ends(first)) return Names{"@before"};
    // Within a residual block, an attention or the head.
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> chains{
        {{".residual.1", ".residual.0"},
         {".residual.2", ".residual.1"},
         {".residual.3", ".residual.2"},
         {".residual.4", ".residual.3"},
         {".residual.6", ".residual.4"},
         {".to_qkv", ".norm"},
         {".proj.input", ".to_qkv"},
         {".proj", ".proj.input"},
         {".head.1", ".head.0"},
         {".head.2", ".head.1"}}};
    for (const auto& [tail, before] : chains)
        if (ends(tail)) return Names{name.substr(0, name.size() - tail.size()).append(before)};
    if (ends(".middle.1")) return Names{name + ".proj", "@before"};
    return Names{name + ".residual.6", name + ".shortcut", "@before"}; // a block, or a convolution with "@before" only
}

} // namespace

std::optional<Names> inputs_of(std::string_view component, std::string_view layer) {
    if (component == "transformer" || component == "transformer_low")
        return inputs_in(transformer_block, transformer_rest, "blocks.", "patch_embedding", layer);
    if (component == "text_encoder") return inputs_in(text_block, text_rest, "blocks.", "token_embedding", layer);
    if (component == "image_encoder")
        return inputs_in(image_block, image_rest, "visual.transformer.", "visual.pre_norm", layer);
    if (component == "sampler") return resolve(sampler_rest, layer, {}, 0, {});
    if (component == "vae_encoder" || component == "vae_decoder") return vae_inputs(layer);
    return {};
}

std::optional<PointwiseLayer> pointwise_of(std::string_view component, std::string_view layer) {
    if (component == "text_encoder" && layer.ends_with(".ffn.fc2.input")) { // fc1(x) * gelu(gate(x)) in spec/umt5.md
        const std::string feed_forward(layer.substr(0, layer.size() - std::string_view("fc2.input").size()));
        return PointwiseLayer{Pointwise::product, {feed_forward + "gate.1", feed_forward + "fc1"}};
    }
    struct Activation {
        std::string_view component, end;
        Pointwise kind;
    };
    static constexpr Activation activations[] = {
        {"transformer", ".ffn.1", Pointwise::gelu},
        {"transformer", "text_embedding.1", Pointwise::gelu},
        {"transformer", "img_emb.proj.2", Pointwise::gelu},
        {"transformer", "time_embedding.1", Pointwise::silu},
        {"transformer", "time_projection.0", Pointwise::silu},
        {"transformer", "fps_projection.1", Pointwise::silu},
        {"text_encoder", ".ffn.gate.1", Pointwise::gelu},
        {"image_encoder", ".mlp.1", Pointwise::gelu},
        {"vae_", ".residual.1", Pointwise::silu},
        {"vae_", ".residual.4", Pointwise::silu},
        {"vae_", ".head.1", Pointwise::silu},
    };
    for (const Activation& a : activations)
        if (component.starts_with(a.component) && layer.ends_with(a.end))
            if (const auto inputs = inputs_of(component, layer); inputs && inputs->size() == 1)
                return PointwiseLayer{a.kind, *inputs};
    return {};
}

} // namespace denoir::metrics

// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/name_rules.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace denoir {
namespace {

using Rules = std::vector<NameRule>;

constexpr int max_levels = 8; // of a VAE

// The transformer: spec/dit.md 4.1

Rules transformer_rules() {
    Rules rules{
        {"patch_embedding", "patch_embedding", NameKind::patch},
        {"text_embedding.0", "condition_embedder.text_embedder.linear_1"},
        {"text_embedding.2", "condition_embedder.text_embedder.linear_2"},
        {"time_embedding.0", "condition_embedder.time_embedder.linear_1"},
        {"time_embedding.2", "condition_embedder.time_embedder.linear_2"},
        {"time_projection.1", "condition_embedder.time_proj"},
        {"img_emb.proj.0", "condition_embedder.image_embedder.norm1", NameKind::norm},
        {"img_emb.proj.1", "condition_embedder.image_embedder.ff.net.0.proj"},
        {"img_emb.proj.3", "condition_embedder.image_embedder.ff.net.2"},
        {"img_emb.proj.4", "condition_embedder.image_embedder.norm2", NameKind::norm},
        {"img_emb.emb_pos", "condition_embedder.image_embedder.pos_embed", NameKind::tensor},
        {"fps_embedding", "fps_embedding"},
        {"fps_projection.0", "fps_projection.net.0.proj"},
        {"fps_projection.2", "fps_projection.net.2"},
        {"head.head", "proj_out"},
        {"head.modulation", "scale_shift_table", NameKind::tensor},
        {"blocks.#.modulation", "blocks.#.scale_shift_table", NameKind::tensor},
        {"blocks.#.norm3", "blocks.#.norm2",
         NameKind::norm}, // the affine one, before cross-attention; the numbers do differ
        {"blocks.#.ffn.0", "blocks.#.ffn.net.0.proj"},
        {"blocks.#.ffn.2", "blocks.#.ffn.net.2"},
        {"blocks.#.cross_attn.k_img", "blocks.#.attn2.add_k_proj"},
        {"blocks.#.cross_attn.v_img", "blocks.#.attn2.add_v_proj"},
        {"blocks.#.cross_attn.norm_k_img", "blocks.#.attn2.norm_added_k", NameKind::norm},
    };
    const std::array<std::pair<std::string, std::string>, 2> attentions{
        {{"self_attn", "attn1"}, {"cross_attn", "attn2"}}};
    const std::array<std::pair<std::string, std::string>, 4> projections{
        {{"q", "to_q"}, {"k", "to_k"}, {"v", "to_v"}, {"o", "to_out.0"}}};
    for (const auto& [original, other] : attentions) {
        const std::string from = "blocks.#." + original + ".", to = "blocks.#." + other + ".";
        for (const auto& [p, q] : projections) rules.push_back({from + p, to + q});
        for (const std::string norm : {"norm_q", "norm_k"}) rules.push_back({from + norm, to + norm, NameKind::norm});
    }
    return rules;
}

// The VAEs: spec/vae21.md 3.4, spec/vae22.md 7

void add_residual(Rules& rules, const std::string& from, const std::string& to) {
    rules.push_back({from + ".residual.0.gamma", to + ".norm1.gamma", NameKind::tensor});
    rules.push_back({from + ".residual.2", to + ".conv1", NameKind::conv3d});
    rules.push_back({from + ".residual.3.gamma", to + ".norm2.gamma", NameKind::tensor});
    rules.push_back({from + ".residual.6", to + ".conv2", NameKind::conv3d});
    rules.push_back({from + ".shortcut", to + ".conv_shortcut", NameKind::conv3d});
}

void add_resample(Rules& rules, const std::string& from, const std::string& to) {
    rules.push_back({from + ".resample.1", to + ".resample.1", NameKind::conv2d});
    rules.push_back({from + ".time_conv", to + ".time_conv", NameKind::conv3d});
}

Rules vae_common_rules() {
    Rules rules{{"conv1", "quant_conv", NameKind::conv3d}, {"conv2", "post_quant_conv", NameKind::conv3d}};
    for (const std::string half : {"encoder", "decoder"}) {
        rules.push_back({half + ".conv1", half + ".conv_in", NameKind::conv3d});
        rules.push_back({half + ".head.0.gamma", half + ".norm_out.gamma", NameKind::tensor});
        rules.push_back({half + ".head.2", half + ".conv_out", NameKind::conv3d});
        add_residual(rules, half + ".middle.0", half + ".mid_block.resnets.0");
        add_residual(rules, half + ".middle.2", half + ".mid_block.resnets.1");
        const std::string from = half + ".middle.1", to = half + ".mid_block.attentions.0";
        rules.push_back({from + ".norm.gamma", to + ".norm.gamma", NameKind::tensor});
        rules.push_back({from + ".to_qkv", to + ".to_qkv", NameKind::conv2d});
        rules.push_back({from + ".proj", to + ".proj", NameKind::conv2d});
    }
    return rules;
}

Rules vae21_rules(int blocks) {
    Rules rules = vae_common_rules();
    add_residual(rules, "encoder.downsamples.#", "encoder.down_blocks.#"); // one flat list in both layouts
    add_resample(rules, "encoder.downsamples.#", "encoder.down_blocks.#");
    // The decoder's flat list is cut in levels of (three) residual blocks and one upsampling.
    for (int i = 0; i < max_levels * (blocks + 1) - 1; ++i) {
        const int level = i / (blocks + 1), k = i % (blocks + 1);
        const std::string from = fmt::format("decoder.upsamples.{}", i);
        if (k == blocks)
            add_resample(rules, from, fmt::format("decoder.up_blocks.{}.upsamplers.0", level));
        else
            add_residual(rules, from, fmt::format("decoder.up_blocks.{}.resnets.{}", level, k));
    }
    return rules;
}

Rules vae22_rules(int blocks) {
    Rules rules = vae_common_rules();
    for (int r = 0; r < blocks; ++r) {
        if (r < blocks - 1)
            add_residual(rules, fmt::format("encoder.downsamples.#.downsamples.{}", r),
                         fmt::format("encoder.down_blocks.#.resnets.{}", r));
        add_residual(rules, fmt::format("decoder.upsamples.#.upsamples.{}", r),
                     fmt::format("decoder.up_blocks.#.resnets.{}", r));
    }
    add_resample(rules, fmt::format("encoder.downsamples.#.downsamples.{}", blocks - 1),
                 "encoder.down_blocks.#.downsampler");
    add_resample(rules, fmt::format("decoder.upsamples.#.upsamples.{}", blocks), "decoder.up_blocks.#.upsampler");
    return rules;
}

// The text encoder: spec/umt5.md 2

Rules umt5_rules(Layout layout) {
    const bool llama = layout == Layout::llama;
    const std::string block = llama ? "enc.blk.#." : "encoder.block.#.layer.";
    const std::string attention = llama ? block + "attn_" : block + "0.SelfAttention.",
                      ffn = block + "1.DenseReluDense.";
    Rules rules{
        {"token_embedding", llama ? "token_embd" : "shared"},
        {"norm", llama ? "enc.output_norm" : "encoder.final_layer_norm", NameKind::norm},
        {"blocks.#.norm1", llama ? block + "attn_norm" : block + "0.layer_norm", NameKind::norm},
        {"blocks.#.norm2", llama ? block + "ffn_norm" : block + "1.layer_norm", NameKind::norm},
        {"blocks.#.pos_embedding.embedding", llama ? block + "attn_rel_b" : attention + "relative_attention_bias"},
        {"blocks.#.ffn.gate.0", llama ? block + "ffn_gate" : ffn + "wi_0"},
        {"blocks.#.ffn.fc1", llama ? block + "ffn_up" : ffn + "wi_1"},
        {"blocks.#.ffn.fc2", llama ? block + "ffn_down" : ffn + "wo"},
    };
    for (const std::string p : {"q", "k", "v", "o"}) rules.push_back({"blocks.#.attn." + p, attention + p});
    return rules;
}

// The image encoder: spec/clip.md 3

Rules clip_rules() {
    const std::string from = "visual.transformer.#.", to = "vision_model.encoder.layers.#.";
    return {
        {"visual.patch_embedding", "vision_model.embeddings.patch_embedding", NameKind::conv2d},
        {"visual.cls_embedding", "vision_model.embeddings.class_embedding", NameKind::tensor},
        {"visual.pos_embedding", "vision_model.embeddings.position_embedding.weight", NameKind::tensor},
        {"visual.pre_norm", "vision_model.pre_layrnorm", NameKind::norm}, // the typo is theirs
        {"visual.post_norm", "vision_model.post_layernorm", NameKind::norm},
        {from + "norm1", to + "layer_norm1", NameKind::norm},
        {from + "norm2", to + "layer_norm2", NameKind::norm},
        {from + "attn.to_qkv", to + "self_attn.q_proj", NameKind::linear, 0},
        {from + "attn.to_qkv", to + "self_attn.k_proj", NameKind::linear, 1},
        {from + "attn.to_qkv", to + "self_attn.v_proj", NameKind::linear, 2},
        {from + "attn.proj", to + "self_attn.out_proj"},
        {from + "mlp.0", to + "mlp.fc1"},
        {from + "mlp.2", to + "mlp.fc2"},
    };
}

Rules open_clip_rules() {
    const std::string from = "visual.transformer.#.", to = "visual.transformer.resblocks.#.";
    return {
        {"visual.patch_embedding", "visual.conv1", NameKind::conv2d},
        {"visual.cls_embedding", "visual.class_embedding", NameKind::tensor},
        {"visual.pos_embedding", "visual.positional_embedding", NameKind::tensor},
        {"visual.pre_norm", "visual.ln_pre", NameKind::norm},
        {"visual.post_norm", "visual.ln_post", NameKind::norm},
        {"visual.head", "visual.proj", NameKind::tensor},
        {from + "norm1", to + "ln_1", NameKind::norm},
        {from + "norm2", to + "ln_2", NameKind::norm},
        {from + "attn.to_qkv.weight", to + "attn.in_proj_weight", NameKind::tensor},
        {from + "attn.to_qkv.bias", to + "attn.in_proj_bias", NameKind::tensor},
        {from + "attn.proj", to + "attn.out_proj"},
        {from + "mlp.0", to + "mlp.c_fc"},
        {from + "mlp.2", to + "mlp.c_proj"},
    };
}

/// A layout's rules with both sides the original names.
Rules identity(Rules rules) {
    Rules result;
    for (NameRule& r : rules) {
        if (r.part > 0) continue;
        result.push_back({r.original, r.original, r.kind});
    }
    return result;
}

Rules library_rules(Component component, Layout layout, int blocks) {
    switch (component) {
    case Component::transformer:
        return transformer_rules();
    case Component::vae21:
        return vae21_rules(blocks);
    case Component::vae22:
        return vae22_rules(blocks);
    case Component::umt5:
        return umt5_rules(layout);
    case Component::clip:
        return layout == Layout::open_clip ? open_clip_rules() : clip_rules();
    case Component::lora:
    case Component::unknown:
        break;
    }
    return {};
}

} // namespace

std::vector<NameRule> name_rules(Component component, Layout layout, int blocks) {
    if (layout != Layout::original) return library_rules(component, layout, blocks);
    Rules rules = identity(library_rules(component, Layout::diffusers, blocks));
    if (component == Component::clip) rules.push_back({"visual.head", "visual.head", NameKind::tensor});
    return rules;
}

} // namespace denoir

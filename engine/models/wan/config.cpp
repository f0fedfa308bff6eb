// SPDX-License-Identifier: Apache-2.0
#include "engine/models/wan/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/models/fields.h"
#include "engine/weights/module.h"

namespace denoir::wan {
namespace {

using fields::expect_affine;
using fields::times;

void expect_block(std::map<std::string, Shape>& all, const Config& c, std::int64_t index) {
    const std::string block = fmt::format("blocks.{}.", index);
    all[block + "modulation"] = {1, 6, c.dim};
    for (const char* attention : {"self_attn", "cross_attn"}) {
        for (const char* projection : {"q", "k", "v", "o"})
            expect_affine(all, fmt::format("{}{}.{}", block, attention, projection), {c.dim, c.dim});
        for (const char* norm : {"norm_q", "norm_k"})
            all[fmt::format("{}{}.{}.weight", block, attention, norm)] = {c.dim};
    }
    if (c.clip_dim) {
        for (const char* projection : {"k_img", "v_img"})
            expect_affine(all, block + "cross_attn." + projection, {c.dim, c.dim});
        all[block + "cross_attn.norm_k_img.weight"] = {c.dim};
    }
    expect_affine(all, block + "norm3", {c.dim});
    expect_affine(all, block + "ffn.0", {c.ffn_dim, c.dim});
    expect_affine(all, block + "ffn.2", {c.dim, c.ffn_dim});
}

/// Checks the sizes that config.json repeats, in original and diffusers spellings.
void check_config_json(const Weights& weights, const Config& c) {
    using fields::agree;
    agree(weights, {"dim"}, c.dim, "patch_embedding.weight");
    agree(weights, {"ffn_dim"}, c.ffn_dim, "blocks.0.ffn.0.weight");
    agree(weights, {"num_layers"}, c.layers, "blocks");
    agree(weights, {"in_dim", "in_channels"}, c.in_channels, "patch_embedding.weight");
    agree(weights, {"out_dim", "out_channels"}, c.out_channels, "head.head.weight");
    agree(weights, {"freq_dim"}, c.freq_dim, "time_embedding.0.weight");
    agree(weights, {"text_dim"}, c.text_dim, "text_embedding.0.weight");
    if (c.clip_dim) {
        agree(weights, {"image_dim"}, c.clip_dim, "img_emb.proj.0.weight");
        agree(weights, {"added_kv_proj_dim"}, c.dim, "blocks.0.cross_attn.k_img.weight");
    }
    if (c.clip_positions) agree(weights, {"pos_embed_seq_len"}, c.clip_positions, "img_emb.emb_pos");
    agree(weights, {"attention_head_dim"}, c.head_dim(), "patch_embedding.weight");
}

/// Checks the settings that are the same in every released transformer (spec/dit.md 1), in original and diffusers
/// spellings.
void check_supported(const Weights& weights) {
    const std::pair<const char*, std::vector<Json>> supported[] = {
        {"patch_size", {{1, 2, 2}, 2}}, // a number is that of a VAE which shares the config.json
        {"qk_norm", {true, "rms_norm_across_heads"}},
        {"cross_attn_norm", {true}},
        {"window_size", {{-1, -1}}}};
    for (const auto& [key, values] : supported)
        fields::check_supported(weights, key, values, "use a Wan or SkyReels-V2 model");
}

} // namespace

std::map<std::string, Shape> Config::expected() const {
    std::map<std::string, Shape> all;
    expect_affine(all, "patch_embedding", {dim, in_channels, 1, 2, 2});
    expect_affine(all, "text_embedding.0", {dim, text_dim});
    expect_affine(all, "text_embedding.2", {dim, dim});
    expect_affine(all, "time_embedding.0", {dim, freq_dim});
    expect_affine(all, "time_embedding.2", {dim, dim});
    expect_affine(all, "time_projection.1", {times(6, dim), dim});
    if (fps_rows) {
        all["fps_embedding.weight"] = {fps_rows, dim};
        expect_affine(all, "fps_projection.0", {dim, dim});
        expect_affine(all, "fps_projection.2", {times(6, dim), dim});
    }
    if (clip_dim) {
        expect_affine(all, "img_emb.proj.0", {clip_dim});
        expect_affine(all, "img_emb.proj.1", {clip_dim, clip_dim});
        expect_affine(all, "img_emb.proj.3", {dim, clip_dim});
        expect_affine(all, "img_emb.proj.4", {dim});
    }
    if (clip_positions) all["img_emb.emb_pos"] = {1, clip_positions, clip_dim};
    for (std::int64_t i = 0; i < layers; ++i) expect_block(all, *this, i);
    all["head.modulation"] = {1, 2, dim};
    expect_affine(all, "head.head", {times(4, out_channels), dim});
    return all;
}

Config Config::read(const Weights& weights, std::optional<std::int64_t> heads) {
    using fields::integer;
    using fields::size;
    Config c;
    c.dim = size(weights, "patch_embedding.weight", 0);
    c.in_channels = size(weights, "patch_embedding.weight", 1);
    c.freq_dim = size(weights, "time_embedding.0.weight", 1);
    c.text_dim = size(weights, "text_embedding.0.weight", 1);
    c.ffn_dim = size(weights, "blocks.0.ffn.0.weight", 0);
    c.layers = std::max(1, Module(weights)["blocks"].count());
    const std::int64_t head_rows = size(weights, "head.head.weight", 0);
    c.out_channels = head_rows < 0 ? -1 : head_rows / 4;
    // A branch that config.json speaks of must be there: a model that has lost it would make another video.
    const auto says = [&](std::string_view key) { return integer(weights, {key}).value_or(0) > 0; };
    if (weights.find("img_emb.proj.0.weight") || says("image_dim") || says("added_kv_proj_dim"))
        c.clip_dim = size(weights, "img_emb.proj.0.weight", 0);
    if (weights.find("img_emb.emb_pos") || says("pos_embed_seq_len"))
        c.clip_positions = size(weights, "img_emb.emb_pos", 1);
    const bool says_fps = fields::boolean(weights, "inject_sample_info").value_or(false);
    if (weights.find("fps_embedding.weight") || says_fps) c.fps_rows = size(weights, "fps_embedding.weight", 0);
    weights.require(c.expected());

    fields::check_sizes(weights, "patch_embedding.weight",
                        {c.dim, c.in_channels, c.freq_dim, c.text_dim, c.ffn_dim, c.out_channels});
    if (c.freq_dim % 2)
        throw Error(weights.origin(), "time_embedding.0.weight", fmt::format("an odd sinusoid width, {}", c.freq_dim),
                    "use a complete checkpoint");
    c.heads = fields::heads(weights, c.dim, heads, integer(weights, {"attention_head_dim"}, 1).value_or(128));
    if (c.head_dim() % 2)
        throw Error(
            weights.origin(), "heads",
            fmt::format("{} heads of {} channels: the position rotation needs an even number", c.heads, c.head_dim()),
            "give another number of heads");
    c.text_len = integer(weights, {"text_len"}, 1, fields::max_text_len).value_or(fields::usual_text_len);
    // diffusers writes 1 for "no blocks" (spec/dit.md 8).
    const std::int64_t block = integer(weights, {"num_frame_per_block"}, 0, 1 << 20).value_or(0);
    c.causal_block = block > 1 ? block : 0;
    c.eps = fields::eps(weights, "eps", 1e-6f);
    check_supported(weights);
    check_config_json(weights, c);
    return c;
}

} // namespace denoir::wan

// SPDX-License-Identifier: Apache-2.0
#include "support/name_lists.h"

namespace denoir::test {
namespace {

using Sizes = std::vector<std::int64_t>;

void layer(NameList& list, const std::string& name, Sizes weight) {
    const std::int64_t out = weight[0];
    list.emplace_back(name + ".weight", std::move(weight));
    list.emplace_back(name + ".bias", Sizes{out});
}

void residual(NameList& list, const std::string& p, std::int64_t in, std::int64_t out) {
    list.emplace_back(p + ".residual.0.gamma", Sizes{in, 1, 1, 1});
    layer(list, p + ".residual.2", {out, in, 3, 3, 3});
    list.emplace_back(p + ".residual.3.gamma", Sizes{out, 1, 1, 1});
    layer(list, p + ".residual.6", {out, out, 3, 3, 3});
    if (in != out) layer(list, p + ".shortcut", {out, in, 1, 1, 1});
}

void middle(NameList& list, const std::string& half, std::int64_t c) {
    residual(list, half + ".middle.0", c, c);
    list.emplace_back(half + ".middle.1.norm.gamma", Sizes{c, 1, 1});
    layer(list, half + ".middle.1.to_qkv", {3 * c, c, 1, 1});
    layer(list, half + ".middle.1.proj", {c, c, 1, 1});
    residual(list, half + ".middle.2", c, c);
}

void ends(NameList& list, const std::string& half, std::int64_t first_in, std::int64_t first_out, std::int64_t last_in,
          std::int64_t last_out) {
    layer(list, half + ".conv1", {first_out, first_in, 3, 3, 3});
    list.emplace_back(half + ".head.0.gamma", Sizes{last_in, 1, 1, 1});
    layer(list, half + ".head.2", {last_out, last_in, 3, 3, 3});
}

} // namespace

NameList transformer_names(const TransformerSize& s) {
    NameList list;
    const std::int64_t d = s.dim;
    layer(list, "patch_embedding", {d, s.in, 1, 2, 2});
    layer(list, "text_embedding.0", {d, s.text});
    layer(list, "text_embedding.2", {d, d});
    layer(list, "time_embedding.0", {d, s.freq});
    layer(list, "time_embedding.2", {d, d});
    layer(list, "time_projection.1", {6 * d, d});
    if (s.fps) {
        list.emplace_back("fps_embedding.weight", Sizes{2, d});
        layer(list, "fps_projection.0", {d, d});
        layer(list, "fps_projection.2", {6 * d, d});
    }
    if (s.clip) {
        layer(list, "img_emb.proj.0", {s.clip});
        layer(list, "img_emb.proj.1", {s.clip, s.clip});
        layer(list, "img_emb.proj.3", {d, s.clip});
        layer(list, "img_emb.proj.4", {d});
    }
    if (s.positions) list.emplace_back("img_emb.emb_pos", Sizes{1, s.positions, s.clip});
    for (std::int64_t i = 0; i < s.layers; ++i) {
        const std::string b = "blocks." + std::to_string(i) + ".";
        list.emplace_back(b + "modulation", Sizes{1, 6, d});
        layer(list, b + "norm3", {d});
        for (const std::string attention : {"self_attn.", "cross_attn."}) {
            for (const char* p : {"q", "k", "v", "o"}) layer(list, b + attention + p, {d, d});
            for (const char* p : {"norm_q", "norm_k"}) list.emplace_back(b + attention + p + ".weight", Sizes{d});
        }
        if (s.clip) {
            for (const char* p : {"k_img", "v_img"}) layer(list, b + "cross_attn." + p, {d, d});
            list.emplace_back(b + "cross_attn.norm_k_img.weight", Sizes{d});
        }
        layer(list, b + "ffn.0", {s.ffn, d});
        layer(list, b + "ffn.2", {d, s.ffn});
    }
    list.emplace_back("head.modulation", Sizes{1, 2, d});
    layer(list, "head.head", {4 * s.out, d});
    return list;
}

NameList vae21_names(std::int64_t base, std::int64_t z) {
    NameList list;
    const std::int64_t a = base, b = 2 * base, c = 4 * base;
    ends(list, "encoder", 3, a, c, 2 * z);
    const std::vector<std::pair<int, std::pair<std::int64_t, std::int64_t>>> down{
        {0, {a, a}}, {1, {a, a}}, {3, {a, b}}, {4, {b, b}}, {6, {b, c}}, {7, {c, c}}, {9, {c, c}}, {10, {c, c}}};
    for (const auto& [i, w] : down) residual(list, "encoder.downsamples." + std::to_string(i), w.first, w.second);
    layer(list, "encoder.downsamples.2.resample.1", {a, a, 3, 3});
    layer(list, "encoder.downsamples.5.resample.1", {b, b, 3, 3});
    layer(list, "encoder.downsamples.5.time_conv", {b, b, 3, 1, 1});
    layer(list, "encoder.downsamples.8.resample.1", {c, c, 3, 3});
    layer(list, "encoder.downsamples.8.time_conv", {c, c, 3, 1, 1});
    middle(list, "encoder", c);
    layer(list, "conv1", {2 * z, 2 * z, 1, 1, 1});
    layer(list, "conv2", {z, z, 1, 1, 1});
    ends(list, "decoder", z, c, a, 3);
    middle(list, "decoder", c);
    const std::vector<std::pair<int, std::pair<std::int64_t, std::int64_t>>> up{
        {0, {c, c}}, {1, {c, c}}, {2, {c, c}},  {4, {b, c}},  {5, {c, c}},  {6, {c, c}},
        {8, {b, b}}, {9, {b, b}}, {10, {b, b}}, {12, {a, a}}, {13, {a, a}}, {14, {a, a}}};
    for (const auto& [i, w] : up) residual(list, "decoder.upsamples." + std::to_string(i), w.first, w.second);
    for (const char* i : {"3", "7"}) {
        layer(list, std::string("decoder.upsamples.") + i + ".resample.1", {b, c, 3, 3});
        layer(list, std::string("decoder.upsamples.") + i + ".time_conv", {2 * c, c, 3, 1, 1});
    }
    layer(list, "decoder.upsamples.11.resample.1", {a, b, 3, 3});
    return list;
}

NameList vae22_names(std::int64_t encoder, std::int64_t decoder, std::int64_t z) {
    NameList list;
    const std::int64_t e1 = encoder, e2 = 2 * encoder, e4 = 4 * encoder, d1 = decoder, d2 = 2 * decoder,
                       d4 = 4 * decoder;
    ends(list, "encoder", 12, e1, e4, 2 * z);
    const std::vector<std::pair<std::int64_t, std::int64_t>> down{{e1, e1}, {e1, e2}, {e2, e4}, {e4, e4}};
    for (std::size_t l = 0; l < 4; ++l) {
        const std::string p = "encoder.downsamples." + std::to_string(l) + ".downsamples.";
        residual(list, p + "0", down[l].first, down[l].second);
        residual(list, p + "1", down[l].second, down[l].second);
        if (l < 3) layer(list, p + "2.resample.1", {down[l].second, down[l].second, 3, 3});
        if (l == 1 || l == 2) layer(list, p + "2.time_conv", {down[l].second, down[l].second, 3, 1, 1});
    }
    middle(list, "encoder", e4);
    layer(list, "conv1", {2 * z, 2 * z, 1, 1, 1});
    layer(list, "conv2", {z, z, 1, 1, 1});
    ends(list, "decoder", z, d4, d1, 12);
    middle(list, "decoder", d4);
    const std::vector<std::pair<std::int64_t, std::int64_t>> up{{d4, d4}, {d4, d4}, {d4, d2}, {d2, d1}};
    for (std::size_t l = 0; l < 4; ++l) {
        const std::string p = "decoder.upsamples." + std::to_string(l) + ".upsamples.";
        residual(list, p + "0", up[l].first, up[l].second);
        residual(list, p + "1", up[l].second, up[l].second);
        residual(list, p + "2", up[l].second, up[l].second);
        if (l < 3) layer(list, p + "3.resample.1", {up[l].second, up[l].second, 3, 3});
        if (l < 2) layer(list, p + "3.time_conv", {2 * up[l].second, up[l].second, 3, 1, 1});
    }
    return list;
}

NameList umt5_names(std::int64_t vocabulary, std::int64_t dim, std::int64_t ffn, std::int64_t layers,
                    std::int64_t heads) {
    NameList list{{"token_embedding.weight", {vocabulary, dim}}, {"norm.weight", {dim}}};
    for (std::int64_t i = 0; i < layers; ++i) {
        const std::string b = "blocks." + std::to_string(i) + ".";
        for (const char* n : {"norm1.weight", "norm2.weight"}) list.emplace_back(b + n, Sizes{dim});
        for (const char* p : {"q", "k", "v", "o"}) list.emplace_back(b + "attn." + p + ".weight", Sizes{dim, dim});
        list.emplace_back(b + "pos_embedding.embedding.weight", Sizes{32, heads});
        list.emplace_back(b + "ffn.gate.0.weight", Sizes{ffn, dim});
        list.emplace_back(b + "ffn.fc1.weight", Sizes{ffn, dim});
        list.emplace_back(b + "ffn.fc2.weight", Sizes{dim, ffn});
    }
    return list;
}

NameList clip_names(std::int64_t width, std::int64_t mlp, std::int64_t layers, std::int64_t patch, std::int64_t tokens,
                    std::int64_t head) {
    NameList list{{"visual.patch_embedding.weight", {width, 3, patch, patch}},
                  {"visual.cls_embedding", {1, 1, width}},
                  {"visual.pos_embedding", {1, tokens, width}}};
    layer(list, "visual.pre_norm", {width});
    layer(list, "visual.post_norm", {width});
    if (head) list.emplace_back("visual.head", Sizes{width, head});
    for (std::int64_t i = 0; i < layers; ++i) {
        const std::string b = "visual.transformer." + std::to_string(i) + ".";
        layer(list, b + "norm1", {width});
        layer(list, b + "norm2", {width});
        layer(list, b + "attn.to_qkv", {3 * width, width});
        layer(list, b + "attn.proj", {width, width});
        layer(list, b + "mlp.0", {mlp, width});
        layer(list, b + "mlp.2", {width, mlp});
    }
    return list;
}

std::int64_t parameters(const NameList& list) {
    std::int64_t total = 0;
    for (const auto& [name, shape] : list) total += product(shape);
    return total;
}

TransformerSize tiny_transformer() {
    TransformerSize s;
    s.dim = 8, s.ffn = 12, s.layers = 2, s.text = 6, s.freq = 4;
    return s;
}

} // namespace denoir::test

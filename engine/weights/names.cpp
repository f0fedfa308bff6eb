// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/names.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace denoir {
namespace {

constexpr std::size_t max_tensors = 10'000; // no network that we know has a fifth of this

/// What hangs below a name: a layer with weight and bias, or the tensor itself.
enum class Kind : std::uint8_t {
    linear, // weight [out, in], bias
    norm,   // weight [n], bias
    conv3d, // weight of rank 5, bias
    patch,  // the same; GGUF files may fold it to rank 4
    conv2d, // weight of rank 4, bias
    tensor, // no leaf, any rank
};

/// `#` stands for any index. Both patterns have the same number of them.
struct Rule {
    std::string original, other;
    Kind kind = Kind::linear;
    int part = -1;
};

struct Table {
    Component component;
    Layout layout;
    std::vector<Rule> rules;
    std::unordered_map<std::string, const Rule*> by_original, by_other; // split q/k/v: by_original leads to part 0
};

// The transformer: spec/dit.md 4.1

std::vector<Rule> transformer_rules() {
    std::vector<Rule> rules{
        {"patch_embedding", "patch_embedding", Kind::patch},
        {"text_embedding.0", "condition_embedder.text_embedder.linear_1"},
        {"text_embedding.2", "condition_embedder.text_embedder.linear_2"},
        {"time_embedding.0", "condition_embedder.time_embedder.linear_1"},
        {"time_embedding.2", "condition_embedder.time_embedder.linear_2"},
        {"time_projection.1", "condition_embedder.time_proj"},
        {"img_emb.proj.0", "condition_embedder.image_embedder.norm1", Kind::norm},
        {"img_emb.proj.1", "condition_embedder.image_embedder.ff.net.0.proj"},
        {"img_emb.proj.3", "condition_embedder.image_embedder.ff.net.2"},
        {"img_emb.proj.4", "condition_embedder.image_embedder.norm2", Kind::norm},
        {"img_emb.emb_pos", "condition_embedder.image_embedder.pos_embed", Kind::tensor},
        {"fps_embedding", "fps_embedding"},
        {"fps_projection.0", "fps_projection.net.0.proj"},
        {"fps_projection.2", "fps_projection.net.2"},
        {"head.head", "proj_out"},
        {"head.modulation", "scale_shift_table", Kind::tensor},
        {"blocks.#.modulation", "blocks.#.scale_shift_table", Kind::tensor},
        {"blocks.#.norm3", "blocks.#.norm2", Kind::norm}, // the affine one, before cross-attention; the numbers do differ
        {"blocks.#.ffn.0", "blocks.#.ffn.net.0.proj"},
        {"blocks.#.ffn.2", "blocks.#.ffn.net.2"},
        {"blocks.#.cross_attn.k_img", "blocks.#.attn2.add_k_proj"},
        {"blocks.#.cross_attn.v_img", "blocks.#.attn2.add_v_proj"},
        {"blocks.#.cross_attn.norm_k_img", "blocks.#.attn2.norm_added_k", Kind::norm},
    };
    const std::array<std::pair<std::string, std::string>, 2> attentions{{{"self_attn", "attn1"}, {"cross_attn", "attn2"}}};
    const std::array<std::pair<std::string, std::string>, 4> projections{{{"q", "to_q"}, {"k", "to_k"}, {"v", "to_v"}, {"o", "to_out.0"}}};
    for (const auto& [original, other] : attentions) {
        const std::string from = "blocks.#." + original + ".", to = "blocks.#." + other + ".";
        for (const auto& [p, q] : projections) rules.push_back({from + p, to + q});
        for (const std::string norm : {"norm_q", "norm_k"}) rules.push_back({from + norm, to + norm, Kind::norm});
    }
    return rules;
}

// The VAEs: spec/vae21.md 3.4, spec/vae22.md 7

void add_residual(std::vector<Rule>& rules, const std::string& from, const std::string& to) {
    rules.push_back({from + ".residual.0.gamma", to + ".norm1.gamma", Kind::tensor});
    rules.push_back({from + ".residual.2", to + ".conv1", Kind::conv3d});
    rules.push_back({from + ".residual.3.gamma", to + ".norm2.gamma", Kind::tensor});
    rules.push_back({from + ".residual.6", to + ".conv2", Kind::conv3d});
    rules.push_back({from + ".shortcut", to + ".conv_shortcut", Kind::conv3d});
}

void add_resample(std::vector<Rule>& rules, const std::string& from, const std::string& to) {
    rules.push_back({from + ".resample.1", to + ".resample.1", Kind::conv2d});
    rules.push_back({from + ".time_conv", to + ".time_conv", Kind::conv3d});
}

std::vector<Rule> vae_common_rules() {
    std::vector<Rule> rules{{"conv1", "quant_conv", Kind::conv3d}, {"conv2", "post_quant_conv", Kind::conv3d}};
    for (const std::string half : {"encoder", "decoder"}) {
        rules.push_back({half + ".conv1", half + ".conv_in", Kind::conv3d});
        rules.push_back({half + ".head.0.gamma", half + ".norm_out.gamma", Kind::tensor});
        rules.push_back({half + ".head.2", half + ".conv_out", Kind::conv3d});
        add_residual(rules, half + ".middle.0", half + ".mid_block.resnets.0");
        add_residual(rules, half + ".middle.2", half + ".mid_block.resnets.1");
        const std::string from = half + ".middle.1", to = half + ".mid_block.attentions.0";
        rules.push_back({from + ".norm.gamma", to + ".norm.gamma", Kind::tensor});
        rules.push_back({from + ".to_qkv", to + ".to_qkv", Kind::conv2d});
        rules.push_back({from + ".proj", to + ".proj", Kind::conv2d});
    }
    return rules;
}

std::vector<Rule> vae21_rules() {
    std::vector<Rule> rules = vae_common_rules();
    add_residual(rules, "encoder.downsamples.#", "encoder.down_blocks.#"); // one flat list in both layouts
    add_resample(rules, "encoder.downsamples.#", "encoder.down_blocks.#");
    // The decoder's flat list is cut in levels of three residual blocks and one upsampling.
    for (int i = 0; i < 15; ++i) {
        const std::string from = "decoder.upsamples." + std::to_string(i), level = "decoder.up_blocks." + std::to_string(i / 4);
        if (i % 4 == 3)
            add_resample(rules, from, level + ".upsamplers.0");
        else
            add_residual(rules, from, level + ".resnets." + std::to_string(i % 4));
    }
    return rules;
}

std::vector<Rule> vae22_rules() {
    std::vector<Rule> rules = vae_common_rules();
    for (const std::string r : {"0", "1", "2"}) {
        if (r != "2") add_residual(rules, "encoder.downsamples.#.downsamples." + r, "encoder.down_blocks.#.resnets." + r);
        add_residual(rules, "decoder.upsamples.#.upsamples." + r, "decoder.up_blocks.#.resnets." + r);
    }
    add_resample(rules, "encoder.downsamples.#.downsamples.2", "encoder.down_blocks.#.downsampler");
    add_resample(rules, "decoder.upsamples.#.upsamples.3", "decoder.up_blocks.#.upsampler");
    return rules;
}

// The text encoder: spec/umt5.md 2

std::vector<Rule> umt5_rules(Layout layout) {
    const bool llama = layout == Layout::llama;
    const std::string block = llama ? "enc.blk.#." : "encoder.block.#.layer.";
    const std::string attention = llama ? block + "attn_" : block + "0.SelfAttention.", ffn = block + "1.DenseReluDense.";
    std::vector<Rule> rules{
        {"token_embedding", llama ? "token_embd" : "shared"},
        {"norm", llama ? "enc.output_norm" : "encoder.final_layer_norm", Kind::norm},
        {"blocks.#.norm1", llama ? block + "attn_norm" : block + "0.layer_norm", Kind::norm},
        {"blocks.#.norm2", llama ? block + "ffn_norm" : block + "1.layer_norm", Kind::norm},
        {"blocks.#.pos_embedding.embedding", llama ? block + "attn_rel_b" : attention + "relative_attention_bias"},
        {"blocks.#.ffn.gate.0", llama ? block + "ffn_gate" : ffn + "wi_0"},
        {"blocks.#.ffn.fc1", llama ? block + "ffn_up" : ffn + "wi_1"},
        {"blocks.#.ffn.fc2", llama ? block + "ffn_down" : ffn + "wo"},
    };
    for (const std::string p : {"q", "k", "v", "o"}) rules.push_back({"blocks.#.attn." + p, attention + p});
    return rules;
}

// The image encoder: spec/clip.md 3

std::vector<Rule> clip_rules() {
    const std::string from = "visual.transformer.#.", to = "vision_model.encoder.layers.#.";
    return {
        {"visual.patch_embedding", "vision_model.embeddings.patch_embedding", Kind::conv2d},
        {"visual.cls_embedding", "vision_model.embeddings.class_embedding", Kind::tensor},
        {"visual.pos_embedding", "vision_model.embeddings.position_embedding.weight", Kind::tensor},
        {"visual.pre_norm", "vision_model.pre_layrnorm", Kind::norm}, // the typo is theirs
        {"visual.post_norm", "vision_model.post_layernorm", Kind::norm},
        {from + "norm1", to + "layer_norm1", Kind::norm},
        {from + "norm2", to + "layer_norm2", Kind::norm},
        {from + "attn.to_qkv", to + "self_attn.q_proj", Kind::linear, 0},
        {from + "attn.to_qkv", to + "self_attn.k_proj", Kind::linear, 1},
        {from + "attn.to_qkv", to + "self_attn.v_proj", Kind::linear, 2},
        {from + "attn.proj", to + "self_attn.out_proj"},
        {from + "mlp.0", to + "mlp.fc1"},
        {from + "mlp.2", to + "mlp.fc2"},
    };
}

std::vector<Rule> open_clip_rules() {
    const std::string from = "visual.transformer.#.", to = "visual.transformer.resblocks.#.";
    return {
        {"visual.patch_embedding", "visual.conv1", Kind::conv2d},
        {"visual.cls_embedding", "visual.class_embedding", Kind::tensor},
        {"visual.pos_embedding", "visual.positional_embedding", Kind::tensor},
        {"visual.pre_norm", "visual.ln_pre", Kind::norm},
        {"visual.post_norm", "visual.ln_post", Kind::norm},
        {"visual.head", "visual.proj", Kind::tensor},
        {from + "norm1", to + "ln_1", Kind::norm},
        {from + "norm2", to + "ln_2", Kind::norm},
        {from + "attn.to_qkv.weight", to + "attn.in_proj_weight", Kind::tensor},
        {from + "attn.to_qkv.bias", to + "attn.in_proj_bias", Kind::tensor},
        {from + "attn.proj", to + "attn.out_proj"},
        {from + "mlp.0", to + "mlp.c_fc"},
        {from + "mlp.2", to + "mlp.c_proj"},
    };
}

/// A layout's rules with both sides the original names.
std::vector<Rule> identity(std::vector<Rule> rules) {
    std::vector<Rule> result;
    for (Rule& r : rules) {
        if (r.part > 0) continue;
        result.push_back({r.original, r.original, r.kind});
    }
    return result;
}

const std::vector<Table>& tables() {
    static const std::vector<Table> all = [] {
        std::vector<Table> t;
        const auto add = [&](Component component, Layout layout, std::vector<Rule> rules) { t.push_back({component, layout, std::move(rules), {}, {}}); };
        // Where two layouts explain a group equally well the earlier one is taken.
        add(Component::transformer, Layout::original, identity(transformer_rules()));
        add(Component::transformer, Layout::diffusers, transformer_rules());
        add(Component::vae21, Layout::original, identity(vae21_rules()));
        add(Component::vae21, Layout::diffusers, vae21_rules());
        add(Component::vae22, Layout::original, identity(vae22_rules()));
        add(Component::vae22, Layout::diffusers, vae22_rules());
        add(Component::umt5, Layout::original, identity(umt5_rules(Layout::diffusers)));
        add(Component::umt5, Layout::diffusers, umt5_rules(Layout::diffusers));
        add(Component::umt5, Layout::llama, umt5_rules(Layout::llama));
        add(Component::clip, Layout::original, identity(clip_rules()));
        t.back().rules.push_back({"visual.head", "visual.head", Kind::tensor});
        add(Component::clip, Layout::diffusers, clip_rules());
        add(Component::clip, Layout::open_clip, open_clip_rules());
        for (Table& table : t)
            for (const Rule& rule : table.rules) table.by_original.emplace(rule.original, &rule), table.by_other.emplace(rule.other, &rule);
        return t;
    }();
    return all;
}

const Table* find_table(Component component, Layout layout) {
    const auto it = std::find_if(tables().begin(), tables().end(), [&](const Table& t) { return t.component == component && t.layout == layout; });
    return it == tables().end() ? nullptr : &*it;
}

// Matching

bool is_index(std::string_view segment) {
    return !segment.empty() && segment.size() <= 6 && std::all_of(segment.begin(), segment.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct Match {
    const Rule* rule = nullptr;
    std::vector<std::string_view> indices;
};

/// Finds the pattern that `name` fits. Each index may stand for itself ("ffn.0") or for a `#`.
Match match(const std::unordered_map<std::string, const Rule*>& rules, std::string_view name) {
    std::vector<std::string_view> segments;
    std::vector<std::size_t> numeric;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        segments.push_back(name.substr(begin, end - begin));
        if (is_index(segments.back())) numeric.push_back(segments.size() - 1);
        begin = end + 1;
    }
    if (numeric.size() > 3 || segments.size() > 10) return {};
    for (unsigned mask = 0; mask < 1u << numeric.size(); ++mask) {
        std::string key;
        std::vector<std::string_view> indices;
        for (std::size_t s = 0, n = 0; s < segments.size(); ++s) {
            const bool any = n < numeric.size() && numeric[n] == s && (mask >> n & 1u);
            if (n < numeric.size() && numeric[n] == s) ++n;
            if (any) indices.push_back(segments[s]);
            if (s) key += '.';
            key += any ? std::string_view("#") : segments[s];
        }
        if (const auto it = rules.find(key); it != rules.end()) return {it->second, std::move(indices)};
    }
    return {};
}

std::string fill(std::string_view pattern, const std::vector<std::string_view>& indices) {
    std::string result;
    std::size_t next = 0;
    for (const char c : pattern) {
        if (c == '#')
            result += indices[next++];
        else
            result += c;
    }
    return result;
}

constexpr std::array<std::string_view, 8> leaves{"weight", "bias", "scale_weight", "weight_scale", "weight_scale_2", "scale_input", "input_scale", "comfy_quant"};

/// `name` cut into what a pattern may match and the leaf behind it (with its dot).
std::pair<std::string_view, std::string_view> cut_leaf(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || std::find(leaves.begin(), leaves.end(), name.substr(dot + 1)) == leaves.end()) return {name, {}};
    return {name.substr(0, dot), name.substr(dot)};
}

struct Found {
    Match match;
    std::string_view leaf;
};

Found find_rule(const std::unordered_map<std::string, const Rule*>& rules, std::string_view name) {
    if (Match whole = match(rules, name); whole.rule && whole.rule->kind == Kind::tensor) return {std::move(whole), {}};
    const auto [module, leaf] = cut_leaf(name);
    if (leaf.empty()) return {};
    Match found = match(rules, module);
    if (!found.rule || found.rule->kind == Kind::tensor) return {};
    return {std::move(found), leaf};
}

bool rank_fits(const Found& found, int rank) {
    if (found.leaf == ".bias") return rank == 1;
    if (found.leaf != ".weight") return true;
    switch (found.match.rule->kind) {
    case Kind::linear: return rank == 2;
    case Kind::norm: return rank == 1;
    case Kind::conv3d: return rank == 5;
    case Kind::patch: return rank == 5 || rank == 4;
    case Kind::conv2d: return rank == 4;
    case Kind::tensor: return true;
    }
    return false;
}

/// transformers keeps the same table under two names, in one file or the other or both.
std::string alias(Component component, Layout layout, std::string_view name) {
    constexpr std::string_view twin = "encoder.embed_tokens.";
    if (component == Component::umt5 && layout == Layout::diffusers && name.starts_with(twin)) return "shared." + std::string(name.substr(twin.size()));
    return std::string(name);
}

bool is_lora_key(std::string_view name) {
    return name.find("lora_") != std::string_view::npos || name.find(".lora.") != std::string_view::npos || name.ends_with(".diff") || name.ends_with(".diff_b");
}

} // namespace

std::string_view name(Layout layout) {
    switch (layout) {
    case Layout::original: return "original";
    case Layout::diffusers: return "diffusers";
    case Layout::open_clip: return "open_clip";
    case Layout::llama: return "llama.cpp";
    }
    return "";
}

std::optional<CanonicalName> canonical_name(Component component, Layout layout, std::string_view name) {
    const Table* table = find_table(component, layout);
    if (!table) return std::nullopt;
    const std::string plain = alias(component, layout, name);
    const Found found = find_rule(table->by_other, plain);
    if (!found.match.rule) return std::nullopt;
    return CanonicalName{fill(found.match.rule->original, found.match.indices) + std::string(found.leaf), found.match.rule->part};
}

std::optional<std::string> layout_name(Component component, Layout layout, std::string_view canonical, int part) {
    const Table* table = find_table(component, layout);
    if (!table) return std::nullopt;
    const Found found = find_rule(table->by_original, canonical);
    if (!found.match.rule) return std::nullopt;
    const Rule* rule = found.match.rule;
    if (rule->part >= 0)
        for (const Rule& r : table->rules)
            if (r.original == rule->original && r.part == std::max(part, 0)) rule = &r;
    return fill(rule->other, found.match.indices) + std::string(found.leaf);
}

bool is_split(Component component, Layout layout, std::string_view canonical) {
    const Table* table = find_table(component, layout);
    const Found found = table ? find_rule(table->by_original, canonical) : Found{};
    return found.match.rule && found.match.rule->part >= 0;
}

std::string_view known_prefix(std::string_view name) {
    static constexpr std::array<std::string_view, 6> prefixes{
        "text_encoders.umt5xxl.transformer.", "model.diffusion_model.", "first_stage_model.", "diffusion_model.", "model.", "vae."}; // longest first
    for (const std::string_view prefix : prefixes)
        if (name.starts_with(prefix)) return prefix;
    return {};
}

bool is_ignorable(Component component, std::string_view name) {
    const auto last = name.substr(name.rfind('.') + 1); // npos + 1 == 0
    if (last == "scaled_fp8" || last == "scale_input" || last == "input_scale" || last == "comfy_quant" || last == "spiece_model" || last == "position_ids" ||
        last == "log_scale" || last == "logit_scale")
        return true;
    switch (component) {
    case Component::transformer: return name.find(".norm_added_q.") != std::string_view::npos;
    case Component::umt5: return name.starts_with("decoder.") || name == "lm_head.weight";
    case Component::clip: {
        // The text half, in the three namings; what the tower's user never applies.
        static constexpr std::array<std::string_view, 10> beginnings{"textual.", "text_model.", "token_embedding.", "transformer.resblocks.", "positional_embedding",
                                                                     "text_projection", "ln_final.", "visual_projection.", "visual.post_norm.", "visual.head"};
        return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) { return name.starts_with(b); });
    }
    default: return false;
    }
}

Recognised recognise(std::span<const NamedRank> tensors) {
    if (std::any_of(tensors.begin(), tensors.end(), [](const NamedRank& t) { return is_lora_key(t.name); })) return {Component::lora, Layout::original};
    if (tensors.size() > max_tensors) return {};
    const bool has_visual = std::any_of(tensors.begin(), tensors.end(), [](const NamedRank& t) { return t.name.starts_with("visual."); });
    Recognised best;
    std::size_t best_count = 0;
    for (const Table& table : tables()) {
        const bool bare = !has_visual && table.component == Component::clip && table.layout != Layout::diffusers;
        std::size_t fits = 0, others = 0;
        for (const NamedRank& t : tensors) {
            const std::string plain = bare ? "visual." + std::string(t.name) : alias(table.component, table.layout, t.name);
            const Found found = find_rule(table.by_other, plain);
            if (found.match.rule && rank_fits(found, t.rank))
                ++fits;
            else if (!is_ignorable(table.component, t.name))
                ++others;
        }
        if (fits > best_count && fits >= others) best = {table.component, table.layout, bare}, best_count = fits;
    }
    return best;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/traits.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

namespace denoir {
namespace {

using Sizes = std::vector<std::int64_t>;
/// Shapes by canonical name; of a tensor that is split into q, k and v, one part's.
using Shapes = std::map<std::string, Sizes, std::less<>>;

Shapes canonical_shapes(const TensorGroup& group) {
    Shapes shapes;
    for (const auto& m : group.members) {
        const auto canonical = canonical_name(group.component(), group.recognised.layout, m.name);
        shapes.emplace(canonical ? canonical->name : m.name, m.tensor->shape);
    }
    return shapes;
}

std::int64_t axis(const Shapes& shapes, std::string_view name, std::size_t i) {
    const auto it = shapes.find(name);
    return it != shapes.end() && i < it->second.size() ? it->second[i] : -1;
}

/// The size of the last axis, or of the one `back` axes before it; -1: there is none.
std::int64_t last(const Shapes& shapes, std::string_view name, std::size_t back = 0) {
    const auto it = shapes.find(name);
    return it != shapes.end() && it->second.size() > back ? it->second[it->second.size() - 1 - back] : -1;
}

/// The number of distinct indices that follow `prefix` in names.
std::int64_t count(const Shapes& shapes, std::string_view prefix) {
    std::set<std::string, std::less<>> indices;
    for (auto it = shapes.lower_bound(prefix); it != shapes.end() && it->first.starts_with(prefix); ++it)
        indices.insert(it->first.substr(prefix.size(), it->first.find('.', prefix.size()) - prefix.size()));
    return static_cast<std::int64_t>(indices.size());
}

bool has_prefix(const Shapes& shapes, std::string_view prefix) {
    const auto it = shapes.lower_bound(prefix);
    return it != shapes.end() && it->first.starts_with(prefix);
}

std::int64_t first_known(std::initializer_list<std::int64_t> values) {
    for (const std::int64_t v : values)
        if (v > 0) return v;
    return -1;
}

/// A part of a tensor's name that tells a relative of Wan: Wan itself has no such layers.
struct Relative {
    std::string_view mark, name;
};
constexpr std::array relatives{Relative{"vace_", "VACE"},
                               Relative{"control_adapter.", "Fun-Control / camera"},
                               Relative{"ref_conv.", "Fun-Control / camera"},
                               Relative{"face_adapter.", "Animate"},
                               Relative{"pose_patch_embedding.", "Animate"},
                               Relative{"motion_encoder.", "Animate"},
                               Relative{"casual_audio_encoder.", "S2V"},
                               Relative{"audio_injector.", "S2V"},
                               Relative{"audio_proj.audio_proj_glob", "HuMo"},
                               Relative{"audio_proj.", "MultiTalk / InfiniteTalk"},
                               Relative{"audio_cross_attn.", "MultiTalk / InfiniteTalk"},
                               Relative{"cam_encoder.", "ReCamMaster"},
                               Relative{"ip_adapter", "Lynx / FantasyPortrait"},
                               Relative{"ref_adapter.", "Lynx / FantasyPortrait"},
                               Relative{"patch_embedding_pose.", "SCAIL"},
                               Relative{"to_gate_compress.", "FastWan (sparse attention)"},
                               Relative{"local_attn.", "TurboDiffusion (sparse-linear attention)"},
                               Relative{"LQ_proj_in.", "FlashVSR"},
                               Relative{"motion_attn.", "MTV-Crafter"},
                               Relative{"condition_embedding_align.", "SteadyDancer"},
                               Relative{"control_blocks_dense.", "LongVie"},
                               Relative{"refextractor.", "One-to-All"},
                               Relative{"action_model.", "Matrix-Game"}};

/// The name of a tensor that belongs to no layer of Wan; empty: there is none. Tensors that hang on a layer belong to
/// its quantisation.
std::string stranger_of(const TensorGroup& group) {
    if (group.component() != Component::transformer) return {};
    const auto known = [&](const std::string& name) {
        return canonical_name(group.component(), group.recognised.layout, name).has_value();
    };
    const auto hangs_on_a_layer = [&](const std::string& name) {
        for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
            if (known(name.substr(0, dot) + ".weight")) return true;
        return false;
    };
    for (const auto& m : group.members)
        if (!known(m.name) && !is_ignorable(group.component(), m.name) && !hangs_on_a_layer(m.name)) return m.name;
    return {};
}

std::string outside_of(const Shapes& shapes, const TransformerTraits& t) {
    for (const Relative& relative : relatives)
        for (const auto& [name, shape] : shapes) {
            const std::size_t at = name.find(relative.mark);
            if (at == 0 || (at != std::string::npos && name[at - 1] == '.')) return std::string(relative.name);
        }
    // The input channels of a supported model are those of a latent, or also four of a mask and those of a second
    // latent.
    const std::int64_t more = t.in_channels - t.out_channels;
    if (t.in_channels > 0 && t.out_channels > 0 && more != 0 && more != t.out_channels + 4)
        return fmt::format("Fun-Control or alike ({} input channels)", t.in_channels);
    return {};
}

TransformerTraits transformer_traits(const Shapes& s) {
    TransformerTraits t;
    t.dim = first_known(
        {last(s, "head.modulation"), axis(s, "patch_embedding.bias", 0), axis(s, "blocks.0.self_attn.q.weight", 0)});
    t.ffn_dim = axis(s, "blocks.0.ffn.0.weight", 0);
    t.layers = count(s, "blocks.");
    t.text_dim = axis(s, "text_embedding.0.weight", 1);
    t.freq_dim = axis(s, "time_embedding.0.weight", 1);
    if (const std::int64_t rows = axis(s, "head.head.weight", 0); rows > 0) t.out_channels = rows / 4;
    const auto patch = s.find("patch_embedding.weight");
    if (patch != s.end() && patch->second.size() == 5) t.in_channels = patch->second[1];
    if (patch != s.end() && patch->second.size() == 2) t.in_channels = patch->second[1] / 4; // a linear layer (rCM)
    t.clip = has_prefix(s, "img_emb.");
    t.clip_dim = axis(s, "img_emb.proj.1.weight", 1);
    t.first_last = s.contains("img_emb.emb_pos");
    t.fps = s.contains("fps_embedding.weight");
    t.outside = outside_of(s, t);
    return t;
}

Json transformer_sizes(const Shapes& s) {
    const TransformerTraits t = transformer_traits(s);
    Json json = {{"dim", t.dim},
                 {"ffn_dim", t.ffn_dim},
                 {"num_layers", t.layers},
                 {"in_dim", t.in_channels},
                 {"out_dim", t.out_channels},
                 {"text_dim", t.text_dim},
                 {"freq_dim", t.freq_dim}};
    if (t.clip) json["clip_dim"] = t.clip_dim;
    if (t.first_last) json["clip_positions"] = last(s, "img_emb.emb_pos", 1);
    if (t.fps) json["inject_sample_info"] = true;
    return json;
}

Json vae_sizes(const Shapes& s, bool second) {
    return {{"base_dim", axis(s, "encoder.conv1.weight", 0)},
            {"decoder_dim", axis(s, "decoder.head.0.gamma", 0)},
            {"z_dim", axis(s, "conv2.weight", 0)},
            {"in_channels", axis(s, "encoder.conv1.weight", 1)},
            {"out_channels", axis(s, "decoder.head.2.weight", 0)},
            {"scale_factor_spatial", second ? 16 : 8},
            {"scale_factor_temporal", 4}};
}

Json umt5_sizes(const Shapes& s) {
    return {{"vocab_size", axis(s, "token_embedding.weight", 0)},
            {"d_model", axis(s, "token_embedding.weight", 1)},
            {"d_ff", axis(s, "blocks.0.ffn.gate.0.weight", 0)},
            {"num_layers", count(s, "blocks.")},
            {"num_heads", axis(s, "blocks.0.pos_embedding.embedding.weight", 1)},
            {"relative_attention_num_buckets", axis(s, "blocks.0.pos_embedding.embedding.weight", 0)}};
}

Json clip_sizes(const Shapes& s) {
    const std::int64_t patch = last(s, "visual.patch_embedding.weight"),
                       width = axis(s, "visual.patch_embedding.weight", 0);
    return {{"hidden_size", width},
            {"intermediate_size", axis(s, "visual.transformer.0.mlp.0.weight", 0)},
            {"num_hidden_layers", count(s, "visual.transformer.")},
            {"patch_size", patch},
            {"tokens", last(s, "visual.pos_embedding", 1)}};
}

} // namespace

TransformerTraits TransformerTraits::read(const TensorGroup& group) {
    TransformerTraits traits = transformer_traits(canonical_shapes(group));
    if (traits.outside.empty())
        if (const std::string stranger = stranger_of(group); !stranger.empty())
            traits.outside = fmt::format("with layers of its own ({})", printable(stranger, 80));
    return traits;
}

std::string describe_relative(std::string_view outside) {
    return fmt::format("this is Wan's relative {}, which is not rendered here", outside);
}

Json describe_sizes(const TensorGroup& group) {
    const Component component = group.component();
    if (!is_network(component)) return Json::object();
    const Shapes shapes = canonical_shapes(group);
    Json all = component == Component::transformer ? transformer_sizes(shapes)
               : component == Component::umt5      ? umt5_sizes(shapes)
               : component == Component::clip      ? clip_sizes(shapes)
                                                   : vae_sizes(shapes, component == Component::vae22);
    Json known = Json::object();
    for (const auto& [key, value] : all.items())
        if (value.is_boolean() || value.get<std::int64_t>() >= 0) known[key] = value;
    return known;
}

} // namespace denoir

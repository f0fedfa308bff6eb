// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/companions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "engine/core/error.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/weights/config_file.h"
#include "engine/weights/experts.h"
#include "engine/weights/places.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/tokenizer_places.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// The class that the config.json beside a file names; empty if there is none or it cannot be read.
std::string class_beside(const fs::path& file) {
    try {
        return text_of(read_json_object(file.parent_path() / "config.json"), "_class_name");
    } catch (const Error&) { // whoever needs the config reports the error
        return {};
    }
}

/// Whether a VAE that looks like Wan 2.1's belongs to another model, by its name, its folder's or the config.json
/// beside it.
bool is_of_another_model(const fs::path& path) {
    const fs::path file = normal_path(path);
    const auto has = [](const std::string& text, const char* word) {
        return lower_ascii(text).find(word) != std::string::npos;
    };
    // Qwen-Image's VAE and the two of Wan-Alpha have Wan's names and shapes, but other values.
    const auto is_other = [&](const std::string& name) {
        return has(name, "qwen") || has(name, "wan_alpha") || has(name, "wan-alpha");
    };
    const std::string name = file.filename().string();
    if (is_other(name) || has(name, "wan")) return is_other(name);
    return is_other(file.parent_path().filename().string()) || has(class_beside(file), "qwen");
}

/// Whether this is LAION's CLIP, by its name: its vision tower has the same sizes as Wan's.
bool is_other_clip(const Network& n) { return lower_ascii(n.first_name()).find("laion") != std::string::npos; }

/// The file of a text encoder that carries the tokenizer: ComfyUI's as a tensor, a GGUF file in its metadata.
fs::path tokenizer_of(const Checkpoint& c) {
    const auto found =
        std::ranges::find_if(c.containers, [](const auto& container) { return carries_tokenizer(*container); });
    return found == c.containers.end() ? fs::path() : c.files[static_cast<std::size_t>(found - c.containers.begin())];
}

/// The folder that holds the tokenizer's files; empty: none.
fs::path tokenizer_in(const fs::path& folder) {
    for (const char* place : tokenizer_folders) {
        const fs::path candidate = *place ? folder / place : folder;
        for (const char* name : tokenizer_names)
            if (is_file(candidate / name)) return candidate;
    }
    return {};
}

/// Whether its sizes are those that the transformer was trained with.
bool suits(const Network& n, const TransformerTraits& traits) {
    const Json sizes = describe_sizes(*n.group);
    const auto equal = [&](const char* key, std::int64_t wanted) {
        return wanted < 0 || sizes.value(key, wanted) == wanted;
    };
    if (n.component() == Component::umt5) return equal("d_model", traits.text_dim);
    // Towers of the same width for larger pictures have other rows (224 pixels: 16 x 16 patches and the class token).
    if (n.component() == Component::clip)
        return equal("hidden_size", traits.clip_dim) && sizes.value("tokens", clip_rows) == clip_rows;
    // A VAE that also upscales (upscale2x) has more output channels than input channels.
    return equal("z_dim", traits.out_channels) && equal("out_channels", sizes.value("in_channels", std::int64_t{-1}));
}

/// Whether this is a CLIP that Wan does not use, such as SigLIP beside Flux: it has another width, or no class token.
bool is_foreign_clip(const Network& n, const TransformerTraits& traits) {
    const auto is_class_token = [](const TensorGroup::Member& m) {
        return m.name.ends_with("cls_embedding") || m.name.ends_with("class_embedding");
    };
    return n.component() == Component::clip &&
           (!suits(n, traits) || std::ranges::none_of(n.group->members, is_class_token));
}

/// Whether the engine can read the types of its tensors and its quantisation.
bool can_be_read(const Network& n) {
    const auto typed = [](const TensorGroup::Member& m) { return m.tensor->dtype.has_value(); };
    if (!std::ranges::all_of(n.group->members, typed)) return false;
    try {
        for (const auto& container : n.checkpoint->containers) check_quantisation(*container, {});
    } catch (const Error&) { // if it is used all the same, loading it reports the error
        return false;
    }
    return true;
}

} // namespace

void Companions::take(const std::vector<Network>& found) {
    for (const Component wanted : {Component::vae21, Component::vae22, Component::umt5, Component::clip})
        for (const Network& n : only(found, wanted))
            (wanted == Component::vae21 && is_of_another_model(n.files().front()) ? left_out_ : candidates_)
                .push_back(n);
}

void Companions::insist_on(const Network& chosen) {
    std::erase_if(candidates_, [&](const Network& n) { return same_kind(n.component(), chosen.component()); });
    if (is_vae(chosen.component())) left_out_.clear();
    if (chosen.component() == Component::clip) clip_is_named_ = true;
    candidates_.push_back(chosen);
}

void Companions::search_beside(const fs::path& folder, const fs::path& opened) {
    static constexpr std::array inner{"diffusion_models", "transformer",      "transformer_2",  "unet",
                                      "checkpoints",      "stable-diffusion", "distill_models", "high_noise_model",
                                      "low_noise_model"};
    static constexpr std::array companions{"vae",         "text_encoder", "text_encoders",     "clip", "image_encoder",
                                           "clip_vision", "umt5-xxl",     "xlm-roberta-large", "t5"};
    const auto any_of = [](const auto& names, const std::string& name) {
        return std::ranges::find(names, lower_ascii(name)) != names.end();
    };
    // People sort ComfyUI's files into folders of their own: diffusion_models/video/wan/2.2/i2v.
    constexpr int most_levels = 5;
    std::vector<fs::path> roots{normal_path(folder)};
    fs::path at = roots.front();
    for (int level = 0; level < most_levels && at.has_filename(); ++level, at = at.parent_path())
        if (const std::string name = at.filename().string();
            any_of(inner, name) || file_expert_of(name) != Expert::none)
            roots.push_back(at.parent_path());
    for (const fs::path& root : roots) {
        if (root != normal_path(opened)) take(search_.companions_beside(root));
        for (const fs::path& part : folders_in(root))
            if (any_of(companions, part.filename().string())) {
                take(search_.companions_beside(part));
                for (const fs::path& deeper : folders_in(part)) take(search_.companions_beside(deeper));
            }
        look_for_tokenizer(root);
    }
}

void Companions::insist_on_tokenizer(const fs::path& chosen) {
    const fs::path inside = tokenizer_in(chosen);
    tokenizer_ = inside.empty() ? chosen : inside;
}

void Companions::look_for_tokenizer(const fs::path& folder) {
    if (tokenizer_.empty()) tokenizer_ = tokenizer_in(folder);
}

std::vector<fs::path> Companions::best(Component wanted, const char* role, ModelFolder& model,
                                       const TransformerTraits& traits) {
    std::vector<const Network*> all;
    for (const Network& n : candidates_)
        if (n.component() == wanted && !is_foreign_clip(n, traits)) all.push_back(&n);
    if (all.empty()) return {};
    const auto rank = [&](const Network* n) {
        return std::tuple(suits(*n, traits), !is_other_clip(*n), can_be_read(*n), n->bytes());
    };
    std::ranges::stable_sort(all, std::greater(), rank);
    const Network& chosen = *all.front();
    if (all.size() > 1)
        model.warnings.push_back(fmt::format("{} files hold a {}; {} is used", all.size(), role, chosen.placed_name()));
    if (wanted == Component::umt5) {
        for (const Network* n : all) // they all carry the same tokenizer
            if (tokenizer_.empty() && (n == &chosen || suits(*n, traits))) tokenizer_ = tokenizer_of(*n->checkpoint);
        look_for_tokenizer(chosen.files().front().parent_path());
    }
    return chosen.files();
}

void Companions::choose(ModelFolder& model, const TransformerTraits& traits) {
    candidates_ = with_parts_joined(candidates_);
    second_vae_ = wants_second_vae(model, traits);
    model.vae = best(second_vae_ ? Component::vae22 : Component::vae21, "VAE", model, traits);
    model.text_encoder = best(Component::umt5, "text encoder", model, traits);
    // Without an image branch the transformer never reads a CLIP: it must not be reported, hashed or verified either.
    const bool transformer = !model.transformer.empty() || !model.transformer_low.empty();
    if (traits.clip || clip_is_named_ || !transformer)
        model.clip = best(Component::clip, "CLIP image encoder", model, traits);
    model.tokenizer = tokenizer_;
}

/// Whether there is a VAE of this kind with so many latent channels; -1: with any number.
bool Companions::has_vae(Component kind, std::int64_t channels) const {
    return std::ranges::any_of(candidates_, [&](const Network& n) {
        return n.component() == kind &&
               (channels < 0 || describe_sizes(*n.group).value("z_dim", std::int64_t{-1}) == channels);
    });
}

/// Whether the model needs Wan 2.2's VAE, not Wan 2.1's: by the transformer's latents, else by which of the two is
/// there, else by the config files (spec/checkpoints.md 1, 7).
bool Companions::wants_second_vae(const ModelFolder& model, const TransformerTraits& traits) const {
    if (traits.makes_vae22_latents()) return true; // though the VAE may be missing
    for (const std::int64_t channels : {traits.out_channels, std::int64_t{-1}}) {
        const bool first = has_vae(Component::vae21, channels), second = has_vae(Component::vae22, channels);
        if (first != second) return second;
    }
    const auto says = [](const Json& json, const char* key, const Json& value) {
        const auto it = json.find(key);
        return it != json.end() && *it == value;
    };
    return says(model.config, "model_type", "ti2v") || says(model.model_index, "expand_timesteps", true);
}

bool Companions::has_second_vae(const TransformerTraits& traits) const {
    return second_vae_ && has_vae(Component::vae22, traits.out_channels);
}

std::vector<std::string> Companions::left_out() const {
    std::vector<std::string> names;
    for (const Network& n : left_out_) names.push_back(n.placed_name());
    return names;
}

} // namespace denoir

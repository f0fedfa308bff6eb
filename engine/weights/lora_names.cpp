// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/lora_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/weights/names.h"

namespace denoir::lora {
namespace {

/// spec/checkpoints.md 9.1, 9.2; longer ones first.
constexpr std::array endings{Ending{".lora_linear_layer.down.weight", Kind::down},
                             Ending{".lora_linear_layer.up.weight", Kind::up},
                             Ending{".lora_down.weight", Kind::down},
                             Ending{".lora_up.weight", Kind::up},
                             Ending{".lora.down.weight", Kind::down},
                             Ending{".lora.up.weight", Kind::up},
                             Ending{"_lora.down.weight", Kind::down},
                             Ending{"_lora.up.weight", Kind::up},
                             Ending{".lora_down", Kind::down},
                             Ending{".lora_up", Kind::up},
                             Ending{".lora_A", Kind::down},
                             Ending{".lora_B", Kind::up},
                             Ending{".alpha", Kind::alpha},
                             Ending{".diff_b", Kind::bias},
                             Ending{".diff_m", Kind::modulation},
                             Ending{".set_weight", Kind::replacement},
                             Ending{".diff", Kind::difference},
                             Ending{".w_norm", Kind::difference},
                             Ending{".b_norm", Kind::bias}};

/// The ending if it is peft's: ".lora_A.weight", perhaps with an adapter's name, ".lora_A.default.weight".
std::optional<Ending> peft_ending(std::string_view name) {
    for (const auto& [mark, kind] : {Ending{".lora_A.", Kind::down}, Ending{".lora_B.", Kind::up}}) {
        const std::size_t at = name.rfind(mark);
        if (at == std::string_view::npos) continue;
        const std::string_view text = name.substr(at), rest = text.substr(mark.size()), leaf = last_part(rest);
        if (std::ranges::count(rest, '.') > 1) continue;
        if (leaf == "weight") return Ending{text, kind};
        if (leaf == "bias" && kind == Kind::up) return Ending{text, Kind::bias_of_up};
    }
    return std::nullopt;
}

struct Relative {
    std::string_view mark, name;
};
constexpr std::array relatives{Relative{"dora_scale", "DoRA"},
                               Relative{"lora_magnitude_vector", "DoRA"},
                               Relative{".lora_mid", "a LoRA of three parts"},
                               Relative{".hada_", "LoHa"},
                               Relative{".lokr_", "LoKr"},
                               Relative{".oft_", "OFT"},
                               Relative{".lora_E", "AdaLoRA"},
                               Relative{".reshape_weight", "a control LoRA, which adds input channels"}};

struct Prefix {
    std::string_view text;
    Expert expert = Expert::none; ///< the expert of Wan 2.2 that it mentions
};
/// Prefixes besides those of checkpoints (known_prefix).
constexpr std::array prefixes{Prefix{"base_model."}, Prefix{"transformer."},
                              Prefix{"transformer_1.", Expert::high}, // ai-toolkit
                              Prefix{"transformer_2.", Expert::low},  // also diffusers, whose first has no number
                              Prefix{"unet."}};
constexpr std::array<std::string_view, 4> flat_prefixes{"lora_unet__", "lora_unet_", "lora_transformer_", "lycoris_"};

/// A tensor's name without its last part; empty if it has only one.
std::string parent(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return std::string(name.substr(0, dot == std::string_view::npos ? 0 : dot));
}

} // namespace

std::optional<Ending> ending_of(std::string_view name) {
    if (const auto peft = peft_ending(name)) return peft;
    const auto it = std::ranges::find_if(endings, [&](const Ending& e) { return name.ends_with(e.text); });
    return it == endings.end() ? std::nullopt : std::optional(*it);
}

std::string_view relative_of(std::string_view name) {
    for (const Relative& other : relatives)
        if (name.find(other.mark) != std::string_view::npos) return other.name;
    return {};
}

Target target_of(std::string_view text) {
    Expert expert = Expert::none;
    for (bool found = true; found;) {
        const std::string_view known = known_prefix(text);
        text.remove_prefix(known.size());
        found = !known.empty();
        for (const Prefix& prefix : prefixes)
            if (text.starts_with(prefix.text)) {
                text.remove_prefix(prefix.text.size());
                if (prefix.expert != Expert::none) expert = prefix.expert;
                found = true;
            }
    }
    std::string module(text);
    // torch.compile's wrapper is removed from a flat name before its prefixes, since they share a `_` with it.
    constexpr std::string_view wrapper = "_orig_mod_";
    for (std::size_t at = module.find(wrapper); at != std::string::npos; at = module.find(wrapper, at))
        module.erase(at, wrapper.size());
    for (const std::string_view prefix : flat_prefixes)
        if (module.starts_with(prefix)) {
            module.erase(0, prefix.size());
            break;
        }
    return {std::move(module), expert};
}

std::string flattened(std::string_view name) {
    std::string out(name);
    std::ranges::replace(out, '.', '_');
    return out;
}

std::map<std::string, std::string, std::less<>> module_names(const Weights& weights) {
    std::map<std::string, std::string, std::less<>> all;
    const auto add = [&](const std::string& known, const std::string& canonical) {
        if (!known.empty()) all.emplace(flattened(known), canonical);
    };
    for (const auto& [name, weight] : weights.all()) {
        add(parent(name), parent(name)); // before diffusers' names: a name of both means the original's module
        add(name, name);
    }
    for (const auto& [name, weight] : weights.all())
        if (const auto other = layout_name(Component::transformer, Layout::diffusers, name)) {
            add(parent(*other), parent(name));
            add(*other, name);
        }
    return all;
}

} // namespace denoir::lora

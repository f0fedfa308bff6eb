// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/detect_family.h"

#include <algorithm>
#include <array>

#include "engine/core/error.h"
#include "engine/core/json_fields.h"
#include "engine/core/text.h"
#include "engine/weights/experts.h"

namespace denoir {
namespace {

/// Latent, mask and start image of an image-to-video model of Wan 2.1's VAE.
constexpr std::int64_t i2v_channels = 16 + 4 + 16;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Whether `text` holds `word` with no letters beside it: "df" in "skyreels-v2-df-1.3b", but not in "pdf".
bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_ascii_lower(text[at - 1])) && (end == text.size() || !is_ascii_lower(text[end])))
            return true;
    }
    return false;
}

bool is_true(const Json& json, const char* key) {
    const auto it = json.find(key);
    return it != json.end() && it->is_boolean() && it->get<bool>();
}

std::optional<Family> from_field(const Json& config, const std::string& file) {
    const auto it = config.find("family");
    if (it == config.end() || it->is_null()) return std::nullopt;
    const auto family = it->is_string() ? value_named(families, it->get_ref<const std::string&>()) : std::nullopt;
    if (!family) throw Error(file, "family", "not a known family", "use wan, skyreels, skyreels-df or wan2.2");
    return family;
}

/// spec/checkpoints.md 7: the rows that belong to one family alone.
std::optional<Family> from_tensors(const TransformerTraits& t) {
    if (t.fps) return Family::skyreels_df;
    if (t.in_channels == i2v_channels && !t.clip) return Family::wan22;
    if (t.makes_vae22_latents() && t.in_channels == t.out_channels) return Family::wan22;
    return std::nullopt;
}

std::optional<Family> from_model_index(const Json& index) {
    const std::string type = text_of(index, "_class_name");
    if (has(type, "SkyReelsV2DiffusionForcing")) return Family::skyreels_df;
    if (has(type, "SkyReels")) return Family::skyreels;
    const auto ratio = index.find("boundary_ratio");
    if ((ratio != index.end() && ratio->is_number()) || is_true(index, "expand_timesteps")) return Family::wan22;
    if (has(type, "Wan")) return Family::wan;
    return std::nullopt;
}

/// SkyReels' forcing and text-to-video models have the same tensors: a name must say which.
std::optional<Family> skyreels_from_name(std::string_view name, const TransformerTraits& t) {
    if (has_word(name, "df") || has(name, "forcing")) return Family::skyreels_df;
    if (has_word(name, "t2v") || has_word(name, "i2v") || t.in_channels == i2v_channels) return Family::skyreels;
    return std::nullopt;
}

/// A name with a single dot in place of whatever separates its parts: "Wan_2_2", "wan2-2", "Wan2___2".
std::string dotted(std::string_view name) {
    std::string parts;
    for (const char c : name) {
        const bool sign = c == '_' || c == '-' || c == '.' || c == ' ';
        if (!sign)
            parts += c;
        else if (!parts.ends_with('.'))
            parts += '.';
    }
    return parts;
}

bool says_wan21(std::string_view name) {
    const std::string parts = dotted(name);
    return has(parts, "wan2.1") || has(parts, "wan21") || has(parts, "wan.2.1");
}

std::optional<Family> wan_from_name(std::string_view name) {
    const std::string parts = dotted(name);
    for (const std::string_view p : {"wan2.2", "wan22", "wan.2.2"})
        if (has(parts, p)) return Family::wan22;
    if (expert_of(name) != Expert::none) return Family::wan22;
    if (says_wan21(name)) return Family::wan;
    if (has_word(name, "wan")) return Family::wan;
    return std::nullopt;
}

/// The index after "SkyReels" in a name; npos if it does not hold that.
std::size_t after_skyreels(std::string_view name) {
    for (const std::string_view spelling : {"skyreels", "sky_reels", "sky-reels"})
        if (const std::size_t at = name.find(spelling); at != std::string_view::npos) return at + spelling.size();
    return std::string_view::npos;
}

/// The family by the nearest name that tells it. Once a name mentions SkyReels, those further away may only say which
/// of its models it is.
std::optional<Family> from_names(const std::vector<std::string>& names, const TransformerTraits& t) {
    bool skyreels = false;
    for (const std::string& original : names) {
        const std::string name = lower_ascii(original);
        skyreels = skyreels || after_skyreels(name) != std::string::npos;
        if (const auto family = skyreels ? skyreels_from_name(name, t) : wan_from_name(name)) return family;
    }
    return std::nullopt;
}

/// Wan 2.1's first-last-frame model, or SkyReels' image-to-video model with diffusers' table of zeros (spec/dit.md 2).
Family first_last_family(const FamilyEvidence& e, const std::vector<std::string>& names) {
    auto family = from_model_index(e.model_index);
    if (!family) family = from_names(names, e.traits);
    return family == Family::skyreels || family == Family::skyreels_df ? Family::skyreels : Family::wan;
}

/// What follows "SkyReels" in the names of its models for other tasks, some of which have the tensors of V2.
constexpr std::array skyreels_relatives{std::pair{std::string_view("a1"), std::string_view("SkyReels-A1")},
                                        std::pair{std::string_view("a2"), std::string_view("SkyReels-A2")},
                                        std::pair{std::string_view("a3"), std::string_view("SkyReels-A3")},
                                        std::pair{std::string_view("v3"), std::string_view("SkyReels-V3")}};

/// Whether the name of the file or its folder says that it comes from an all-in-one file:
/// "wan2.2-i2v-rapid-aio-v10-Q4_K_M.gguf".
bool is_named_merge(const std::vector<std::string>& names) {
    const auto says = [](const std::string& original) {
        const std::string name = dotted(lower_ascii(original));
        return has(name, "rapidaio") ||
               (has_word(name, "rapid") && (has_word(name, "aio") || has(name, "allinone") || has(name, "all.in.one")));
    };
    return std::any_of(names.begin(), names.begin() + std::ptrdiff_t(std::min<std::size_t>(names.size(), 2)), says);
}

/// Whether this is a "rapid all-in-one": A14B's experts merged into one transformer. An expert itself never lies in an
/// all-in-one file.
bool is_merge(const FamilyEvidence& e) {
    return (e.all_in_one || is_named_merge(e.names)) && !e.two_experts && !is_ti2v(e) &&
           (e.names.empty() || expert_of(e.names.front()) == Expert::none);
}

std::optional<Family> by_evidence(const FamilyEvidence& e) {
    if (const auto family = from_tensors(e.traits)) return family;
    if (is_true(e.config, "inject_sample_info")) return Family::skyreels_df;
    if (text_of(e.config, "model_type") == "ti2v" || e.two_experts || e.second_vae) return Family::wan22;
    std::vector<std::string> names{
        text_of(e.config, "_class_name")}; // diffusers' SkyReelsV2Transformer3DModel is a hint, too
    names.insert(names.end(), e.names.begin(), e.names.end());
    if (e.traits.first_last || text_of(e.config, "model_type") == "flf2v") return first_last_family(e, names);
    if (const auto family = from_model_index(e.model_index)) return family;
    // Diffusers' class of Wan's transformers, of which those of 2.2 see no CLIP. Without CLIP either version has it.
    if (e.traits.clip && text_of(e.config, "_class_name") == "WanTransformer3DModel") return Family::wan;
    return from_names(names, e.traits);
}

} // namespace

bool is_ti2v(const FamilyEvidence& e) {
    return e.second_vae || e.traits.makes_vae22_latents() || text_of(e.config, "model_type") == "ti2v" ||
           is_true(e.model_index, "expand_timesteps");
}

std::optional<Family> detect_family(const FamilyEvidence& e) {
    if (const auto family = from_field(e.config, e.config_file)) return family;
    if (const auto family = from_field(e.model_index, e.index_file)) return family;
    const auto family = by_evidence(e);
    return family == Family::wan22 && is_merge(e) ? Family::wan : family;
}

std::optional<Family> family_of_one(const FamilyEvidence& e) {
    FamilyEvidence alone = e;
    alone.two_experts = false;
    const auto family = detect_family(alone);
    if (!family || *family == Family::wan22) return std::nullopt;
    if (*family != Family::wan || e.traits.clip || from_model_index(e.model_index)) return family;
    // The nearest name that mentions Wan counts; without a version it may be either.
    for (const std::string& original : e.names) {
        const std::string name = lower_ascii(original);
        if (const auto said = wan_from_name(name))
            return said == Family::wan && says_wan21(name) ? family : std::nullopt;
    }
    return std::nullopt;
}

std::string relative_by_name(const std::vector<std::string>& names) {
    for (const std::string& original : names) {
        const std::string name = lower_ascii(original);
        std::size_t at = after_skyreels(name);
        if (at == std::string::npos) {
            if (wan_from_name(name)) break; // names further away do not count
            continue;
        }
        while (at < name.size() && has("_- .", name.substr(at, 1))) ++at;
        const auto same = [&](std::string_view version) {
            const std::size_t end = at + version.size();
            return name.compare(at, version.size(), version) == 0 &&
                   (end == name.size() || !is_ascii_alphanumeric(name[end]));
        };
        const auto relative = std::ranges::find_if(skyreels_relatives, [&](const auto& r) { return same(r.first); });
        return relative == skyreels_relatives.end() ? std::string() : std::string(relative->second);
    }
    return {};
}

std::vector<std::string> hint_names(const std::filesystem::path& path) {
    namespace fs = std::filesystem;
    std::error_code ignored, broken;
    const fs::path named = fs::absolute(path, ignored).lexically_normal(), real = fs::canonical(path, broken);
    std::vector<fs::path> ways{named};
    if (!broken && real != named) ways.push_back(real);
    for (fs::path& way : ways)
        if (way.filename().empty()) way = way.parent_path();
    std::vector<std::string> names;
    for (int i = 0; i < 6; ++i)
        for (fs::path& way : ways) {
            if (way.has_filename()) names.push_back(way.filename().string());
            way = way.parent_path();
        }
    return names;
}

} // namespace denoir

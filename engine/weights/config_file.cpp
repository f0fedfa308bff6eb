// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/config_file.h"

#include <array>

#include "engine/core/file.h"
#include "engine/core/json_fields.h"

namespace denoir {
namespace {

constexpr std::size_t max_bytes = 1u << 20;

/// Whose config it is, by the class that wrote it; unknown where it does not say.
Component owner(const Json& json) {
    std::string type = text_of(json, "_class_name");
    if (const auto it = json.find("architectures");
        type.empty() && it != json.end() && it->is_array() && !it->empty() && (*it)[0].is_string())
        type = (*it)[0].get<std::string>();
    const auto has = [&](std::string_view part) { return type.find(part) != std::string::npos; };
    if (has("AutoencoderKL")) return Component::vae21;
    if (has("CLIP")) return Component::clip;
    if (has("T5")) return Component::umt5;
    if (has("Wan") || has("SkyReels") || has("Transformer")) return Component::transformer;
    const std::string model = text_of(json, "model_type");
    if (model == "clip_vision_model" || model == "clip") return Component::clip;
    if (model == "umt5" || model == "t5") return Component::umt5;
    if (!model.empty() || json.contains("in_dim") || json.contains("out_dim")) return Component::transformer;
    return Component::unknown;
}

bool same_network(Component a, Component b) { return a == b || (is_vae(a) && is_vae(b)); }

} // namespace

Json read_json_object(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return Json::object();
    Json json = parse_json(read_text(path, max_bytes), path.string());
    if (!json.is_object()) throw Error(path.string(), "", "not a JSON object", "download it again");
    return json;
}

Json read_config(const std::filesystem::path& folder, Component component) {
    Json json = read_json_object(folder / "config.json");
    const Component whose = owner(json);
    // CLIP's two towers share a file: sizes of the vision tower are an object in it.
    if (const auto tower = json.find("vision_config");
        component == Component::clip && tower != json.end() && tower->is_object())
        return Json(*tower);
    if (component == Component::unknown || whose == Component::unknown || same_network(whose, component)) return json;
    Json shared = Json::object();
    for (const char* key : {"text_len", "latents_mean", "latents_std", "family", "num_res_blocks"})
        if (const auto it = json.find(key); it != json.end()) shared[key] = *it;
    return shared;
}

Json carried_config(const Checkpoint& checkpoint) {
    for (const auto& container : checkpoint.containers) {
        const auto carried = container->metadata.find(carried_config_key);
        if (carried == container->metadata.end()) continue;
        const std::string name = container->file->name();
        const auto refuse = [&](const char* what) {
            throw Error(name, carried_config_key, what, "convert the model again");
        };
        if (carried->second.size() > max_bytes) refuse("is too long for a config.json");
        Json json = parse_json(carried->second, name);
        if (!json.is_object()) refuse("is not a JSON object");
        return json;
    }
    return Json::object();
}

Json with_carried(const Json& config, const Checkpoint& checkpoint) {
    Json all = carried_config(checkpoint);
    all.update(config);
    return all;
}

} // namespace denoir

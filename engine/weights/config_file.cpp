// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/file.h"
#include "engine/core/json_fields.h"
#include "engine/weights/parts.h"

namespace denoir {
namespace {

constexpr std::size_t max_bytes = 1u << 20;

/// The network that has numbers of these names, the transformer before others; unknown if there are none.
Component owner_by_keys(const Json& json) {
    struct Key {
        const char* key;
        Component owner;
    };
    static constexpr std::array keys{Key{"in_dim", Component::transformer},
                                     Key{"out_dim", Component::transformer},
                                     Key{"ffn_dim", Component::transformer},
                                     Key{"freq_dim", Component::transformer},
                                     Key{"text_dim", Component::transformer},
                                     Key{"inject_sample_info", Component::transformer},
                                     Key{"z_dim", Component::vae21},
                                     Key{"base_dim", Component::vae21},
                                     Key{"dim_mult", Component::vae21},
                                     Key{"temperal_downsample", Component::vae21},
                                     Key{"d_model", Component::umt5},
                                     Key{"d_ff", Component::umt5},
                                     Key{"d_kv", Component::umt5},
                                     Key{"vision_config", Component::clip},
                                     Key{"intermediate_size", Component::clip},
                                     Key{"projection_dim", Component::clip},
                                     Key{"dim", Component::transformer}}; // last, since other networks have one, too
    const auto found = std::ranges::find_if(keys, [&](const Key& k) { return json.contains(k.key); });
    return found == keys.end() ? Component::unknown : found->owner;
}

/// Whose config it is, by the class that wrote it, else by its keys; unknown if neither tells.
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
    return model.empty() ? owner_by_keys(json) : Component::transformer;
}

/// What a config.json says about `component`. `otherwise`: whose it is if it does not tell.
Json part_for(Component component, Json json, Component otherwise) {
    const Component said = owner(json), whose = said == Component::unknown ? otherwise : said;
    // CLIP's two towers share a file, in which the sizes of the vision tower are an object.
    if (const auto tower = json.find("vision_config");
        component == Component::clip && tower != json.end() && tower->is_object())
        return Json(*tower);
    if (component == Component::unknown || whose == Component::unknown || same_kind(whose, component)) return json;
    Json shared = Json::object();
    for (const char* key : {"text_len", "latents_mean", "latents_std", "family", "num_res_blocks"})
        if (const auto it = json.find(key); it != json.end()) shared[key] = *it;
    return shared;
}

/// Whether a file in `folder` holds a transformer, by its header. Files that cannot be read do not count.
bool transformer_lies_in(const std::filesystem::path& folder) {
    std::vector<Error> ignored;
    for (const CheckpointFiles& c : list_checkpoints(folder, &ignored)) try {
            if (holds(Checkpoint::open(c), Component::transformer)) return true;
        } catch (const Error&) {
            continue;
        }
    return false;
}

} // namespace

Json read_json_object(const std::filesystem::path& path) {
    std::error_code ignored; // if it cannot be found out, reading the file throws the reason
    if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found) return Json::object();
    Json json = parse_json(read_text(path, max_bytes), path.string());
    if (!json.is_object()) throw Error(path.string(), "", "not a JSON object", "download it again");
    return json;
}

std::string weights_stamp(std::span<const std::filesystem::path> files) {
    std::string stamp;
    for (const std::filesystem::path& file : files)
        stamp.append("\n").append(file_stamp(file)).append("\n").append(file_stamp(file.parent_path() / "config.json"));
    if (const std::filesystem::path index = index_of(files); !index.empty())
        stamp.append("\n").append(file_stamp(index));
    return stamp;
}

Json read_config(const std::filesystem::path& folder, Component component, Component otherwise) {
    return part_for(component, read_json_object(folder / "config.json"), otherwise);
}

Json config_beside(const Checkpoint& checkpoint, Component component) {
    const std::filesystem::path& file = checkpoint.files.front();
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    Json json = read_json_object(folder / "config.json");
    const bool of_transformer = holds(checkpoint, Component::transformer) ||
                                (!json.empty() && owner(json) == Component::unknown && transformer_lies_in(folder));
    return part_for(component, std::move(json), of_transformer ? Component::transformer : Component::unknown);
}

Json parse_carried_json(std::string_view text, const std::string& file, std::string_view field, const char* hint) {
    try {
        return parse_json(text, file);
    } catch (const Error& e) {
        throw Error(file, e.field().empty() ? std::string(field) : fmt::format("{}: {}", field, e.field()), e.message(),
                    hint);
    }
}

Json parse_carried_config(std::string_view text, const std::string& file, const char* field, const char* hint) {
    if (text.size() > max_bytes) throw Error(file, field, "is too long for a config.json", hint);
    Json json = parse_carried_json(text, file, field, hint);
    if (!json.is_object()) throw Error(file, field, "is not a JSON object", hint);
    return json;
}

Json carried_config(const Checkpoint& checkpoint) {
    for (const auto& container : checkpoint.containers)
        if (const auto carried = container->metadata.find(carried_config_key); carried != container->metadata.end())
            return parse_carried_config(carried->second, container->file->name(), carried_config_key,
                                        "convert the model again");
    return Json::object();
}

Json with_carried(const Json& config, const Checkpoint& checkpoint) {
    Json all = carried_config(checkpoint);
    all.update(config);
    return all;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/config_file.h"
#include "engine/weights/detect_family.h"
#include "engine/weights/model_folder.h"
#include "engine/weights/parts.h"
#include "engine/weights/places.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/tokenizer_places.h"
#include "engine/weights/traits.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_warnings = 16;

void warn(Inspection& out, std::string text) {
    if (out.warnings.size() < max_warnings && std::ranges::find(out.warnings, text) == out.warnings.end())
        out.warnings.push_back(std::move(text));
}

std::uint64_t file_bytes(const std::vector<fs::path>& files) {
    std::uint64_t total = 0;
    for (const fs::path& file : files) {
        std::error_code error;
        const auto bytes = fs::file_size(file, error);
        if (!error) total += bytes;
    }
    return total;
}

const char* role_of(Component component) {
    switch (component) {
    case Component::transformer:
        return "transformer";
    case Component::vae21:
    case Component::vae22:
        return "VAE";
    case Component::umt5:
        return "text encoder";
    case Component::clip:
        return "CLIP";
    case Component::lora:
        return "LoRA";
    case Component::unknown:
        break;
    }
    return "unknown";
}

std::string variant_of(Component component, const TransformerTraits& t, std::optional<Family> family) {
    switch (component) {
    case Component::vae21:
    case Component::vae22:
        return "vae";
    case Component::umt5:
        return "text-encoder";
    case Component::clip:
        return "clip";
    case Component::lora:
        return "lora";
    case Component::unknown:
        return "unknown";
    case Component::transformer:
        break;
    }
    if (t.outside == "VACE") return "vace";
    if (!t.outside.empty()) return "unknown";
    if (family == Family::skyreels_df) return "df";
    if (t.first_last) return "flf2v";
    if (t.makes_vae22_latents() && t.in_channels == t.out_channels) return "ti2v";
    return t.in_channels > t.out_channels ? "i2v" : "t2v";
}

/// Warns where config.json and the shapes disagree. The shapes are right (spec/checkpoints.md 1.1).
void compare_config(Inspection& out, const Json& sizes, const Json& config) {
    // the original's name and the name in diffusers' files
    static constexpr std::array<std::pair<const char*, const char*>, 3> aliases{
        {{"in_dim", "in_channels"}, {"out_dim", "out_channels"}, {"tokens", ""}}};
    const auto disagree = [&](const std::string& key, const Json& said, const Json& found) {
        warn(out,
             fmt::format("config.json says {} {}, the tensors say {}", key, printable(said.dump(), 24), found.dump()));
    };
    for (const auto& [key, value] : sizes.items()) {
        std::string other = key;
        for (const auto& [ours, theirs] : aliases)
            if (key == ours && !config.contains(key)) other = theirs;
        const auto it = config.find(other);
        if (it != config.end() && it->is_number_integer() && value.is_number_integer() && *it != value)
            disagree(other, *it, value);
    }
    const auto heads = config.find("num_attention_heads"), size = config.find("attention_head_dim"),
               dim = sizes.find("dim");
    if (heads == config.end() || size == config.end() || dim == sizes.end() || !heads->is_number_integer() ||
        !size->is_number_integer())
        return;
    std::int64_t product = 0;
    if (__builtin_mul_overflow(heads->get<std::int64_t>(), size->get<std::int64_t>(), &product) ||
        product != dim->get<std::int64_t>())
        disagree("num_attention_heads * attention_head_dim", product, *dim);
}

/// The sizes that the shapes tell, then the fields that only config.json knows.
Json merged_config(Inspection& out, const TensorGroup& group, const Json& config) {
    Json result = describe_sizes(group);
    compare_config(out, result, config);
    if (group.component() == Component::transformer) {
        for (const char* key : {"num_heads", "num_attention_heads"})
            if (const auto it = config.find(key);
                it != config.end() && it->is_number_integer() && !result.contains("num_heads"))
                result["num_heads"] = *it;
        const std::int64_t dim = result.value("dim", std::int64_t{-1});
        constexpr std::int64_t head_size = 128; // in every release (spec/dit.md 2)
        if (!result.contains("num_heads") && dim > 0 && dim % head_size == 0) result["num_heads"] = dim / head_size;
    }
    for (const char* key : {"model_type", "text_len", "eps", "inject_sample_info", "num_frame_per_block",
                            "num_attention_heads", "_class_name"})
        if (const auto it = config.find(key); it != config.end() && !result.contains(key)) result[key] = *it;
    return result;
}

/// Warns of each file with a quantisation that cannot be read, naming the first such layer.
void warn_of_quantisation(Inspection& out, const Checkpoint& checkpoint) {
    for (const auto& container : checkpoint.containers) {
        try {
            check_quantisation(*container, {});
        } catch (const Error& e) {
            warn(out, e.what());
        }
    }
}

/// Whether a tensor is not a parameter: a scale, the description of a quantisation, ComfyUI's mark, a tokenizer.
bool is_no_parameter(std::string_view name) {
    const std::string_view last = last_part(name);
    return !hangs_on(name).empty() || last == "scaled_fp8" || last == "spiece_model";
}

void count_tensors(Inspection& out, const Checkpoint& checkpoint) {
    std::set<std::string> unread; // types that cannot be read
    for (const auto& container : checkpoint.containers) {
        // Such a file can be described, but rendering with it is refused.
        if (container->old_pth) warn(out, old_pth_refusal(container->file->name()).what());
        for (const FileTensor& t : container->tensors) {
            out.tensors.push_back({t.name, t.dtype_name, t.shape, t.bytes});
            out.dtypes[t.dtype ? std::string(info(*t.dtype).name) : t.dtype_name] += t.bytes;
            out.bytes += t.bytes;
            const std::int64_t elements =
                is_no_parameter(plain_name(t.name)) ? 0 : checked_elements(t.shape).value_or(0);
            if (__builtin_add_overflow(out.parameters, static_cast<std::uint64_t>(elements), &out.parameters))
                out.parameters = UINT64_MAX;
            if (!t.dtype && unread.insert(t.dtype_name).second)
                warn(out, fmt::format("{} is of type {}, which cannot be read", printable(t.name, 80),
                                      printable(t.dtype_name, 24)));
        }
    }
    warn_of_quantisation(out, checkpoint);
}

void add_part(Inspection& out, const Checkpoint& checkpoint, const TensorGroup& group, std::string role) {
    Inspection::Part part;
    part.role = std::move(role);
    part.files = checkpoint.files;
    part.bytes = file_bytes(checkpoint.files);
    part.format = name(checkpoint.containers.front()->format);
    if (is_network(group.component())) part.layout = name(group.recognised.layout);
    out.parts.push_back(std::move(part));
}

/// The group after which the whole file is named: a transformer rather than its companions.
const TensorGroup* main_group(const Checkpoint& checkpoint) {
    const auto best = std::ranges::min_element(checkpoint.groups, {}, &TensorGroup::component); // unknown comes last
    return best == checkpoint.groups.end() ? nullptr : &*best;
}

std::optional<Family> family_of_group(const Checkpoint& checkpoint, const TensorGroup& group,
                                      const TransformerTraits& traits, const Json& config,
                                      const std::string& config_file) {
    const fs::path& file = checkpoint.files.front();
    if (group.component() == Component::vae22) return Family::wan22; // the 2.1 VAE serves every other family
    if (group.component() != Component::transformer) return std::nullopt;
    FamilyEvidence evidence;
    evidence.config = config;
    evidence.config_file = config_file;
    evidence.traits = traits;
    evidence.all_in_one = is_all_in_one(checkpoint);
    evidence.names = hint_names(file);
    const fs::path folder = normal_path(file).parent_path();
    fs::path index = folder / "model_index.json"; // an original repository's, which wins over one above it
    if (!has_regular_file(index)) index = folder.parent_path() / "model_index.json";
    evidence.index_file = index.string();
    if (has_regular_file(index)) evidence.model_index = read_json_object(index);
    return detect_family(evidence);
}

/// Describes one file, or the shards of one network.
void describe(Inspection& out, const Checkpoint& checkpoint) {
    count_tensors(out, checkpoint);
    for (const TensorGroup& g : checkpoint.groups) {
        const bool remainder = g.component() == Component::unknown && checkpoint.groups.size() > 1;
        if (!remainder) add_part(out, checkpoint, g, role_of(g.component()));
    }
    const TensorGroup* group = main_group(checkpoint);
    if (!group) return add_part(out, checkpoint, TensorGroup{}, "unknown");
    const fs::path& file = checkpoint.files.front();
    const Component component = group->component();
    const bool network = is_network(component);
    const Json beside = network ? config_beside(checkpoint, component) : Json::object(),
               config = network ? with_carried(beside, checkpoint) : Json::object();
    const TransformerTraits traits =
        component == Component::transformer ? TransformerTraits::read(*group) : TransformerTraits{};
    const fs::path said_by = beside.contains("family") ? file.parent_path() / "config.json" : file;
    const auto family = family_of_group(checkpoint, *group, traits, config, said_by.string());
    if (family) out.family = name(*family);
    out.variant = variant_of(component, traits, family);
    out.config = merged_config(out, *group, config);
    if (!traits.outside.empty()) warn(out, describe_relative(traits.outside));
}

void describe_model(Inspection& out, const ModelFolder& model) {
    std::set<fs::path> counted; // all-in-one files serve several roles
    const auto part = [&](const std::vector<fs::path>& files, const char* role, Component wanted) {
        if (files.empty()) return Component::unknown;
        const Checkpoint checkpoint = Checkpoint::open({files, index_of(files)});
        if (counted.insert(files.front()).second) count_tensors(out, checkpoint);
        const auto group = std::ranges::find_if(checkpoint.groups,
                                                [&](const TensorGroup& g) { return matches(g.component(), wanted); });
        if (group == checkpoint.groups.end()) return Component::unknown;
        const Component found = group->component();
        add_part(out, checkpoint, *group, role);
        if (wanted != Component::transformer || files != model.transformer) return found;
        out.config = merged_config(out, *group, model.config);
        out.variant = variant_of(Component::transformer, TransformerTraits::read(*group), model.family);
        return found;
    };
    if (model.family) out.family = name(*model.family);
    part(model.transformer, model.transformer_low.empty() ? "transformer" : "transformer (high noise)",
         Component::transformer);
    part(model.transformer_low, "transformer (low noise)", Component::transformer);
    const Component vae = part(model.vae, "VAE", Component::vae21);
    if (vae == Component::vae22 && out.variant == "t2v") out.variant = "ti2v"; // whatever the transformer's channels
    part(model.text_encoder, "text encoder", Component::umt5);
    part(model.clip, "CLIP", Component::clip);
    if (!model.tokenizer.empty()) {
        std::vector<fs::path> files;
        if (!is_folder(model.tokenizer)) files.push_back(model.tokenizer);
        for (const char* file : tokenizer_names)
            if (is_file(model.tokenizer / file)) files.push_back(model.tokenizer / file);
        const std::uint64_t bytes = file_bytes(files);
        out.parts.push_back({"tokenizer", std::move(files), bytes, "tokenizer", ""});
    }
    out.missing = model.missing;
    if (!model.relative.empty()) warn(out, describe_relative(model.relative));
    if (!model.unread.empty()) warn(out, model.unread);
    if (!model.deeper.empty()) warn(out, fmt::format("in its folders: {}", model.deeper));
    for (const std::string& w : model.warnings) warn(out, w);
}

/// Describes everything in a folder without a transformer, one file after another. False if there is no checkpoint.
bool describe_folder(Inspection& out, const fs::path& folder) {
    std::vector<Error> problems;
    bool any = false;
    for (const CheckpointFiles& files : list_checkpoints(folder, &problems)) {
        try {
            const Checkpoint checkpoint = Checkpoint::open(files, OldPth::read);
            Inspection one;
            describe(one, checkpoint);
            if (any) {
                if (one.variant != out.variant) one.variant = "unknown";
                if (one.family != out.family) one.family = "unknown";
                one.config = Json::object();
            }
            out.family = one.family, out.variant = one.variant, out.config = one.config;
            any = true;
            count_tensors(out, checkpoint);
            for (auto& part : one.parts) out.parts.push_back(std::move(part));
            for (std::string& w : one.warnings) warn(out, std::move(w));
        } catch (const Error& e) {
            problems.push_back(e);
        }
    }
    if (!any && !problems.empty()) throw Error(problems.front());
    if (!any) return false;
    for (const Error& e : problems) warn(out, fmt::format("left out: {}", e.what()));
    return true;
}

bool holds_model(const fs::path& folder) {
    std::error_code ignored;
    for (const char* part :
         {"model_index.json", "transformer", "high_noise_model", "low_noise_model", "diffusion_models", "split_files"})
        if (fs::exists(folder / part, ignored)) return true;
    return false;
}

} // namespace

std::string Inspection::dtype() const {
    const auto largest =
        std::ranges::max_element(dtypes, [](const auto& a, const auto& b) { return a.second < b.second; });
    return largest == dtypes.end() ? "" : largest->first;
}

Inspection inspect(const fs::path& path) {
    Inspection out;
    if (!is_folder(path)) {
        const CheckpointFiles files = list_checkpoints(path).front();
        const int shards = files.index.empty() ? shards_of(path.filename().string()) : 0;
        describe(out, Checkpoint::open(files, OldPth::read));
        if (shards > 1)
            warn(out, fmt::format("one of {} shards: give the folder or the index to see them all", shards));
        return out;
    }
    std::optional<ModelFolder> model;
    try {
        model = ModelFolder::open(path);
    } catch (const Error& e) {
        // If the folder holds no checkpoint itself, the error says why none of its subfolders is the model.
        if (holds_model(path) || !describe_folder(out, path)) throw;
        warn(out, e.what());
        return out;
    }
    const bool only_tokenizer = model->vae.empty() && model->text_encoder.empty() && model->clip.empty();
    if (!model->transformer.empty() || only_tokenizer || holds_model(path))
        describe_model(out, *model);
    else if (!describe_folder(out, path))
        throw Error(path.string(), "", "no checkpoint is there", "give a model folder or a checkpoint file");
    return out;
}

Json to_json(const Inspection& i, bool list) {
    Json json = {{"family", i.family}, {"variant", i.variant}, {"config", i.config},
                 {"dtype", i.dtype()}, {"dtypes", i.dtypes},   {"tensors", i.tensors.size()}};
    json["parts"] = Json::array();
    for (const auto& p : i.parts) {
        Json files = Json::array();
        for (const fs::path& f : p.files) files.push_back(f.string());
        json["parts"].push_back({{"role", p.role},
                                 {"files", std::move(files)},
                                 {"bytes", p.bytes},
                                 {"format", p.format},
                                 {"layout", p.layout}});
    }
    json["missing"] = i.missing;
    json["warnings"] = i.warnings;
    json["estimate"] = {{"parameters", i.parameters}, {"bytes", i.bytes}};
    if (list) {
        json["tensor_list"] = Json::array();
        for (const auto& t : i.tensors)
            json["tensor_list"].push_back({{"name", t.name}, {"dtype", t.dtype}, {"shape", t.shape}});
    }
    return json;
}

} // namespace denoir

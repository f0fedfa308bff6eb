// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/core/error.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/config_file.h"
#include "engine/weights/family.h"
#include "engine/weights/traits.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}
bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// One network found in the files of one checkpoint.
struct Found {
    std::shared_ptr<const Checkpoint> checkpoint;
    const TensorGroup* group;
    Component component() const { return group->recognised.component; }
    const std::vector<fs::path>& files() const { return checkpoint->files; }
    std::uint64_t bytes() const {
        std::uint64_t total = 0;
        for (const auto& m : group->members) total += m.tensor->bytes;
        return total;
    }
    std::string first_name() const { return checkpoint->files.front().filename().string(); }
};

/// The file of a text encoder that carries the tokenizer along: ComfyUI's as a tensor, GGUF in its metadata.
fs::path tokenizer_of(const Checkpoint& c) {
    const auto carries = [](const auto& container) {
        if (container->format == Container::Format::gguf) {
            const auto kind = container->metadata.find("tokenizer.ggml.model");
            return kind != container->metadata.end() && kind->second == "t5";
        }
        return container->format == Container::Format::safetensors &&
               std::any_of(container->tensors.begin(), container->tensors.end(), [](const FileTensor& t) {
                   return t.name == "spiece_model" || std::string_view(t.name).ends_with(".spiece_model");
               });
    };
    const auto found = std::find_if(c.containers.begin(), c.containers.end(), carries);
    return found == c.containers.end() ? fs::path() : c.files[static_cast<std::size_t>(found - c.containers.begin())];
}

/// Folders that hold tokenizer files, in the order of umt5::Tokenizer::load.
fs::path tokenizer_in(const fs::path& folder) {
    for (const char* sub : {"", "google/umt5-xxl", "tokenizer", "umt5-xxl", "text_encoder"}) {
        const fs::path candidate = *sub ? folder / sub : folder;
        if (is_file(candidate / "tokenizer.json") || is_file(candidate / "spiece.model")) return candidate;
    }
    return {};
}

class Opener {
public:
    explicit Opener(const fs::path& path) : path_(path) { model_.root = path; }

    ModelFolder open() {
        if (!is_folder(path_))
            open_file();
        else if (is_file(path_ / "model_index.json"))
            open_diffusers(path_);
        else if (is_folder(path_ / "high_noise_model") || is_folder(path_ / "low_noise_model"))
            open_two_experts();
        else
            open_folder();
        finish();
        return std::move(model_);
    }

private:
    // Looking into folders

    std::vector<Found> look(const fs::path& place) {
        const bool folder = is_folder(place);
        std::vector<Found> found;
        for (CheckpointFiles& files : list_checkpoints(place)) {
            try {
                auto checkpoint = std::make_shared<Checkpoint>(Checkpoint::open(std::move(files.files), files.index));
                for (const TensorGroup& g : checkpoint->groups)
                    if (g.recognised.component != Component::unknown && g.recognised.component != Component::lora)
                        found.push_back({checkpoint, &g});
            } catch (const Error& e) {
                if (!folder) throw;
                problems_.push_back(e);
            }
        }
        return found;
    }

    static std::vector<Found> only(const std::vector<Found>& all, Component wanted) {
        std::vector<Found> result;
        for (const Found& f : all)
            if (f.component() == wanted) result.push_back(f);
        const auto indexed = [](const Found& f) { return f.checkpoint->indexed; };
        if (std::any_of(result.begin(), result.end(), indexed))
            std::erase_if(result, [&](const Found& f) { return !indexed(f); });
        return result;
    }

    // Transformers

    void set_transformer(const Found& found) {
        model_.transformer = found.files();
        traits_ = TransformerTraits::read(*found.group);
    }

    /// One transformer, or the two experts of Wan 2.2, among what a folder holds.
    void choose_transformer(const std::vector<Found>& all) {
        const std::vector<Found> candidates = only(all, Component::transformer);
        if (candidates.empty()) return;
        if (candidates.size() == 1) return set_transformer(candidates.front());
        const auto named = [&](Expert e) {
            return std::find_if(candidates.begin(), candidates.end(),
                                [&](const Found& f) { return expert_of(f.first_name()) == e; });
        };
        const auto high = named(Expert::high), low = named(Expert::low);
        if (candidates.size() == 2 && high != candidates.end() && low != candidates.end()) {
            set_transformer(*high);
            model_.transformer_low = low->files();
            return;
        }
        // Without an index, parts of one network may lie in files of any name.
        if (const auto whole = parts_of_one(candidates)) {
            TensorGroup all_parts{whole->front().group->recognised, {}, {}};
            for (const Found& f : *whole) {
                model_.transformer.insert(model_.transformer.end(), f.files().begin(), f.files().end());
                all_parts.members.insert(all_parts.members.end(), f.group->members.begin(), f.group->members.end());
            }
            traits_ = TransformerTraits::read(all_parts);
            return;
        }
        std::vector<std::string> names;
        for (const Found& f : candidates) names.push_back(f.first_name());
        if (names.size() > 4) names.resize(4), names.emplace_back("…");
        throw Error(path_.string(), "", fmt::format("several transformers are there ({})", fmt::join(names, ", ")),
                    "name the file that is meant");
    }

    /// The candidates themselves where they are named in one layout and none of their tensors is there twice.
    static std::optional<std::vector<Found>> parts_of_one(std::vector<Found> candidates) {
        std::set<std::string_view> names;
        for (const Found& f : candidates) {
            if (f.group->recognised.layout != candidates.front().group->recognised.layout) return std::nullopt;
            for (const auto& m : f.group->members)
                if (!names.insert(m.name).second) return std::nullopt;
        }
        return candidates;
    }

    /// The other expert's file: the same name with low for high.
    void find_other_expert(const fs::path& file) {
        const std::string name = file.filename().string();
        const Expert expert = expert_of(name);
        if (expert == Expert::none) return;
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> words{
            {{"high", "low"}, {"High", "Low"}, {"HIGH", "LOW"}}};
        for (const auto& [high, low] : words) {
            const std::string_view from = expert == Expert::high ? high : low, to = expert == Expert::high ? low : high;
            const std::size_t at = name.find(from);
            if (at == std::string::npos) continue;
            const fs::path other =
                file.parent_path() / (name.substr(0, at) + std::string(to) + name.substr(at + from.size()));
            if (!is_file(other)) continue;
            const std::vector<Found> found = only(look(other), Component::transformer);
            if (found.empty()) continue;
            if (expert == Expert::high) {
                model_.transformer_low = found.front().files();
            } else {
                model_.transformer_low = std::move(model_.transformer);
                set_transformer(found.front());
            }
            return;
        }
        model_.warnings.push_back(
            fmt::format("{} is one expert of two; the other one is not beside it", printable(name, 80)));
    }

    // Layouts

    void open_file() {
        const std::vector<Found> found = look(path_);
        choose_transformer(found);
        if (model_.transformer.empty()) {
            const std::string what(found.empty() ? "no network that is known" : name(found.front().component()));
            throw Error(path_.string(), "", fmt::format("not a video model by itself (found: {})", what),
                        "give the transformer's file or the model folder");
        }
        find_other_expert(path_);
        take_companions(found);
        const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
        search_beside(folder);
        model_.config = read_config(folder, Component::transformer);
        if (is_file(folder.parent_path() / "model_index.json"))
            model_.model_index = read_json_object(folder.parent_path() / "model_index.json");
    }

    void open_diffusers(const fs::path& root) {
        model_.model_index = read_json_object(root / "model_index.json");
        choose_transformer(look(root / "transformer"));
        if (is_folder(root / "transformer_2")) {
            const std::vector<Found> low = only(look(root / "transformer_2"), Component::transformer);
            if (!low.empty()) model_.transformer_low = low.front().files();
        }
        const auto second = model_.model_index.find("transformer_2");
        const bool expected = second != model_.model_index.end() && second->is_array() && !second->empty() &&
                              second->front().is_string(); // [null, null] where there is none
        if ((expected || is_folder(root / "transformer_2")) && model_.transformer_low.empty())
            model_.missing.emplace_back("low-noise transformer");
        for (const char* part : {"vae", "text_encoder", "image_encoder"})
            if (is_folder(root / part)) take_companions(look(root / part));
        model_.tokenizer = tokenizer_in(root);
        model_.config = read_config(root / "transformer", Component::transformer);
    }

    void open_two_experts() {
        if (is_folder(path_ / "high_noise_model")) choose_transformer(look(path_ / "high_noise_model"));
        model_.config = read_config(path_ / "high_noise_model", Component::transformer);
        if (is_folder(path_ / "low_noise_model")) {
            const std::vector<Found> low = only(look(path_ / "low_noise_model"), Component::transformer);
            if (!low.empty()) model_.transformer_low = low.front().files();
        }
        two_experts_ = true;
        if (model_.transformer.empty()) model_.missing.emplace_back("high-noise transformer");
        if (model_.transformer_low.empty()) model_.missing.emplace_back("low-noise transformer");
        take_companions(look(path_));
        model_.tokenizer = tokenizer_in(path_);
    }

    /// An original repository, ComfyUI's folders, or a part of a larger tree.
    void open_folder() {
        const fs::path root = is_folder(path_ / "split_files") ? path_ / "split_files" : path_;
        std::vector<Found> found = look(root);
        fs::path config = root;
        if (only(found, Component::transformer).empty())
            for (const char* part : {"diffusion_models", "transformer", "unet"})
                if (is_folder(root / part)) {
                    const std::vector<Found> inside = look(root / part);
                    if (only(inside, Component::transformer).empty()) continue;
                    found.insert(found.end(), inside.begin(), inside.end());
                    config = root / part;
                    break;
                }
        choose_transformer(found);
        take_companions(found);
        model_.config = read_config(config, Component::transformer);
        search_beside(root);
        // transformer/ of a diffusers repository, or one expert's folder: the companions are one level up.
        const fs::path parent = fs::absolute(root).lexically_normal().parent_path();
        const fs::path up = root.filename().empty() ? parent.parent_path() : parent;
        if (is_file(up / "model_index.json")) model_.model_index = read_json_object(up / "model_index.json");
    }

    // Companions

    void take_companions(const std::vector<Found>& found) {
        for (const Component wanted : {Component::vae21, Component::vae22, Component::umt5, Component::clip})
            for (const Found& f : only(found, wanted)) candidates_.push_back(f);
    }

    /// The folders where the usual layouts keep what belongs to a transformer in `folder`.
    void search_beside(const fs::path& folder) {
        std::vector<fs::path> places;
        const fs::path absolute = fs::absolute(folder).lexically_normal();
        const fs::path up = (absolute.filename().empty() ? absolute.parent_path() : absolute).parent_path();
        static constexpr std::array subfolders{"vae", "text_encoder", "text_encoders", "image_encoder", "clip_vision"};
        if (folder != path_) places.push_back(folder);
        for (const char* sub : subfolders) places.push_back(folder / sub);
        const std::string own =
            absolute.filename().empty() ? absolute.parent_path().filename().string() : absolute.filename().string();
        static constexpr std::array inner{"diffusion_models", "transformer",    "transformer_2", "unet",
                                          "high_noise_model", "low_noise_model"};
        const bool inside = std::find(inner.begin(), inner.end(), own) != inner.end();
        if (inside) {
            places.push_back(up);
            for (const char* sub : subfolders) places.push_back(up / sub);
        }
        for (const fs::path& place : places)
            if (is_folder(place)) take_companions(look(place));
        model_.tokenizer = tokenizer_in(folder);
        if (model_.tokenizer.empty() && inside) model_.tokenizer = tokenizer_in(up);
    }

    /// Of several copies the one with the most bytes: fp16 before fp8.
    std::vector<fs::path> best(Component wanted, const char* role) {
        const Found* chosen = nullptr;
        std::size_t count = 0;
        std::set<fs::path> seen;
        for (const Found& f : candidates_) {
            if (f.component() != wanted || !seen.insert(fs::absolute(f.files().front()).lexically_normal()).second)
                continue;
            ++count;
            if (!chosen || f.bytes() > chosen->bytes()) chosen = &f;
        }
        if (count > 1)
            model_.warnings.push_back(
                fmt::format("{} files hold a {}; {} is used", count, role, printable(chosen->first_name(), 80)));
        if (chosen && wanted == Component::umt5 && model_.tokenizer.empty())
            model_.tokenizer = tokenizer_of(*chosen->checkpoint);
        return chosen ? chosen->files() : std::vector<fs::path>{};
    }

    void finish() {
        const TransformerTraits traits = traits_.value_or(TransformerTraits{});
        second_vae_ = wants_second_vae(traits);
        model_.vae = best(second_vae_ ? Component::vae22 : Component::vae21, "VAE");
        model_.text_encoder = best(Component::umt5, "text encoder");
        model_.clip = best(Component::clip, "CLIP image encoder");
        if (model_.transformer.empty() && model_.transformer_low.empty() && model_.vae.empty() &&
            model_.text_encoder.empty() && model_.clip.empty() && model_.tokenizer.empty()) {
            if (!problems_.empty()) throw Error(problems_.front());
            throw Error(path_.string(), "", "no model is there",
                        "give a model folder (transformer, VAE, text encoder, tokenizer) or a transformer's file");
        }
        const auto need = [&](bool there, const char* part) {
            if (!there) model_.missing.emplace_back(part);
        };
        if (!two_experts_) need(!model_.transformer.empty(), "transformer");
        need(!model_.vae.empty(), "VAE");
        need(!model_.text_encoder.empty(), "text encoder");
        need(!model_.tokenizer.empty(), "tokenizer");
        if (traits.clip) need(!model_.clip.empty(), "CLIP image encoder");
        // A damaged file is most likely the part that is missing, and says more than that it is missing.
        if (!model_.missing.empty() && !problems_.empty()) throw Error(problems_.front());
        for (const Error& problem : problems_) model_.warnings.push_back(fmt::format("left out: {}", problem.what()));
        model_.relative = traits.outside;
        if (traits_) model_.family = family(traits);
    }

    /// A VAE with so many latent channels; -1: with any.
    bool has_vae(Component kind, std::int64_t channels) const {
        return std::any_of(candidates_.begin(), candidates_.end(), [&](const Found& f) {
            return f.component() == kind &&
                   (channels < 0 || describe_sizes(*f.group).value("z_dim", std::int64_t{-1}) == channels);
        });
    }

    /// Of Wan 2.1's VAE and Wan 2.2's the one whose latents the transformer makes; where that tells nothing, the one
    /// that is there, or by what the folder says of itself (spec/checkpoints.md 1, 7).
    bool wants_second_vae(const TransformerTraits& traits) const {
        if (traits.out_channels == 48) return true; // in every release, and the VAE may be missing
        for (const std::int64_t channels : {traits.out_channels, std::int64_t{-1}}) {
            const bool first = has_vae(Component::vae21, channels), second = has_vae(Component::vae22, channels);
            if (first != second) return second;
        }
        const auto says = [](const Json& json, const char* key, const Json& value) {
            const auto it = json.find(key);
            return it != json.end() && *it == value;
        };
        return says(model_.config, "model_type", "ti2v") || says(model_.model_index, "expand_timesteps", true);
    }

    std::optional<Family> family(const TransformerTraits& traits) const {
        FamilyEvidence evidence;
        evidence.config = model_.config;
        evidence.model_index = model_.model_index;
        evidence.traits = traits;
        evidence.two_experts = two_experts_ || !model_.transformer_low.empty();
        evidence.second_vae = second_vae_ && has_vae(Component::vae22, traits.out_channels);
        evidence.names = hint_names(model_.transformer.front());
        for (std::string& name : hint_names(path_)) evidence.names.push_back(std::move(name));
        try {
            return detect_family(evidence);
        } catch (const Error& e) {
            throw Error((path_ / "config.json").string(), e.field(), e.message(), e.hint());
        }
    }

    fs::path path_;
    ModelFolder model_;
    std::vector<Found> candidates_;
    std::optional<TransformerTraits> traits_;
    std::vector<Error> problems_;
    bool two_experts_ = false, second_vae_ = false;
};

} // namespace

ModelFolder ModelFolder::open(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) throw Error(path.string(), "", "no such file or folder", "check the name");
    return Opener(path).open();
}

} // namespace denoir

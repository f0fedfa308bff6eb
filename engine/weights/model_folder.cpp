// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/companions.h"
#include "engine/weights/config_file.h"
#include "engine/weights/detect_family.h"
#include "engine/weights/expert_pairs.h"
#include "engine/weights/experts.h"
#include "engine/weights/networks.h"
#include "engine/weights/no_transformer.h"
#include "engine/weights/parts.h"
#include "engine/weights/places.h"
#include "engine/weights/traits.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

constexpr const char *high_folder = "high_noise_model", *low_folder = "low_noise_model"; ///< of Wan2.2-A14B

void require_there(const fs::path& place) {
    if (!has_entry(place)) throw Error(place.string(), "", "no such file or folder", "check the name");
}

class Opener {
public:
    Opener(const fs::path& path, const ModelParts& named, const std::stop_token& stop)
        : path_(snapshot_in(path)), named_(named), stop_(stop), search_(stop) {
        model_.root = path_;
    }

    ModelFolder open() {
        if (!is_folder(path_))
            open_file();
        else if (has_regular_file(path_ / "model_index.json") && !lies_beside_index())
            open_diffusers(path_);
        else if (has_expert_folders())
            open_two_experts(path_, path_ / high_folder, path_ / low_folder);
        else
            open_folder();
        take_named_parts();
        finish();
        return std::move(model_);
    }

private:
    /// What is known of the transformer that was chosen, which is model_.transformer.
    struct Chosen {
        std::optional<ExpertContent> content; ///< empty until one is chosen
        Json carried = Json::object();        ///< the config that its file carries
        bool all_in_one = false;              ///< whether its file holds the companions, too
    };

    // Transformers

    void set_transformer(const Network& found) {
        model_.transformer = found.files();
        chosen_ = {ExpertContent::of(found), carried_config(*found.checkpoint), is_all_in_one(*found.checkpoint)};
    }

    /// Chooses one transformer, or the two experts of Wan 2.2, among the networks of a folder.
    void choose_transformer(const std::vector<Network>& all) { choose_among(only(all, Component::transformer)); }
    void choose_among(const std::vector<Network>& candidates) {
        if (candidates.empty()) return;
        if (candidates.size() == 1) return set_transformer(candidates.front());
        if (candidates.size() == 2) {
            const Network &one = candidates.front(), &other = candidates.back();
            if (are_pair(one, other)) return set_pair(one, other);
            if (are_pair(other, one)) return set_pair(other, one);
        }
        if (!are_parts_of_one(candidates)) refuse_several(path_, candidates);
        set_transformer_parts(candidates);
    }
    void set_pair(const Network& high, const Network& low) {
        set_transformer(high);
        model_.transformer_low = low.files();
        warn_unless_twins(high.files().front(), low.files().front());
    }
    /// A warning is enough: whoever put them there may have two quantisations, or one finetuned expert.
    void warn_unless_twins(const fs::path& high, const fs::path& low) {
        if (!are_twins(high, low))
            model_.warnings.push_back(fmt::format("{} and {} are taken for the two experts of one model",
                                                  printable_name(high), printable_name(low)));
    }
    [[noreturn]] static void refuse_several(const fs::path& place, const std::vector<Network>& all) {
        throw Error(
            place.string(), "", fmt::format("several transformers are there ({})", names_of(all)),
            all.size() == 2 && are_alike(all.front(), all.back())
                ? "name the file that is meant, or name them ..._high and ..._low if they are the experts of one"
                : "name the file that is meant");
    }
    static std::string names_of(const std::vector<Network>& all) {
        std::vector<std::string> names;
        for (const Network& f : all) names.push_back(printable(f.first_name(), 80));
        return listed(std::move(names), 4);
    }

    /// Whether these are parts of one network. Without an index they may lie in files of any name: they are in the same
    /// layout, and no tensor is there twice.
    static bool are_parts_of_one(const std::vector<Network>& candidates) {
        std::set<std::string_view> names;
        for (const Network& f : candidates) {
            if (f.group->recognised.layout != candidates.front().group->recognised.layout) return false;
            for (const auto& m : f.group->members)
                if (!names.insert(m.name).second) return false;
        }
        return true;
    }
    void set_transformer_parts(const std::vector<Network>& parts) {
        TensorGroup all_parts{parts.front().group->recognised, {}, {}};
        std::uint64_t bytes = 0;
        for (const Network& f : parts) {
            model_.transformer.insert(model_.transformer.end(), f.files().begin(), f.files().end());
            all_parts.members.insert(all_parts.members.end(), f.group->members.begin(), f.group->members.end());
            bytes += f.bytes();
        }
        chosen_.content = {TransformerTraits::read(all_parts), bytes};
    }

    /// Looks beside `file` for the other expert.
    void add_other_expert(const fs::path& file) {
        if (!named_.low_noise.empty()) return;
        const auto other = find_other_expert(file, *chosen_.content, search_, path_);
        if (!other) {
            if (said_expert_of(file) != Expert::none)
                model_.warnings.push_back(
                    fmt::format("{} is one expert of two; the other one is not beside it", printable_name(file)));
            return;
        }
        const std::vector<fs::path> own = model_.transformer;
        model_.transformer_low = other->expert == Expert::low ? other->network.files() : own;
        if (other->expert == Expert::high) set_transformer(other->network);
        warn_unless_twins(model_.transformer.front(), model_.transformer_low.front());
    }

    // Layouts

    void read_model_config(const fs::path& folder) {
        config_file_ = folder / "config.json";
        model_.config = read_config(folder, Component::transformer);
    }
    void read_model_index(const fs::path& folder) {
        const fs::path file = folder / "model_index.json";
        if (!has_regular_file(file)) return;
        model_.model_index = read_json_object(file);
        model_.model_index_file = file;
    }

    /// The networks in a file; a shard stands for all shards of its series or index.
    std::vector<Network> look_at_file(const fs::path& path) {
        if (shards_of(path.filename().string()) < 2) return search_.look(path);
        for (const CheckpointFiles& files : search_.list_beside(folder_of(path))) {
            const auto is_it = [&](const fs::path& file) { return file.filename() == path.filename(); };
            if (std::ranges::any_of(files.files, is_it)) return search_.networks_of(files);
        }
        return search_.look(path);
    }
    static fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : "."; }

    void open_file() {
        const fs::path folder = folder_of(path_);
        const std::vector<Network> found = look_at_file(path_);
        choose_transformer(found);
        if (model_.transformer.empty()) refuse_no_transformer(path_, found, stop_);
        add_other_expert(model_.transformer.front()); // not path_, which may be any of its shards
        companions_.take(found);
        companions_.search_beside(folder, path_);
        read_model_config(folder);
        read_model_index(normal_path(folder).parent_path());
        read_model_index(folder); // an original repository's, which wins over one above it
    }

    void open_diffusers(const fs::path& root) {
        read_model_index(root);
        if (is_folder(root / "transformer")) choose_transformer(search_.look(root / "transformer"));
        if (is_folder(root / "transformer_2")) choose_low(root / "transformer_2");
        const auto second = model_.model_index.find("transformer_2");
        const bool expected = second != model_.model_index.end() && second->is_array() && !second->empty() &&
                              second->front().is_string(); // [null, null]: the model has none
        if ((expected || is_folder(root / "transformer_2")) && model_.transformer_low.empty())
            model_.missing.emplace_back("low-noise transformer");
        for (const char* part : {"vae", "text_encoder", "image_encoder"})
            if (is_folder(root / part)) companions_.take(search_.look(root / part));
        companions_.look_for_tokenizer(root);
        read_model_config(root / "transformer");
    }

    bool has_expert_folders() const { return is_folder(path_ / high_folder) || is_folder(path_ / low_folder); }

    /// Whether the transformers lie where an original repository has them, to which somebody added model_index.json.
    bool lies_beside_index() {
        return !is_folder(path_ / "transformer") && !is_folder(path_ / "transformer_2") &&
               (has_expert_folders() || !only(search_.look_beside(path_), Component::transformer).empty());
    }

    /// `high` and `low`: folders in `root`, of which one may be missing.
    void open_two_experts(const fs::path& root, const fs::path& high, const fs::path& low) {
        if (is_folder(high)) choose_transformer(search_.look(high));
        read_model_config(is_folder(high) ? high : low);
        if (is_folder(low)) choose_low(low);
        two_experts_ = true;
        if (model_.transformer.empty()) model_.missing.emplace_back("high-noise transformer");
        if (model_.transformer_low.empty()) model_.missing.emplace_back("low-noise transformer");
        companions_.take(search_.look(root));
        companions_.search_beside(root, path_);
        read_model_index(path_);
    }

    void choose_low(const fs::path& folder) {
        std::vector<Network> found = only(search_.look(folder), Component::transformer);
        if (found.empty()) return;
        if (found.size() > 1 && are_parts_of_one(found)) {
            for (const Network& part : found)
                model_.transformer_low.insert(model_.transformer_low.end(), part.files().begin(), part.files().end());
            return;
        }
        if (!model_.transformer.empty()) {
            const auto twin = [&](const Network& f) {
                return are_twins(model_.transformer.front(), f.files().front());
            };
            if (std::ranges::any_of(found, twin)) std::erase_if(found, [&](const Network& f) { return !twin(f); });
        }
        if (found.size() > 1) refuse_several(folder, found);
        if (chosen_.content && contradict(chosen_.content->traits, TransformerTraits::read(*found.front().group)))
            throw Error(path_.string(), "", "its high- and low-noise transformers are of two models",
                        "name the file of the one that is meant");
        model_.transformer_low = found.front().files();
    }

    using Folders = std::pair<fs::path, fs::path>;

    /// Whether the transformers in two folders that are named after experts are the experts: the folders' names say
    /// more than "high" and "low", or the files tell.
    static bool are_of_experts(const Folders& folders, const std::vector<Network>& high,
                               const std::vector<Network>& low) {
        if (high.empty() || low.empty()) return false;
        return !is_bare_word(folders.first.filename().string()) || hold_experts(high, low);
    }

    /// Whether all transformers that were found are in the folders of two experts, with some in each.
    static bool holds_nothing_else(const Folders& folders, const std::vector<Network>& transformers) {
        std::vector<Network> high, low;
        for (const Network& n : transformers) {
            const fs::path place = n.files().front().parent_path();
            if (place == folders.first)
                high.push_back(n);
            else if (place == folders.second)
                low.push_back(n);
        }
        return high.size() + low.size() == transformers.size() && are_of_experts(folders, high, low);
    }

    /// Whether two folders are those of the experts. Names that mention noise are enough, even if a transformer is
    /// missing; with bare words like "high", each folder must hold one.
    bool hold_transformers(const Folders& folders) {
        if (expert_of(folders.first.filename().string()) != Expert::none) return true; // the second is named likewise
        const auto inside = [&](const fs::path& folder) {
            return only(search_.look_beside(folder), Component::transformer);
        };
        return are_of_experts(folders, inside(folders.first), inside(folders.second));
    }

    static std::vector<fs::path> transformer_folders(const fs::path& root) {
        std::vector<fs::path> parts;
        for (const char* name :
             {"diffusion_models", "distill_models", "transformer", "unet", "checkpoints", "Stable-diffusion"})
            if (is_folder(root / name)) parts.push_back(root / name);
        return parts;
    }

    /// Adds all networks in `parts` and in the folders in them to `found`, and the transformers to `transformers`, each
    /// only once even if a folder is a link to another. Until a transformer is found, unreadable files count as
    /// problems().
    void gather(const std::vector<fs::path>& parts, std::vector<Network>& found, std::vector<Network>& transformers) {
        std::set<fs::path> seen;
        const auto take = [&](std::vector<Network> inside) {
            for (const Network& n : only(inside, Component::transformer))
                if (seen.insert(n.real_place()).second) transformers.push_back(n);
            std::move(inside.begin(), inside.end(), std::back_inserter(found));
        };
        for (const fs::path& part : parts) {
            take(transformers.empty() ? search_.look(part) : search_.look_beside(part));
            for (const fs::path& deeper : folders_in(part)) take(search_.look_beside(deeper));
        }
    }

    /// Opens an original repository, folders laid out as ComfyUI's or lightx2v's, or a part of a larger tree.
    void open_folder() {
        fs::path root = path_;
        if (is_folder(path_ / "split_files"))
            root = path_ / "split_files";
        else if (is_folder(path_ / "models/diffusion_models") || is_folder(path_ / "models/unet") ||
                 is_folder(path_ / "models/Stable-diffusion"))
            root = path_ / "models"; // ComfyUI or Forge itself
        std::vector<Network> found = search_.look(root);
        if (only(found, Component::transformer).empty())
            if (const auto folders = expert_folders(root); folders && hold_transformers(*folders))
                return open_two_experts(root, folders->first, folders->second);
        std::vector<Network> transformers = only(found, Component::transformer);
        if (transformers.empty()) { // those in the folder itself would come first
            const std::vector<fs::path> parts = transformer_folders(root);
            gather(parts, found, transformers);
            for (const fs::path& part : parts)
                if (const auto folders = expert_folders(part); folders && holds_nothing_else(*folders, transformers))
                    return open_two_experts(root, folders->first, folders->second);
        }
        choose_among(transformers);
        if (!model_.transformer.empty() && model_.transformer_low.empty()) add_other_expert(model_.transformer.front());
        companions_.take(found);
        const fs::path place = model_.transformer.empty() ? root : model_.transformer.front().parent_path();
        read_model_config(place);
        companions_.search_beside(place, path_);
        // The folder may be transformer/ of a diffusers repository, or one expert's, so that the index is one level up.
        // An index in the folder itself (lies_beside_index) says more.
        read_model_index(normal_path(root).parent_path());
        read_model_index(path_);
    }

    // Parts that someone named

    void take_named_parts() {
        if (!named_.low_noise.empty()) take_named_expert();
        for (const auto& [place, kinds, what] :
             {std::tuple{&named_.vae, std::vector{Component::vae21, Component::vae22}, "VAE"},
              std::tuple{&named_.text_encoder, std::vector{Component::umt5}, "text encoder"},
              std::tuple{&named_.clip, std::vector{Component::clip}, "CLIP image encoder"}})
            if (!place->empty()) companions_.insist_on(named_network(*place, kinds, what));
        if (named_.tokenizer.empty()) return;
        require_there(named_.tokenizer);
        companions_.insist_on_tokenizer(named_.tokenizer);
    }

    /// The network of one of these kinds at `place`. Throws Error unless there is exactly one.
    Network named_network(const fs::path& place, const std::vector<Component>& kinds, std::string_view what) {
        require_there(place);
        const std::vector<Network> all = is_folder(place) ? search_.look(place) : look_at_file(place);
        std::vector<Network> found;
        for (const Component kind : kinds)
            for (Network& n : only(all, kind)) found.push_back(std::move(n));
        found = with_parts_joined(found);
        if (found.size() == 1) return found.front();
        if (found.size() > 1)
            throw Error(place.string(), "", fmt::format("several files hold a {} ({})", what, names_of(found)),
                        "name the one that is meant");
        throw Error(place.string(), "",
                    fmt::format("holds no {} (found: {})", what,
                                all.empty() ? "no network that is known" : name(all.front().component())),
                    fmt::format("name the file of a {}", what));
    }

    void take_named_expert() {
        const Network low = named_network(named_.low_noise, {Component::transformer}, "transformer");
        if (chosen_.content && !are_alike(chosen_.content->traits, TransformerTraits::read(*low.group)))
            throw Error(named_.low_noise.string(), "", "is a transformer of another model than the high-noise one",
                        "name the two experts of one model");
        model_.transformer_low = low.files();
        std::erase(model_.missing, "low-noise transformer");
    }

    /// Refuses a part that was named but not chosen: it belongs to another model.
    void refuse_unfit_parts() const {
        const std::tuple<const fs::path&, const std::vector<fs::path>&, const char*> parts[] = {
            {named_.vae, model_.vae, "VAE"}, {named_.clip, model_.clip, "CLIP image encoder"}};
        for (const auto& [named, taken, what] : parts)
            if (!named.empty() && taken.empty())
                throw Error(named.string(), "", fmt::format("this {} is not the transformer's", what),
                            "name the one that belongs to this model");
    }

    void finish() {
        const TransformerTraits traits = chosen_.content ? chosen_.content->traits : TransformerTraits{};
        add_carried_config();
        companions_.choose(model_, traits);
        refuse_unfit_parts();
        const bool transformer = !model_.transformer.empty() || !model_.transformer_low.empty();
        if (!transformer) model_.deeper = transformers_deeper(path_, search_);
        if (!transformer && model_.vae.empty() && model_.text_encoder.empty() && model_.clip.empty() &&
            model_.tokenizer.empty())
            refuse_no_model();
        list_missing_parts(traits.clip);
        refuse_damaged_parts();
        if (!transformer) model_.unread = unread_transformer(path_, stop_);
        warn_of_shards();
        warn_of_left_out();
        if (chosen_.content) tell_family(traits);
    }

    /// Adds the config that the transformer's file carries. The folder's config.json wins over it.
    void add_carried_config() {
        if (!model_.config.contains("family") && chosen_.carried.contains("family"))
            config_file_ = model_.transformer.front();
        chosen_.carried.update(model_.config);
        model_.config = std::move(chosen_.carried);
    }

    [[noreturn]] void refuse_no_model() const {
        if (!search_.problems().empty()) throw Error(search_.problems().front());
        if (!model_.deeper.empty())
            throw Error(path_.string(), "", fmt::format("no model is there, but in its folders: {}", model_.deeper),
                        "name the file that is meant");
        throw Error(path_.string(), "", "no model is there",
                    "give a model folder (transformer, VAE, text encoder, tokenizer) or a transformer's file");
    }

    void list_missing_parts(bool needs_clip) {
        const auto need = [&](bool there, const char* part) {
            if (!there) model_.missing.emplace_back(part);
        };
        if (!two_experts_) need(!model_.transformer.empty(), "transformer");
        need(!model_.vae.empty(), "VAE");
        need(!model_.text_encoder.empty(), "text encoder");
        need(!model_.tokenizer.empty(), "tokenizer");
        if (needs_clip) need(!model_.clip.empty(), "CLIP image encoder");
    }

    void warn_of_left_out() {
        for (const Error& problem : search_.problems())
            model_.warnings.push_back(fmt::format("left out: {}", problem.what()));
        if (!model_.vae.empty()) return;
        for (const std::string& file : companions_.left_out())
            model_.warnings.push_back(
                fmt::format("left out: {} is not Wan's VAE, by its name or its config.json", file));
    }

    void tell_family(const TransformerTraits& traits) {
        model_.relative = traits.outside.empty() ? relative_by_name(names_around()) : traits.outside;
        const FamilyEvidence evidence = gather_evidence(traits);
        model_.family = detect_family(evidence);
        if (!named_.low_noise.empty() && !two_experts_)
            if (const auto other = family_of_one(evidence)) model_.family = other;
        if (model_.family == Family::wan22 && !evidence.two_experts && !is_ti2v(evidence) && model_.relative.empty())
            miss_other_expert();
    }

    void miss_other_expert() {
        const bool low = placed_expert_of(model_.transformer.front()) == Expert::low;
        const char* other = low ? "high-noise transformer" : "low-noise transformer";
        if (std::ranges::find(model_.missing, other) == model_.missing.end()) model_.missing.emplace_back(other);
    }

    /// A damaged file is most likely the missing part, and its error tells more.
    void refuse_damaged_parts() const {
        if (model_.missing.empty()) return;
        if (!search_.problems().empty()) throw Error(search_.problems().front());
        struct Words {
            std::string_view part, in_name, in_folder;
        };
        static constexpr std::array<Words, 4> words{{{"transformer", "", ""},
                                                     {"VAE", "vae", "vae"},
                                                     {"text encoder", "t5", "text_encoder"},
                                                     {"CLIP image encoder", "clip", "image_encoder"}}};
        for (const Error& problem : search_.problems_beside()) {
            const fs::path file(problem.file());
            const std::string in_name = lower_ascii(file.filename().string()),
                              in_folder = lower_ascii(file.parent_path().filename().string());
            for (const Words& w : words)
                if ((in_name.find(w.in_name) != std::string::npos || in_folder.starts_with(w.in_folder)) &&
                    std::ranges::find(model_.missing, w.part) != model_.missing.end())
                    throw Error(problem);
        }
    }

    /// Warns of an unfinished download without an index that would say which shards there should be.
    void warn_of_shards() {
        for (const auto* files :
             {&model_.transformer, &model_.transformer_low, &model_.vae, &model_.text_encoder, &model_.clip}) {
            if (files->empty()) continue;
            const std::string name = files->front().filename().string();
            if (const int all = shards_of(name); std::cmp_less(files->size(), all))
                model_.warnings.push_back(
                    fmt::format("{} of {} shards are there ({})", files->size(), all, printable(name, 80)));
        }
    }

    std::vector<std::string> names_around() const {
        std::vector<std::string> names = hint_names(model_.transformer.front());
        for (std::string& name : hint_names(path_)) names.push_back(std::move(name));
        return names;
    }

    FamilyEvidence gather_evidence(const TransformerTraits& traits) const {
        FamilyEvidence evidence;
        evidence.config = model_.config;
        evidence.model_index = model_.model_index;
        evidence.traits = traits;
        evidence.two_experts = two_experts_ || !model_.transformer_low.empty();
        evidence.all_in_one = chosen_.all_in_one;
        evidence.second_vae = companions_.has_second_vae(traits);
        evidence.names = names_around();
        evidence.config_file = config_file_.string(), evidence.index_file = model_.model_index_file.string();
        return evidence;
    }

    fs::path path_;
    const ModelParts& named_;
    const std::stop_token& stop_;
    ModelFolder model_;
    NetworkSearch search_;
    Companions companions_{search_};
    Chosen chosen_;
    fs::path config_file_;
    bool two_experts_ = false;
};

} // namespace

ModelFolder ModelFolder::open(const fs::path& path, const ModelParts& named, const std::stop_token& stop) {
    require_there(path);
    return Opener(path, named, stop).open();
}

} // namespace denoir

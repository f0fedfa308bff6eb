// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/config_file.h"
#include "engine/weights/family.h"
#include "engine/weights/quantisation.h"
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

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

/// Absolute, without "..", and with a name of its own: no slash at the end.
fs::path normal(const fs::path& path) {
    const fs::path full = fs::absolute(path).lexically_normal();
    return full.filename().empty() ? full.parent_path() : full;
}

/// Those that are not hidden, sorted; none where the folder cannot be read.
std::vector<fs::path> folders_in(const fs::path& folder) {
    constexpr std::size_t most = 1000;
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end && found.size() < most; it.increment(error))
        if (is_folder(it->path()) && !it->path().filename().string().starts_with('.')) found.push_back(it->path());
    std::sort(found.begin(), found.end());
    return found;
}

/// The Hugging Face cache keeps a repository's files in snapshots/<revision>/, as links: what refs/main names, or the
/// only one. Any other folder is itself.
fs::path snapshot_in(const fs::path& folder) {
    if (!is_folder(folder / "snapshots") || !is_folder(folder / "blobs")) return folder;
    try {
        std::string revision = read_text(folder / "refs/main", 4096);
        revision.erase(std::find_if(revision.begin(), revision.end(),
                                    [](char c) { return !std::isxdigit(static_cast<unsigned char>(c)); }),
                       revision.end());
        if (!revision.empty() && is_folder(folder / "snapshots" / revision)) return folder / "snapshots" / revision;
    } catch (const Error&) { // not there, or not what the cache writes
    }
    const std::vector<fs::path> all = folders_in(folder / "snapshots");
    return all.size() == 1 ? all.front() : folder;
}

/// A file that by its name belongs to another program's models, though its tensors look alike.
bool is_of_another_model(const fs::path& file) {
    const std::string name = lower(file.filename().string());
    return name.find("qwen") != std::string::npos; // Qwen-Image's VAE: Wan's names and shapes, other values
}

/// Their names or folders speak of noise ("low_noise"), or the names differ in "high" and "low" alone: a word like
/// "high" by itself may mean anything.
bool are_experts(const fs::path& one, const fs::path& other) {
    const auto speaks = [](const fs::path& file) {
        return expert_of(file.filename().string()) != Expert::none ||
               expert_of(normal(file).parent_path().filename().string()) != Expert::none;
    };
    return (speaks(one) && speaks(other)) ||
           without_expert(one.filename().string()) == without_expert(other.filename().string());
}

/// The same model's two experts in the same numbers: names and folders differ in the words for the expert alone.
bool are_twins(const fs::path& one, const fs::path& other) {
    const auto rest = [](const fs::path& file) {
        return std::pair(without_expert(file.filename().string()),
                         without_expert(normal(file).parent_path().filename().string()));
    };
    return rest(one) == rest(other);
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
    explicit Opener(const fs::path& path) : path_(snapshot_in(path)) { model_.root = path_; }

    ModelFolder open() {
        if (!is_folder(path_))
            open_file();
        else if (is_file(path_ / "model_index.json"))
            open_diffusers(path_);
        else if (is_folder(path_ / "high_noise_model") || is_folder(path_ / "low_noise_model"))
            open_two_experts(path_, path_ / "high_noise_model", path_ / "low_noise_model");
        else
            open_folder();
        finish();
        return std::move(model_);
    }

private:
    // Looking into folders

    /// `beside`: a folder where companions are looked for, which may hold much that is not of this model.
    std::vector<Found> look(const fs::path& place, bool beside = false) {
        const bool folder = is_folder(place);
        std::vector<Found> found;
        std::vector<Error>& problems = beside ? problems_beside_ : problems_;
        for (const CheckpointFiles& files : beside ? list_beside(place) : list_checkpoints(place)) {
            try {
                for (Found& f : networks_of(files)) found.push_back(std::move(f));
            } catch (const Error& e) {
                if (!folder) throw;
                problems.push_back(e);
            }
        }
        return found;
    }
    /// A folder that cannot be read is left out, and so is a bad index.
    std::vector<CheckpointFiles> list_beside(const fs::path& place) {
        try {
            return list_checkpoints(place, &problems_beside_);
        } catch (const Error& e) {
            problems_beside_.push_back(e);
            return {};
        }
    }
    /// Read once, however often the search comes by: reading names takes a hundredth of a second for each file.
    std::vector<Found> networks_of(const CheckpointFiles& files) {
        const fs::path key = files.files.empty() ? files.index : normal(files.files.front());
        const auto known = networks_.find(key);
        if (known != networks_.end()) return known->second;
        std::vector<Found> found;
        const auto checkpoint = std::make_shared<Checkpoint>(Checkpoint::open(files.files, files.index));
        for (const TensorGroup& g : checkpoint->groups)
            if (g.recognised.component != Component::unknown && g.recognised.component != Component::lora)
                found.push_back({checkpoint, &g});
        return networks_.emplace(key, std::move(found)).first->second;
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
                                [&](const Found& f) { return file_expert_of(f.first_name()) == e; });
        };
        const auto high = named(Expert::high), low = named(Expert::low);
        if (candidates.size() == 2 && high != candidates.end() && low != candidates.end() &&
            are_experts(high->files().front(), low->files().front()) &&
            are_alike(TransformerTraits::read(*high->group), TransformerTraits::read(*low->group))) {
            set_transformer(*high);
            model_.transformer_low = low->files();
            warn_unless_twins(high->files().front(), low->files().front());
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
        refuse_several(path_, candidates);
    }
    /// Two quantisations, or a finetune's: whoever put them there knows.
    void warn_unless_twins(const fs::path& high, const fs::path& low) {
        if (!are_twins(high, low))
            model_.warnings.push_back(fmt::format("{} and {} are taken for the two experts of one model",
                                                  printable(high.filename().string(), 80),
                                                  printable(low.filename().string(), 80)));
    }
    [[noreturn]] static void refuse_several(const fs::path& place, const std::vector<Found>& all) {
        throw Error(place.string(), "",
                    fmt::format("several transformers are there ({})", fmt::join(names_of(all), ", ")),
                    "name the file that is meant");
    }
    static std::vector<std::string> names_of(const std::vector<Found>& all) {
        std::vector<std::string> names;
        for (const Found& f : all) names.push_back(printable(f.first_name(), 80));
        if (names.size() > 4) names.resize(4), names.emplace_back("…");
        return names;
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

    /// The other expert's file: beside it with low for high in its name, or in the folder beside that says so.
    void find_other_expert(const fs::path& file) {
        const fs::path folder = normal(file).parent_path();
        const Expert place = expert_of(folder.filename().string());
        const std::string name = file.filename().string();
        const Expert spoken = file_expert_of(name), mine = spoken == Expert::none ? place : spoken;
        if (mine == Expert::none) return;
        const Expert other = mine == Expert::high ? Expert::low : Expert::high;
        std::vector<Found> found =
            other_experts(folder, [&](const std::string& n) { return file_expert_of(n) == other; });
        if (place == mine)
            for (const fs::path& sibling : folders_in(folder.parent_path()))
                if (expert_of(sibling.filename().string()) == other)
                    for (Found& f :
                         other_experts(sibling, [&](const std::string& n) { return file_expert_of(n) != mine; }))
                        found.push_back(std::move(f));
        std::erase_if(found, [&](const Found& f) { return !are_experts(file, f.files().front()); });
        const auto twin = [&](const Found& f) { return are_twins(file, f.files().front()); };
        if (std::any_of(found.begin(), found.end(), twin))
            std::erase_if(found, [&](const Found& f) { return !twin(f); });
        if (found.size() > 1) {
            std::vector<std::string> places;
            for (const Found& f : found)
                places.push_back(
                    printable((normal(f.files().front()).parent_path().filename() / f.first_name()).string(), 80));
            if (places.size() > 3) places.resize(3), places.emplace_back("…");
            throw Error(path_.string(), "",
                        fmt::format("several files may be its other expert ({})", fmt::join(places, ", ")),
                        "keep beside it the one that is meant");
        }
        if (found.empty()) {
            if (expert_of(name) != Expert::none || place != Expert::none)
                model_.warnings.push_back(
                    fmt::format("{} is one expert of two; the other one is not beside it", printable(name, 80)));
        } else if (mine == Expert::high) {
            model_.transformer_low = found.front().files();
            warn_unless_twins(file, found.front().files().front());
        } else {
            model_.transformer_low = std::move(model_.transformer);
            set_transformer(found.front());
            warn_unless_twins(found.front().files().front(), file);
        }
    }

    /// Transformers in `folder` like the one that was chosen, whose file is `named` so. A damaged file is left out: it
    /// may be anybody's.
    template <class Named> std::vector<Found> other_experts(const fs::path& folder, Named named) {
        std::vector<Found> result;
        for (const CheckpointFiles& files : list_beside(folder)) {
            if (files.files.empty() || !named(files.files.front().filename().string())) continue;
            try {
                for (Found& f : only(networks_of(files), Component::transformer))
                    if (traits_ && are_alike(*traits_, TransformerTraits::read(*f.group)))
                        result.push_back(std::move(f));
            } catch (const Error& e) {
                if (are_twins(model_.transformer.front(), files.files.front())) throw;
                problems_beside_.push_back(e);
            }
        }
        return result;
    }
    static bool are_alike(const TransformerTraits& a, const TransformerTraits& b) {
        const auto kind = [](const TransformerTraits& t) {
            return std::tuple(t.dim, t.layers, t.in_channels, t.out_channels, t.clip, t.outside);
        };
        return kind(a) == kind(b);
    }

    /// What is only half there, as a download that has not ended, says less and nothing else.
    static bool contradict(const TransformerTraits& a, const TransformerTraits& b) {
        const auto differ = [](std::int64_t x, std::int64_t y) { return x >= 0 && y >= 0 && x != y; };
        return differ(a.dim, b.dim) || differ(a.in_channels, b.in_channels) || differ(a.out_channels, b.out_channels);
    }

    // Layouts

    [[noreturn]] void refuse_no_transformer(const std::vector<Found>& found) const {
        std::string what(found.empty() ? "no network that is known" : name(found.front().component()));
        for (const CheckpointFiles& files : list_checkpoints(path_)) {
            const Checkpoint all = Checkpoint::open(files.files, files.index);
            for (const TensorGroup& g : all.groups) {
                if (g.recognised.component == Component::lora) what = name(Component::lora);
                if (g.recognised.component != Component::unknown) continue;
                for (const auto& m : g.members) refuse_unknown_quantisation(m.name, path_.string());
                // A part that other programs add to a model of Wan: its layers have names as the model's.
                const std::string relative = TransformerTraits::read(g).outside;
                const bool layers = std::any_of(g.members.begin(), g.members.end(), [](const auto& m) {
                    return m.name.starts_with("blocks.") || m.name.starts_with("vace_blocks.");
                });
                if (layers && !relative.empty())
                    throw Error(path_.string(), "", describe_relative(relative), "give another transformer's file");
            }
        }
        throw Error(path_.string(), "", fmt::format("not a video model by itself (found: {})", what),
                    "give the transformer's file or the model folder");
    }

    void open_file() {
        const std::vector<Found> found = look(path_);
        choose_transformer(found);
        if (model_.transformer.empty()) refuse_no_transformer(found);
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

    /// The two folders that differ in the words for the expert alone, as HighNoise/ and LowNoise/; nothing where
    /// several could be meant.
    static std::optional<std::pair<fs::path, fs::path>> expert_folders(const fs::path& root) {
        std::vector<fs::path> high, low;
        for (const fs::path& folder : folders_in(root)) {
            const Expert expert = expert_of(folder.filename().string());
            if (expert != Expert::none) (expert == Expert::high ? high : low).push_back(folder);
        }
        if (high.size() != 1 || low.size() != 1) return std::nullopt;
        const auto rest = [](const fs::path& folder) { return without_expert(folder.filename().string()); };
        if (rest(high.front()) != rest(low.front())) return std::nullopt;
        return std::pair(high.front(), low.front());
    }

    /// `high` and `low`: folders in `root`, of which one may be missing.
    void open_two_experts(const fs::path& root, const fs::path& high, const fs::path& low) {
        if (is_folder(high)) choose_transformer(look(high));
        model_.config = read_config(is_folder(high) ? high : low, Component::transformer);
        if (is_folder(low)) choose_low(low);
        two_experts_ = true;
        if (model_.transformer.empty()) model_.missing.emplace_back("high-noise transformer");
        if (model_.transformer_low.empty()) model_.missing.emplace_back("low-noise transformer");
        take_companions(look(root));
        search_beside(root);
    }

    void choose_low(const fs::path& folder) {
        std::vector<Found> found = only(look(folder), Component::transformer);
        if (found.empty()) return;
        if (found.size() > 1 && parts_of_one(found)) {
            for (const Found& part : found)
                model_.transformer_low.insert(model_.transformer_low.end(), part.files().begin(), part.files().end());
            return;
        }
        if (!model_.transformer.empty()) {
            const auto twin = [&](const Found& f) { return are_twins(model_.transformer.front(), f.files().front()); };
            if (std::any_of(found.begin(), found.end(), twin))
                std::erase_if(found, [&](const Found& f) { return !twin(f); });
        }
        if (found.size() > 1) refuse_several(folder, found);
        if (traits_ && contradict(*traits_, TransformerTraits::read(*found.front().group)))
            throw Error(path_.string(), "", "its high- and low-noise transformers are of two models",
                        "name the file of the one that is meant");
        model_.transformer_low = found.front().files();
    }

    /// An original repository, ComfyUI's folders, or a part of a larger tree.
    void open_folder() {
        fs::path root = path_;
        if (is_folder(path_ / "split_files"))
            root = path_ / "split_files";
        else if (is_folder(path_ / "models/diffusion_models") || is_folder(path_ / "models/unet"))
            root = path_ / "models"; // ComfyUI itself
        std::vector<Found> found = look(root);
        if (only(found, Component::transformer).empty())
            if (const auto folders = expert_folders(root))
                return open_two_experts(root, folders->first, folders->second);
        for (const char* part : {"diffusion_models", "transformer", "unet", "checkpoints"}) {
            if (!only(found, Component::transformer).empty()) break;
            if (!is_folder(root / part)) continue;
            std::vector<Found> inside = look(root / part);
            if (only(inside, Component::transformer).empty())
                for (const fs::path& deeper : folders_in(root / part))
                    for (Found& f : look(deeper, true)) inside.push_back(std::move(f));
            found.insert(found.end(), inside.begin(), inside.end());
        }
        choose_transformer(found);
        if (!model_.transformer.empty() && model_.transformer_low.empty())
            find_other_expert(model_.transformer.front());
        take_companions(found);
        const fs::path place = model_.transformer.empty() ? root : model_.transformer.front().parent_path();
        model_.config = read_config(place, Component::transformer);
        search_beside(place);
        // transformer/ of a diffusers repository, or one expert's folder: the companions are one level up.
        const fs::path parent = fs::absolute(root).lexically_normal().parent_path();
        const fs::path up = root.filename().empty() ? parent.parent_path() : parent;
        if (is_file(up / "model_index.json")) model_.model_index = read_json_object(up / "model_index.json");
    }

    // Companions

    void take_companions(const std::vector<Found>& found) {
        for (const Component wanted : {Component::vae21, Component::vae22, Component::umt5, Component::clip})
            for (const Found& f : only(found, wanted))
                (wanted == Component::vae21 && is_of_another_model(f.files().front()) ? left_out_ : candidates_)
                    .push_back(f);
    }

    /// The folders where the usual layouts keep what belongs to a transformer in `folder`: people sort ComfyUI's into
    /// folders of their own (diffusion_models/WanVideo/2_2, vae/wan).
    void search_beside(const fs::path& folder) {
        static constexpr std::array inner{"diffusion_models", "transformer",      "transformer_2",  "unet",
                                          "checkpoints",      "high_noise_model", "low_noise_model"};
        static constexpr std::array companions{"vae",  "text_encoder",  "text_encoders",
                                               "clip", "image_encoder", "clip_vision"};
        const auto any_of = [](const auto& names, const std::string& name) {
            return std::find(names.begin(), names.end(), lower(name)) != names.end();
        };
        constexpr int most_levels = 3;
        std::vector<fs::path> roots{normal(folder)};
        fs::path at = roots.front();
        for (int level = 0; level < most_levels && at.has_filename(); ++level, at = at.parent_path())
            if (const std::string name = at.filename().string(); any_of(inner, name) || expert_of(name) != Expert::none)
                roots.push_back(at.parent_path());
        for (const fs::path& root : roots) {
            if (root != normal(path_)) take_companions(look(root, true));
            for (const fs::path& part : folders_in(root))
                if (any_of(companions, part.filename().string())) {
                    take_companions(look(part, true));
                    for (const fs::path& deeper : folders_in(part)) take_companions(look(deeper, true));
                }
            if (model_.tokenizer.empty()) model_.tokenizer = tokenizer_in(root);
        }
    }

    /// Its sizes are those that the transformer was trained with.
    bool suits(const Found& f) const {
        const TransformerTraits traits = traits_.value_or(TransformerTraits{});
        const Json sizes = describe_sizes(*f.group);
        const auto equal = [&](const char* key, std::int64_t wanted) {
            return wanted < 0 || sizes.value(key, wanted) == wanted;
        };
        if (f.component() == Component::umt5) return equal("d_model", traits.text_dim);
        if (f.component() == Component::clip) return equal("hidden_size", traits.clip_dim);
        // One that makes larger pictures has more channels at its end (upscale2x).
        return equal("z_dim", traits.out_channels) &&
               equal("out_channels", sizes.value("in_channels", std::int64_t{-1}));
    }

    /// Of several copies one that suits the transformer, and of those the one with the most bytes: fp16 before fp8.
    std::vector<fs::path> best(Component wanted, const char* role) {
        std::vector<const Found*> all;
        std::set<fs::path> seen; // a folder may be a link to another
        const auto place = [](const Found& f) {
            std::error_code error;
            const fs::path real = fs::weakly_canonical(f.files().front(), error);
            return error ? normal(f.files().front()) : real;
        };
        for (const Found& f : candidates_)
            if (f.component() == wanted && seen.insert(place(f)).second) all.push_back(&f);
        if (all.empty()) return {};
        // The vision tower of another CLIP has the same sizes.
        const auto other_clip = [](const Found& f) { return lower(f.first_name()).find("laion") != std::string::npos; };
        const auto rank = [&](const Found* f) { return std::tuple(suits(*f), !other_clip(*f), f->bytes()); };
        std::stable_sort(all.begin(), all.end(), [&](const Found* a, const Found* b) { return rank(a) > rank(b); });
        const Found& chosen = *all.front();
        if (all.size() > 1)
            model_.warnings.push_back(
                fmt::format("{} files hold a {}; {} is used", all.size(), role, printable(chosen.first_name(), 80)));
        if (wanted == Component::umt5) {
            for (const Found* f : all) // any of them brings the same one
                if (model_.tokenizer.empty() && (f == &chosen || suits(*f)))
                    model_.tokenizer = tokenizer_of(*f->checkpoint);
            if (model_.tokenizer.empty()) model_.tokenizer = tokenizer_in(chosen.files().front().parent_path());
        }
        return chosen.files();
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
        refuse_damaged_parts();
        warn_of_shards();
        for (const Error& problem : problems_) model_.warnings.push_back(fmt::format("left out: {}", problem.what()));
        if (model_.vae.empty())
            for (const Found& f : left_out_)
                model_.warnings.push_back(
                    fmt::format("left out: {} is not Wan's VAE, by its name", printable(f.first_name(), 80)));
        model_.relative = traits.outside;
        if (traits_) model_.family = family(traits);
    }

    /// A damaged file is most likely the part that is missing, and says more than that it is missing.
    void refuse_damaged_parts() const {
        if (model_.missing.empty()) return;
        if (!problems_.empty()) throw Error(problems_.front());
        struct Words {
            std::string_view part, in_name, in_folder;
        };
        static constexpr std::array<Words, 4> words{{{"transformer", "", ""},
                                                     {"VAE", "vae", "vae"},
                                                     {"text encoder", "t5", "text_encoder"},
                                                     {"CLIP image encoder", "clip", "image_encoder"}}};
        for (const Error& problem : problems_beside_) {
            const fs::path file(problem.file());
            const std::string in_name = lower(file.filename().string()),
                              in_folder = lower(file.parent_path().filename().string());
            for (const Words& w : words)
                if ((in_name.find(w.in_name) != std::string::npos || in_folder.starts_with(w.in_folder)) &&
                    std::find(model_.missing.begin(), model_.missing.end(), w.part) != model_.missing.end())
                    throw Error(problem);
        }
    }

    /// A download that has not ended, where no index says what there should be.
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
    std::map<fs::path, std::vector<Found>> networks_; ///< by a checkpoint's first file
    std::vector<Found> candidates_, left_out_;
    std::optional<TransformerTraits> traits_;
    std::vector<Error> problems_, problems_beside_;
    bool two_experts_ = false, second_vae_ = false;
};

} // namespace

ModelFolder ModelFolder::open(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) throw Error(path.string(), "", "no such file or folder", "check the name");
    return Opener(path).open();
}

} // namespace denoir

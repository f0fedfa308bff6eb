// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/text.h"
#include "engine/weights/places.h"
#include "engine/weights/shard_index.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_files = 100'000;
constexpr std::string_view index_ending = ".safetensors.index.json";

bool is_checkpoint_name(const std::string& name) {
    static constexpr std::array<std::string_view, 6> endings{".safetensors", ".sft", ".pth", ".pt", ".bin", ".gguf"};
    return !name.starts_with('.') &&
           std::ranges::any_of(endings, [&](std::string_view e) { return lower_ascii(name).ends_with(e); });
}

/// "model" of "model-00003-of-00012.safetensors", with the total; empty for other names.
std::string series_of(const std::string& name) {
    const std::size_t of = name.rfind("-of-");
    if (of == std::string::npos) return {};
    std::size_t begin = of;
    while (begin > 0 && is_ascii_digit(name[begin - 1])) --begin;
    if (begin == of || begin == 0 || name[begin - 1] != '-') return {};
    return name.substr(0, begin) + name.substr(of);
}

std::vector<fs::path> folder_files(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (it->is_regular_file(ignored)) files.push_back(it->path());
        if (files.size() > max_files)
            throw Error(folder.string(), "", fmt::format("the folder holds more than {} files", max_files),
                        "give the model's own folder");
    }
    if (error) throw Error(folder.string(), "", "the folder cannot be read", "check its permissions");
    std::ranges::sort(files);
    return files;
}

CheckpointFiles follow_index(const fs::path& index) {
    CheckpointFiles result;
    result.index = index;
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : read_shard_index(index)) shards.insert(shard);
    for (const std::string& shard : shards) result.files.push_back(index.parent_path() / shard);
    return result;
}

// Inside the files

/// Throws Error for a tensor that is in two containers.
void refuse_duplicates(const Checkpoint& c) {
    std::unordered_map<std::string_view, std::size_t> owner;
    for (std::size_t i = 0; i < c.containers.size(); ++i)
        for (const FileTensor& t : c.containers[i]->tensors)
            if (const auto [it, added] = owner.emplace(t.name, i); !added)
                throw Error(c.files[i].string(), t.name,
                            fmt::format("the tensor is in {} too", c.files[it->second].filename().string()),
                            "keep one of the two files");
}

/// Removes the tensors of a shard that the index does not assign to it (spec/checkpoints.md 1.4). Throws Error for one
/// that the index assigns and no shard has.
void keep_mapped(const std::vector<fs::path>& files, std::vector<std::shared_ptr<Container>>& containers,
                 const fs::path& index) {
    const auto map = read_shard_index(index);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < containers.size(); ++i) {
        auto& tensors = containers[i]->tensors;
        std::erase_if(tensors, [&](const FileTensor& t) {
            const auto it = map.find(t.name);
            return it == map.end() || files[i].filename() != it->second;
        });
        kept += tensors.size();
    }
    if (kept == map.size()) return;
    std::set<std::string_view> found;
    for (const auto& container : containers)
        for (const FileTensor& t : container->tensors) found.insert(t.name);
    for (const auto& [tensor, shard] : map)
        if (!found.contains(tensor))
            throw Error(index.string(), tensor, fmt::format("{} has no such tensor", shard),
                        "download that part of the model again");
}

using MembersByPrefix = std::map<std::string, std::vector<TensorGroup::Member>>;

/// Moves each scale to its weight. Some writers give scales no prefix, or another one than their weights: such a scale
/// belongs to the only weight of its name.
void move_scales(MembersByPrefix& by_prefix) {
    std::unordered_map<std::string, const std::string*> owners; // a weight's name -> its prefix; null: it has several
    for (const auto& [prefix, members] : by_prefix)
        for (const auto& m : members)
            if (const auto [it, added] = owners.emplace(m.name, &prefix); !added) it->second = nullptr;
    std::vector<std::pair<const std::string*, TensorGroup::Member>> moved;
    for (auto& group : by_prefix)
        std::erase_if(group.second, [&](const TensorGroup::Member& m) {
            const std::string_view layer = hangs_on(m.name);
            if (layer.empty()) return false;
            const auto owner = owners.find(std::string(layer) + ".weight");
            const bool other = owner != owners.end() && owner->second && owner->second != &group.first;
            if (other) moved.emplace_back(owner->second, m);
            return other;
        });
    for (auto& [prefix, member] : moved) by_prefix.find(*prefix)->second.push_back(std::move(member));
    std::erase_if(by_prefix, [](const auto& group) { return group.second.empty(); });
}

/// Finds the folded 3D convolutions and the number of their outputs. ggml's tensors have at most four axes, and so
/// stable-diffusion.cpp joins the outer two: [out * in, t, h, w]. The bias tells `out`.
std::unordered_map<const FileTensor*, std::int64_t> find_folded(const std::vector<TensorGroup::Member>& members) {
    std::unordered_map<std::string_view, std::int64_t> outputs; // by layer; in any shard
    const auto layer_of = [](const TensorGroup::Member& m, std::string_view leaf) {
        const std::string_view name = m.name;
        return name.ends_with(leaf) ? name.substr(0, name.size() - leaf.size()) : std::string_view();
    };
    for (const auto& m : members)
        if (const auto layer = layer_of(m, ".bias");
            !layer.empty() && m.tensor->shape.size() == 1 && m.tensor->shape[0] > 0)
            outputs.emplace(layer, m.tensor->shape[0]);
    std::unordered_map<const FileTensor*, std::int64_t> folded;
    for (const auto& m : members) {
        const std::vector<std::int64_t>& shape = m.tensor->shape;
        if (m.container->format != Container::Format::gguf || shape.size() != 4) continue;
        const auto found = outputs.find(layer_of(m, ".weight"));
        if (found != outputs.end() && shape[0] > found->second && shape[0] % found->second == 0)
            folded.emplace(m.tensor, found->second);
    }
    return folded;
}

/// Gives folded convolutions their five axes again.
void unfold(Checkpoint& c, const std::unordered_map<const FileTensor*, std::int64_t>& folded) {
    for (const auto& container : c.containers)
        for (FileTensor& t : container->tensors)
            if (const auto found = folded.find(&t); found != folded.end()) {
                t.shape[0] /= found->second;
                t.shape.insert(t.shape.begin(), found->second);
            }
}

/// Sorts the tensors by prefix, since all-in-one files hold several networks, and recognises each group.
void group_tensors(Checkpoint& c) {
    MembersByPrefix by_prefix;
    for (const auto& container : c.containers)
        for (const FileTensor& t : container->tensors) {
            const std::string plain = plain_name(t.name);
            const std::string_view prefix = known_prefix(plain);
            by_prefix[std::string(prefix)].push_back({container.get(), &t, plain.substr(prefix.size())});
        }
    if (by_prefix.size() > 1) move_scales(by_prefix);
    for (auto& [prefix, members] : by_prefix) {
        std::vector<NamedRank> named;
        named.reserve(members.size());
        const auto folded = find_folded(members);
        for (const auto& m : members)
            named.push_back({m.name, static_cast<int>(m.tensor->shape.size() + folded.count(m.tensor))});
        TensorGroup group{recognise(named), prefix, {}};
        // In an unknown network it may be a transposed convolution, whose rows are the inputs.
        if (group.component() != Component::unknown) unfold(c, folded);
        if (group.recognised.without_visual)
            for (auto& m : members) m.name = "visual." + m.name;
        group.members = std::move(members);
        c.groups.push_back(std::move(group));
    }
}

} // namespace

Checkpoint Checkpoint::open(const CheckpointFiles& files, OldPth old, const std::stop_token& stop) {
    Checkpoint c;
    c.files = files.files;
    c.indexed = !files.index.empty();
    for (const fs::path& file : c.files) {
        if (stop.stop_requested()) throw Cancelled();
        c.containers.push_back(std::make_shared<Container>(open_container(file, old)));
    }
    if (c.indexed)
        keep_mapped(c.files, c.containers, files.index);
    else if (c.files.size() > 1)
        refuse_duplicates(c);
    group_tensors(c);
    return c;
}

Checkpoint Checkpoint::join(std::span<const Checkpoint> parts) {
    Checkpoint c;
    for (const Checkpoint& part : parts) {
        c.files.insert(c.files.end(), part.files.begin(), part.files.end());
        c.containers.insert(c.containers.end(), part.containers.begin(), part.containers.end());
    }
    group_tensors(c);
    return c;
}

fs::path index_of(std::span<const fs::path> files) {
    if (files.empty()) return {};
    const fs::path folder = files.front().parent_path();
    if (!std::ranges::all_of(files, [&](const fs::path& file) { return file.parent_path() == folder; })) return {};
    const std::set<fs::path> wanted(files.begin(), files.end());
    try {
        for (const fs::path& name : folder_files(folder.empty() ? "." : folder)) {
            if (!name.filename().string().ends_with(index_ending)) continue;
            const fs::path index = folder / name.filename();
            try {
                const std::vector<fs::path> shards = follow_index(index).files;
                if (std::set(shards.begin(), shards.end()) == wanted) return index;
            } catch (const Error&) { // it may be the index of other files
                continue;
            }
        }
    } catch (const Error&) { // files may be read in a folder that cannot be listed
    }
    return {};
}

int shards_of(const std::string& name) {
    if (series_of(name).empty()) return 0;
    int count = 0;
    std::from_chars(name.data() + name.rfind("-of-") + 4, name.data() + name.size(), count);
    return count;
}

std::vector<CheckpointFiles> list_checkpoints(const fs::path& path, std::vector<Error>* problems) {
    if (!is_folder(path)) {
        if (path.filename().string().ends_with(index_ending)) return {follow_index(path)};
        return {CheckpointFiles{{path}, {}}};
    }
    std::vector<CheckpointFiles> result;
    std::set<fs::path> covered;
    const std::vector<fs::path> files = folder_files(path);
    for (const fs::path& file : files) {
        if (!file.filename().string().ends_with(index_ending)) continue;
        try {
            result.push_back(follow_index(file));
            covered.insert(result.back().files.begin(), result.back().files.end());
        } catch (const Error& e) {
            if (!problems) throw;
            problems->push_back(e);
        }
    }
    std::map<std::string, CheckpointFiles> series;
    // Repositories keep the same weights once more as pickles; like diffusers and transformers we prefer safetensors.
    const bool safe = std::ranges::find(files, ".safetensors", lower_extension) != files.end();
    for (const fs::path& file : files) {
        const std::string name = file.filename().string();
        if (!is_checkpoint_name(name) || covered.contains(file)) continue;
        if (safe && lower_extension(file) == ".bin") continue;
        const std::string key = series_of(name);
        series[key.empty() ? name : key].files.push_back(file);
    }
    for (auto& [key, one] : series) result.push_back(std::move(one));
    return result;
}

} // namespace denoir

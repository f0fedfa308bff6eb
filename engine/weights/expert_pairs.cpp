// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/expert_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/weights/places.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

/// Looks for the other expert of the transformer in `file`.
class Pairing {
public:
    Pairing(const fs::path& file, const ExpertContent& content, NetworkSearch& search)
        : file_(file),
          folder_(normal_path(file).parent_path()),
          mine_(placed_expert_of(file)),
          content_(content),
          search_(search) {}

    std::optional<OtherExpert> find(const fs::path& asked) {
        if (mine_ == Expert::none) return other_letter();
        std::vector<CheckpointFiles> all = candidates();
        const auto rest = std::stable_partition(all.begin(), all.end(), [&](const CheckpointFiles& files) {
            return are_twins(file_, files.files.front());
        });
        std::vector<Network> found = alike({all.begin(), rest});
        if (found.empty()) found = alike({rest, all.end()});
        if (found.empty()) return std::nullopt;
        if (found.size() > 1) refuse_several(asked, found);
        return OtherExpert{other_of(mine_), found.front()};
    }

private:
    static Expert other_of(Expert one) { return one == Expert::high ? Expert::low : Expert::high; }

    /// Files that may be the other expert by their names: beside this one and, if its folder is named after an expert,
    /// in the folder of the other.
    std::vector<CheckpointFiles> candidates() {
        std::vector<CheckpointFiles> all;
        const auto gather = [&](const fs::path& from, auto&& named) {
            for (CheckpointFiles& files : search_.list_beside(from))
                if (!files.files.empty() && named(files.files.front().filename().string()) &&
                    are_experts(file_, files.files.front()))
                    all.push_back(std::move(files));
        };
        gather(folder_, [&](const std::string& n) { return file_expert_of(n) == other_of(mine_); });
        if (file_expert_of(folder_.filename().string()) == mine_)
            for (const fs::path& sibling : folders_in(folder_.parent_path()))
                if (is_other_place(sibling)) gather(sibling, [&](const auto& n) { return file_expert_of(n) != mine_; });
        return all;
    }

    /// Whether a neighbouring folder is the other expert's. If its name mentions noise, it is by itself; if it is a
    /// mere word like "low", the two folders' names must differ in nothing else.
    bool is_other_place(const fs::path& sibling) const {
        const std::string its = sibling.filename().string(), own = folder_.filename().string();
        return expert_of(own) != Expert::none
                   ? expert_of(its) == other_of(mine_)
                   : file_expert_of(its) == other_of(mine_) && without_expert(its) == without_expert(own);
    }

    /// For a file whose name mentions no expert: a neighbour that makes both a pair by a letter (letter_expert_of).
    std::optional<OtherExpert> other_letter() {
        for (const CheckpointFiles& files : search_.list_beside(folder_)) {
            const Expert mine = files.files.empty() ? Expert::none : letter_expert_of(file_, files.files.front());
            if (mine == Expert::none) continue;
            const std::vector<Network> found = alike({files});
            if (found.size() == 1) return OtherExpert{other_of(mine), found.front()};
        }
        return std::nullopt;
    }

    /// The transformers in these files that are like ours.
    std::vector<Network> alike(const std::vector<CheckpointFiles>& all) {
        std::vector<Network> result;
        for (const CheckpointFiles& files : all) {
            try {
                for (Network& f : only(search_.networks_of(files), Component::transformer)) {
                    const ExpertContent content = ExpertContent::of(f);
                    if (are_alike(content_.traits, content.traits) && !is_quality(f.files().front(), content))
                        result.push_back(std::move(f));
                }
            } catch (const Error& e) {
                if (are_twins(file_, files.files.front())) throw;
                search_.add_problem_beside(e);
            }
        }
        return result;
    }

    /// Whether `other` is the same model in another quality: only bare words in the folders' names tell the two apart,
    /// and their contents are not those of two experts.
    bool is_quality(const fs::path& other, const ExpertContent& its) {
        const auto bare = [](const fs::path& file) {
            return file_expert_of(file.filename().string()) == Expert::none &&
                   is_bare_word(normal_path(file).parent_path().filename().string());
        };
        return bare(file_) && bare(other) && !are_experts_by_content(content_, its);
    }

    [[noreturn]] static void refuse_several(const fs::path& asked, const std::vector<Network>& found) {
        std::vector<std::string> places;
        for (const Network& f : found) places.push_back(f.placed_name());
        throw Error(asked.string(), "",
                    fmt::format("several files may be its other expert ({})", listed(std::move(places), 3)),
                    "keep beside it the one that is meant");
    }

    const fs::path& file_;
    const fs::path folder_;
    const Expert mine_; ///< none: the name does not say
    const ExpertContent& content_;
    NetworkSearch& search_;
};

/// Whether the names of their files make them a pair.
bool are_named_a_pair(const Network& high, const Network& low) {
    const fs::path &one = high.files().front(), &other = low.files().front();
    const bool named = file_expert_of(high.first_name()) == Expert::high &&
                       file_expert_of(low.first_name()) == Expert::low && are_experts(one, other);
    return named || letter_expert_of(one, other) == Expert::high;
}

} // namespace

bool are_alike(const TransformerTraits& a, const TransformerTraits& b) {
    const auto kind = [](const TransformerTraits& t) {
        return std::tuple(t.dim, t.layers, t.in_channels, t.out_channels, t.clip, t.outside);
    };
    return kind(a) == kind(b);
}
bool are_alike(const Network& a, const Network& b) {
    return are_alike(TransformerTraits::read(*a.group), TransformerTraits::read(*b.group));
}

bool contradict(const TransformerTraits& a, const TransformerTraits& b) {
    const auto differ = [](std::int64_t x, std::int64_t y) { return x >= 0 && y >= 0 && x != y; };
    return differ(a.dim, b.dim) || differ(a.in_channels, b.in_channels) || differ(a.out_channels, b.out_channels);
}

bool are_pair(const Network& high, const Network& low) { return are_named_a_pair(high, low) && are_alike(high, low); }

bool are_experts_by_content(const ExpertContent& one, const ExpertContent& other) {
    const TransformerTraits& t = one.traits;
    const bool is_1_3b = t.dim == 1536 && t.layers == 30;
    const bool single = t.clip || t.makes_vae22_latents() || is_1_3b;
    const auto [least, most] = std::minmax(one.bytes, other.bytes);
    return !single && most - least <= most / 20 && are_alike(t, other.traits);
}

bool hold_experts(const std::vector<Network>& high, const std::vector<Network>& low) {
    std::vector<ExpertContent> contents; // each is read only once
    for (const Network& n : low) contents.push_back(ExpertContent::of(n));
    for (const Network& one : high) {
        const ExpertContent content = ExpertContent::of(one);
        for (std::size_t i = 0; i < low.size(); ++i)
            if (are_experts_by_content(content, contents[i]) ||
                (are_alike(content.traits, contents[i].traits) && are_named_a_pair(one, low[i])))
                return true;
    }
    return false;
}

std::optional<OtherExpert> find_other_expert(const fs::path& file, const ExpertContent& content, NetworkSearch& search,
                                             const fs::path& asked) {
    return Pairing(file, content, search).find(asked);
}

} // namespace denoir

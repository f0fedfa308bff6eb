// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "engine/core/file.h"
#include "engine/weights/places.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Remembers, for the whole process, the checkpoints that hold no companion, by their stamps (stamp_of).
class Strangers {
public:
    static bool hold(const std::string& stamp) {
        const std::lock_guard lock(mutex());
        return all().contains(stamp);
    }
    static void add(std::string stamp) {
        constexpr std::size_t most = 10'000; // 2 MB
        const std::lock_guard lock(mutex());
        if (all().size() == most) all().clear();
        all().insert(std::move(stamp));
    }

private:
    // Never destroyed: a thread may still open a model while the program ends.
    static std::mutex& mutex() {
        static auto* const one = new std::mutex;
        return *one;
    }
    static std::unordered_set<std::string>& all() {
        static auto* const set = new std::unordered_set<std::string>;
        return *set;
    }
};

/// A key that changes with the content of these files (file_stamp). Empty if that is not certain: a file that was
/// written just now may be written again within the resolution of its time stamp.
std::string stamp_of(const CheckpointFiles& files) {
    std::string stamp;
    const auto add = [&](const fs::path& file) {
        std::error_code error;
        const auto written = fs::last_write_time(file, error);
        if (error || fs::file_time_type::clock::now() - written < std::chrono::seconds(2)) return false;
        stamp.append(file_stamp(normal_path(file))).append("\n");
        return true;
    };
    if (!files.index.empty() && !add(files.index)) return {};
    return std::ranges::all_of(files.files, add) ? stamp : std::string();
}

fs::path key_of(const CheckpointFiles& files) {
    return files.files.empty() ? files.index : normal_path(files.files.front());
}

} // namespace

std::uint64_t Network::bytes() const {
    std::uint64_t total = 0;
    for (const auto& m : group->members) total += m.tensor->bytes;
    return total;
}

std::string Network::placed_name() const {
    const fs::path file = normal_path(files().front());
    return printable((file.parent_path().filename() / file.filename()).string(), 80);
}

fs::path Network::real_place() const {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(files().front(), error);
    return error ? normal_path(files().front()) : real;
}

std::string listed(std::vector<std::string> names, std::size_t most) {
    if (names.size() > most) names.resize(most), names.emplace_back("…");
    return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<Network> only(const std::vector<Network>& all, Component wanted) {
    std::vector<Network> result;
    for (const Network& n : all)
        if (n.component() == wanted) result.push_back(n);
    const auto indexed = [](const Network& n) { return n.checkpoint->indexed; };
    if (std::ranges::any_of(result, indexed)) std::erase_if(result, [&](const Network& n) { return !indexed(n); });
    return result;
}

namespace {

/// The component, with both VAEs as one: the first part of one may hold too little to tell its release.
Component kind_of(const Network& n) { return is_vae(n.component()) ? Component::vae21 : n.component(); }

/// The network whose parts these are; nothing if they are not parts of one.
std::optional<Network> join(const std::vector<const Network*>& parts) {
    std::unordered_set<std::string_view> names;
    std::vector<Checkpoint> checkpoints;
    for (const Network* n : parts) {
        const bool alone = !n->checkpoint->indexed && n->checkpoint->groups.size() == 1;
        if (!alone || n->group->recognised.layout != parts.front()->group->recognised.layout) return std::nullopt;
        for (const auto& m : n->group->members)
            if (!names.insert(m.name).second) return std::nullopt;
        checkpoints.push_back(*n->checkpoint);
    }
    const auto whole = std::make_shared<Checkpoint>(Checkpoint::join(checkpoints));
    if (whole->groups.size() != 1) return std::nullopt;
    Network joined{whole, &whole->groups.front()};
    return kind_of(joined) == kind_of(*parts.front()) ? std::optional(std::move(joined)) : std::nullopt;
}

} // namespace

std::vector<Network> with_parts_joined(const std::vector<Network>& all) {
    std::vector<const Network*> each;
    std::set<std::pair<fs::path, Component>> seen;
    std::map<std::pair<fs::path, Component>, std::vector<const Network*>> together;
    for (const Network& n : all) {
        if (!seen.emplace(n.real_place(), n.component()).second) continue;
        each.push_back(&n);
        if (n.component() != Component::transformer)
            together[{normal_path(n.files().front()).parent_path(), kind_of(n)}].push_back(&n);
    }
    std::map<const Network*, Network> joined; // by their first part
    std::set<const Network*> parts;
    for (const auto& [place, those] : together)
        if (those.size() > 1)
            if (auto whole = join(those)) {
                joined.emplace(those.front(), std::move(*whole));
                parts.insert(those.begin() + 1, those.end());
            }
    std::vector<Network> result;
    for (const Network* n : each)
        if (!parts.contains(n)) result.push_back(joined.contains(n) ? joined.at(n) : *n);
    return result;
}

std::vector<Network> NetworkSearch::look(const fs::path& place) {
    const bool folder = is_folder(place);
    std::vector<Network> found;
    for (const CheckpointFiles& files : list_checkpoints(place)) {
        try {
            for (Network& n : networks_of(files)) found.push_back(std::move(n));
        } catch (const Error& e) {
            if (!folder) throw;
            problems_.push_back(e);
        }
    }
    return found;
}

std::vector<Network> NetworkSearch::look_beside(const fs::path& folder) { return look_beside(folder, true); }
std::vector<Network> NetworkSearch::companions_beside(const fs::path& folder) { return look_beside(folder, false); }

std::vector<Network> NetworkSearch::look_beside(const fs::path& folder, bool transformers) {
    std::vector<Network> found;
    for (const CheckpointFiles& files : list_beside(folder)) {
        const std::string stamp = transformers ? std::string() : stamp_of(files);
        if (!stamp.empty() && Strangers::hold(stamp)) continue;
        // A checkpoint that was known may have been read before its stamp was taken, or with other shards.
        const bool known = known_.contains(key_of(files));
        try {
            std::vector<Network> all = networks_of(files);
            if (!transformers)
                std::erase_if(all, [](const Network& n) { return n.component() == Component::transformer; });
            if (!stamp.empty() && all.empty() && !known) {
                Strangers::add(stamp);
                known_.erase(key_of(files)); // hundreds of tables of contents would take 200 MB
            }
            for (Network& n : all) found.push_back(std::move(n));
        } catch (const Error& e) {
            problems_beside_.push_back(e);
        }
    }
    return found;
}

std::vector<CheckpointFiles> NetworkSearch::list_beside(const fs::path& folder) {
    try {
        return list_checkpoints(folder, &problems_beside_);
    } catch (const Error& e) {
        problems_beside_.push_back(e);
        return {};
    }
}

std::vector<Network> NetworkSearch::networks_of(const CheckpointFiles& files) {
    const fs::path key = key_of(files);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    std::vector<Network> found;
    const auto checkpoint = std::make_shared<Checkpoint>(Checkpoint::open(files, OldPth::refuse, stop_));
    for (const TensorGroup& g : checkpoint->groups)
        if (is_network(g.component())) found.push_back({checkpoint, &g});
    return known_.emplace(key, std::move(found)).first->second;
}

} // namespace denoir

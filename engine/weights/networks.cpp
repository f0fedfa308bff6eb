// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/networks.h"

#include <algorithm>

#include "engine/weights/places.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

fs::path key_of(const CheckpointFiles& files) {
    return files.files.empty() ? files.index : normal_path(files.files.front());
}

} // namespace

std::uint64_t Network::bytes() const {
    std::uint64_t total = 0;
    for (const auto& m : group->members) total += m.tensor->bytes;
    return total;
}

std::vector<Network> only(const std::vector<Network>& all, Component wanted) {
    std::vector<Network> result;
    for (const Network& n : all)
        if (n.component() == wanted) result.push_back(n);
    const auto indexed = [](const Network& n) { return n.checkpoint->indexed; };
    if (std::any_of(result.begin(), result.end(), indexed))
        std::erase_if(result, [&](const Network& n) { return !indexed(n); });
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

std::vector<Network> NetworkSearch::look_beside(const fs::path& folder) {
    std::vector<Network> found;
    for (const CheckpointFiles& files : list_beside(folder)) {
        try {
            for (Network& n : networks_of(files)) found.push_back(std::move(n));
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
    const auto checkpoint = std::make_shared<Checkpoint>(Checkpoint::open(files.files, files.index));
    for (const TensorGroup& g : checkpoint->groups)
        if (g.recognised.component != Component::unknown && g.recognised.component != Component::lora)
            found.push_back({checkpoint, &g});
    return known_.emplace(key, std::move(found)).first->second;
}

} // namespace denoir

// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/no_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/weights/places.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/traits.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// "quantised with …, which is not read"; empty for other files and for damaged ones.
std::string unread_scheme(const CheckpointFiles& files, const std::stop_token& stop) {
    std::vector<std::string> names;
    try {
        for (const TensorGroup& g : Checkpoint::open(files, OldPth::refuse, stop).groups)
            if (g.component() == Component::unknown)
                for (const auto& m : g.members) names.push_back(m.name);
    } catch (const Error&) { // damage is reported elsewhere
    }
    try {
        for (const std::string& name : names) refuse_unknown_quantisation(name, {});
    } catch (const Error& e) {
        return e.message();
    }
    return {};
}

} // namespace

void refuse_no_transformer(const fs::path& place, const std::vector<Network>& found, const std::stop_token& stop) {
    std::string what(found.empty() ? "no network that is known" : name(found.front().component()));
    for (const CheckpointFiles& files : list_checkpoints(place)) {
        const Checkpoint all = Checkpoint::open(files, OldPth::refuse, stop);
        for (const TensorGroup& g : all.groups) {
            if (g.component() == Component::lora) what = name(Component::lora);
            if (g.component() != Component::unknown) continue;
            for (const auto& m : g.members) refuse_unknown_quantisation(m.name, place.string());
            // It may be a part that other programs add to a model of Wan, with layers named like the model's.
            const bool layers = std::ranges::any_of(g.members, [](const auto& m) {
                return m.name.starts_with("blocks.") || m.name.starts_with("vace_blocks.");
            });
            const std::string relative = layers ? TransformerTraits::read(g).outside : std::string();
            if (!relative.empty())
                throw Error(place.string(), "", describe_relative(relative), "give another transformer's file");
        }
    }
    throw Error(place.string(), "", fmt::format("not a video model by itself (found: {})", what),
                "give the transformer's file or the model folder");
}

std::string transformers_deeper(const fs::path& folder, NetworkSearch& search) {
    constexpr std::size_t most_folders = 100, most_files = 50, told = 4;
    std::vector<fs::path> folders = folders_in(folder);
    folders.resize(std::min(folders.size(), most_folders));
    std::vector<std::string> names;
    std::size_t files_left = most_files;
    // This is only a hint, and hundreds of thousands of names take long to read.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    const auto each = [](auto&& look) {
        try {
            look();
        } catch (const Error&) { // it is reported when the file is opened
        }
    };
    for (const fs::path& inner : folders)
        each([&] {
            if (std::chrono::steady_clock::now() >= end) return;
            std::vector<Error> ignored;
            for (const CheckpointFiles& files : list_checkpoints(inner, &ignored))
                if (names.size() <= told && files_left > 0 && std::chrono::steady_clock::now() < end) {
                    --files_left;
                    each([&] {
                        for (const Network& n : only(search.networks_of(files), Component::transformer))
                            names.push_back(printable((inner.filename() / n.first_name()).string(), 80));
                    });
                }
        });
    return listed(std::move(names), told);
}

std::string unread_transformer(const fs::path& folder, const std::stop_token& stop) {
    constexpr std::size_t most = 8;
    for (const fs::path& place : {folder, folder / "transformer"}) {
        if (!is_folder(place)) continue;
        std::vector<Error> damaged; // reported elsewhere
        std::vector<CheckpointFiles> all = list_checkpoints(place, &damaged);
        all.resize(std::min(all.size(), most));
        for (const CheckpointFiles& files : all)
            if (const std::string scheme = unread_scheme(files, stop); !scheme.empty())
                return fmt::format("{} is {}", printable_name(files.files.front()), scheme);
    }
    return {};
}

} // namespace denoir

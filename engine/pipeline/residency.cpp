// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline/residency.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/file.h"
#include "engine/weights/config_file.h"

namespace denoir {
namespace {

constexpr std::size_t most_texts = 16; ///< each is 8 MiB at UMT5-XXL's width

/// Whether loaded weights are what was asked for; vae21 asks for either VAE.
bool serves(Component loaded, Component asked) {
    return loaded == asked || (loaded == Component::vae22 && asked == Component::vae21);
}

bool counts(const Lora& lora, Expert expert) { return lora.strength != 0 && is_for(lora, expert); }

} // namespace

std::shared_ptr<const Weights> Residency::get(std::span<const std::filesystem::path> files, Component component,
                                              std::string_view use, std::span<const Lora> loras, Expert expert) {
    std::string key = fmt::format("{} {}", name(component), use), stamp = weights_stamp(files);
    for (const auto& file : files) key.append("\n").append(file.string());
    for (const Lora& lora : loras)
        if (counts(lora, expert)) {
            key.append(fmt::format("\n{} of {}", lora.strength, lora.file.string()));
            stamp.append("\n").append(file_stamp(lora.file));
            if (const auto config = peft_config_of(lora.file); !config.empty()) stamp.append(file_stamp(config));
        }
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
    if (known != entries_.end() && known->stamp == stamp) return known->weights;
    if (known != entries_.end()) entries_.erase(known);
    auto weights = std::make_shared<Weights>(Weights::load(files, component));
    for (const Lora& lora : loras)
        if (counts(lora, expert))
            for (std::string& warning : add_lora(*weights, lora, expert)) weights->warn(std::move(warning));
    entries_.push_front({key, stamp, std::move(weights)});
    return entries_.front().weights;
}

void Residency::release(Component component, const Weights* except) {
    entries_.remove_if(
        [&](const Entry& e) { return serves(e.weights->component(), component) && e.weights.get() != except; });
}

void Residency::release_prepared(Component component) {
    entries_.remove_if(
        [&](const Entry& e) { return serves(e.weights->component(), component) && e.weights->prepared(); });
}

std::size_t Residency::bytes() const {
    std::size_t sum = 0;
    for (const Entry& e : entries_) sum += e.weights->stored_bytes();
    return sum;
}

std::optional<Residency::Text> Residency::text(const std::string& key) {
    const auto it = std::find_if(texts_.begin(), texts_.end(), [&](const auto& known) { return known.first == key; });
    if (it == texts_.end()) return {};
    texts_.splice(texts_.begin(), texts_, it);
    return it->second;
}

void Residency::keep_text(const std::string& key, const Text& text) {
    if (!lasting()) return;
    texts_.emplace_front(key, text);
    if (texts_.size() > most_texts) texts_.pop_back();
}

} // namespace denoir

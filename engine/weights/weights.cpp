// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "engine/core/error.h"
#include "engine/weights/names.h"
#include "engine/weights/quantisation.h"
#include "engine/weights/shapes.h"

namespace denoir {
namespace {

/// One kind of disagreement, gathered: how many, and the first few in words.
struct Findings {
    std::size_t count = 0;
    std::vector<std::string> words;
    void add(std::string text) {
        if (++count <= 3) words.push_back(std::move(text));
    }
    std::string text(std::string_view what) const {
        std::string result = fmt::format("{} {}: {}", count, what, fmt::join(words, ", "));
        return count > words.size() ? result + ", …" : result;
    }
};

} // namespace

std::string_view name(Component component) {
    switch (component) {
    case Component::transformer:
        return "transformer";
    case Component::vae21:
        return "Wan 2.1 VAE";
    case Component::vae22:
        return "Wan 2.2 VAE";
    case Component::umt5:
        return "UMT5 text encoder";
    case Component::clip:
        return "CLIP vision encoder";
    case Component::lora:
        return "LoRA";
    case Component::unknown:
        return "unknown";
    }
    return "";
}

Weights::Weights(Component component, std::map<std::string, Weight, std::less<>> tensors, Json config,
                 std::string origin)
    : tensors_(std::move(tensors)), component_(component), config_(std::move(config)), origin_(std::move(origin)) {}

const Weight* Weights::find(std::string_view name) const {
    const auto it = tensors_.find(name);
    return it == tensors_.end() ? nullptr : &it->second;
}

void Weights::change(std::string_view name, WeightChange change) {
    Weight& weight = tensors_.find(name)->second;
    assert(weight.prepared.empty());
    weight.changes.push_back(std::move(change));
}

std::size_t Weights::stored_bytes() const {
    std::size_t total = 0;
    for (const auto& [name, weight] : tensors_) total += weight.stored().bytes();
    return total;
}

bool Weights::prepared() const {
    return std::ranges::any_of(tensors_, [](const auto& item) { return !item.second.prepared.empty(); });
}

void Weights::require(const std::map<std::string, Shape>& expected) const {
    Findings missing, extra, wrong;
    std::string first;
    const auto note = [&](Findings& findings, const std::string& tensor, std::string text) {
        if (first.empty()) first = tensor;
        findings.add(std::move(text));
    };
    for (const auto& [name, shape] : expected) {
        const Weight* weight = find(name);
        if (!weight)
            note(missing, name, name);
        else if (!shape_fits(weight->shape(), shape))
            note(wrong, name,
                 fmt::format("{} is {}, expected {}", name, to_string(weight->shape()), shape_pattern(shape)));
    }
    for (const auto& [name, shape] : expected)
        if (const Weight* weight = find(name); weight && !holds_floats(*weight))
            throw Error(origin_, name, fmt::format("is of type {}", info(weight->stored().dtype()).name),
                        "use weights in floats");
    for (const auto& [name, weight] : tensors_)
        if (!expected.contains(name) && !is_ignorable(component_, name)) note(extra, name, name);
    if (first.empty()) return;

    std::vector<std::string> parts;
    if (wrong.count) parts.push_back(wrong.text("of the wrong shape"));
    if (missing.count) parts.push_back(missing.text("missing"));
    if (extra.count) parts.push_back(extra.text("too many"));
    throw Error(origin_, first, fmt::format("the tensors do not fit ({})", fmt::join(parts, "; ")),
                "use the complete checkpoint of one model");
}

} // namespace denoir

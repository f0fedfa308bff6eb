// SPDX-License-Identifier: Apache-2.0
// Which of Wan 2.2's two experts a LoRA is for, by names.
#include <algorithm>
#include <string>
#include <string_view>

#include "engine/core/text.h"
#include "engine/weights/lora.h"
#include "engine/weights/places.h"

namespace denoir {
namespace {

namespace fs = std::filesystem;

/// "…-H-e8", "…_L": a letter that stands alone says it, in capitals as trainers write it; before a name it is an
/// initial ("Samuel_L_Jackson").
Expert letter_of(std::string_view file_name) {
    const std::string_view stem = file_name.substr(0, file_name.rfind('.'));
    const auto is_apart = [&](std::size_t i) { return i >= stem.size() || !is_ascii_alphanumeric(stem[i]); };
    const auto is_name = [&](std::size_t begin) {
        std::size_t end = begin;
        while (!is_apart(end)) ++end;
        const std::string word = lower_ascii(stem.substr(std::min(begin, stem.size()), end - begin));
        const bool counts = word.find_first_of("0123456789") != std::string::npos;
        return !word.empty() && !counts && word != "lora" && word != "final" && word != "model" && word != "rank" &&
               word != "and";
    };
    bool high = false, low = false;
    for (std::size_t i = 0; i < stem.size(); ++i)
        if ((i == 0 || is_apart(i - 1)) && is_apart(i + 1) && !is_name(i + 2)) {
            high = high || stem[i] == 'H';
            low = low || stem[i] == 'L';
        }
    return high == low ? Expert::none : high ? Expert::high : Expert::low;
}

/// What a file's own name says without a word of noise: "…_HIGH_fp16", "…-LN", "…i2vLow".
Expert bare_expert_of(std::string_view file_name) {
    const Expert word = file_expert_of(file_name);
    return word == Expert::none ? letter_of(file_name) : word;
}

/// "style_h.safetensors" beside "style_l.safetensors": which one it is where the other is there, too.
Expert small_letter_of(const std::string& name, const std::string& other) {
    const auto [mine, its] = std::mismatch(name.begin(), name.end(), other.begin(), other.end());
    if (mine == name.end() || its == other.end() || !std::equal(mine + 1, name.end(), its + 1, other.end()))
        return Expert::none;
    const auto is_apart = [&](auto begin, auto end) { return begin == end || !is_ascii_alphanumeric(*begin); };
    if (!is_apart(mine + 1, name.end()) || (mine != name.begin() && !is_apart(mine - 1, name.end())))
        return Expert::none;
    return *mine == 'h' && *its == 'l' ? Expert::high : *mine == 'l' && *its == 'h' ? Expert::low : Expert::none;
}

/// Which of two it is, by how their names or folders differ.
Expert paired_expert(const fs::path& file, const fs::path& other) {
    const fs::path mine = normal_path(file), its = normal_path(other);
    const Expert placed = placed_expert_of(mine), opposite = placed_expert_of(its);
    if (are_twins(mine, its) && placed != Expert::none && opposite != Expert::none && placed != opposite) return placed;
    return mine.parent_path() == its.parent_path() ? small_letter_of(mine.filename().string(), its.filename().string())
                                                   : Expert::none;
}

} // namespace

Expert named_expert(const fs::path& file) {
    const Expert said = bare_expert_of(file.filename().string());
    return said == Expert::none ? said_expert_of(file) : said;
}

bool is_for(const Lora& lora, Expert expert) {
    const Expert its = lora.expert.value_or(named_expert(lora.file));
    return expert == Expert::none || its == Expert::none || its == expert;
}

void tell_pairs_apart(std::vector<Lora>& loras) {
    for (Lora& lora : loras) {
        if (lora.expert || named_expert(lora.file) != Expert::none) continue;
        for (const Lora& other : loras)
            if (const Expert expert = paired_expert(lora.file, other.file); expert != Expert::none)
                lora.expert = expert;
    }
}

} // namespace denoir

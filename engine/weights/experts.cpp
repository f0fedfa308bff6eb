// SPDX-License-Identifier: Apache-2.0
#include "engine/weights/experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/core/text.h"
#include "engine/weights/places.h"

namespace denoir {
namespace fs = std::filesystem;
namespace {

/// Words after which "high" or "low" does not mean an expert: "high_res", "low-poly", "HighQuality".
constexpr std::array<std::string_view, 41> other_ends{
    "res",     "resolution", "quality", "detail", "details", "def",   "definition", "poly",   "key",
    "angle",   "contrast",   "speed",   "fps",    "vram",    "ram",   "mem",        "memory", "rank",
    "gpu",     "motion",     "cfg",     "lr",     "loss",    "light", "precision",  "heel",   "heels",
    "fashion", "fantasy",    "school",  "tech",   "kick",    "kicks", "cut",        "rise",   "waist",
    "waisted", "rider",      "collar",  "boots",  "socks"};

/// Whether `text` goes on with one of those at `at`. A capital begins a new word ("HighHeelsV2").
bool goes_on_otherwise(std::string_view text, std::size_t at) {
    const std::string all = lower_ascii(text);
    if (at < all.size() && std::string_view("_- .").find(all[at]) != std::string_view::npos) ++at;
    std::size_t end = at;
    while (end < all.size() && is_ascii_lower(all[end]) &&
           !(end > at && is_ascii_lower(text[end - 1]) && is_ascii_upper(text[end])))
        ++end;
    return std::ranges::find(other_ends, std::string_view(all).substr(at, end - at)) != other_ends.end();
}

/// The index of `word` in `text`, where it stands as a word of its own: a capital begins a word, and "noise" may
/// follow. npos if there is none.
std::size_t find_word(std::string_view text, std::string_view word) {
    const auto upper = [&](std::size_t i) { return is_ascii_upper(text[i]); };
    const auto lower = [&](std::size_t i) { return is_ascii_lower(text[i]); };
    const std::string all = lower_ascii(text);
    for (std::size_t at = all.find(word); at != std::string::npos; at = all.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !(upper(at - 1) || lower(at - 1)) || (lower(at - 1) && upper(at));
        const bool ends = end == all.size() || !(upper(end) || lower(end)) || (lower(end - 1) && upper(end)) ||
                          all.compare(end, 5, "noise") == 0;
        if (begins && ends && !goes_on_otherwise(text, end)) return at;
    }
    return std::string::npos;
}

constexpr std::array<std::string_view, 2> high_words{"high", "hn"}, low_words{"low", "ln"};

/// The expert that alone is mentioned.
Expert the_only(bool high, bool low) { return high == low ? Expert::none : high ? Expert::high : Expert::low; }

std::string file_name_of(const fs::path& file) { return file.filename().string(); }
std::string folder_name_of(const fs::path& file) { return normal_path(file).parent_path().filename().string(); }

} // namespace

Expert expert_of(std::string_view name) {
    const std::string text = lower_ascii(name);
    const auto speaks = [&](std::string_view side) {
        for (const std::string_view join : {"_", "-", "", " ", "."})
            if (text.find(fmt::format("{}{}noise", side, join)) != std::string::npos) return true;
        return false;
    };
    return the_only(speaks("high"), speaks("low"));
}

Expert file_expert_of(std::string_view file_name) {
    if (const Expert spoken = expert_of(file_name); spoken != Expert::none) return spoken;
    const auto speaks = [&](std::string_view word) { return find_word(file_name, word) != std::string::npos; };
    return the_only(std::ranges::any_of(high_words, speaks), std::ranges::any_of(low_words, speaks));
}

bool is_bare_word(std::string_view folder_name) {
    return expert_of(folder_name) == Expert::none && file_expert_of(folder_name) != Expert::none &&
           without_expert(folder_name).empty();
}

Expert placed_expert_of(const fs::path& file) {
    const Expert spoken = file_expert_of(file_name_of(file));
    return spoken == Expert::none ? file_expert_of(folder_name_of(file)) : spoken;
}

Expert said_expert_of(const fs::path& file) {
    const Expert spoken = expert_of(file_name_of(file));
    return spoken == Expert::none ? expert_of(folder_name_of(file)) : spoken;
}

std::string without_expert(std::string_view file_name) {
    std::string rest(file_name);
    for (const auto& words : {high_words, low_words})
        for (const std::string_view word : words)
            for (std::size_t at = find_word(rest, word); at != std::string::npos; at = find_word(rest, word))
                rest.replace(at, word.size(), 1, '-'); // so that its neighbours stay two words
    rest = lower_ascii(rest);
    std::erase_if(rest, [](char c) { return !is_ascii_lower(c) && !is_ascii_digit(c); });
    return rest;
}

bool are_experts(const fs::path& one, const fs::path& other) {
    const auto speaks = [](const fs::path& file) { return said_expert_of(file) != Expert::none; };
    return (speaks(one) && speaks(other)) || without_expert(file_name_of(one)) == without_expert(file_name_of(other));
}

bool are_twins(const fs::path& one, const fs::path& other) {
    const auto rest = [](const fs::path& file) {
        return std::pair(without_expert(file_name_of(file)), without_expert(folder_name_of(file)));
    };
    return rest(one) == rest(other);
}

Expert letter_expert_of(const fs::path& file, const fs::path& other) {
    std::string one = file.stem().string(), two = other.stem().string();
    if (file.extension() != other.extension() || one.size() < 2 || one.size() != two.size()) return Expert::none;
    const char mine = one.back(), its = two.back();
    one.pop_back(), two.pop_back();
    if (one != two) return Expert::none;
    return mine == 'H' && its == 'L' ? Expert::high : mine == 'L' && its == 'H' ? Expert::low : Expert::none;
}

std::optional<std::pair<fs::path, fs::path>> expert_folders(const fs::path& root) {
    std::vector<fs::path> high, low;
    // A mere word like "high" counts only if no folder's name mentions noise.
    for (const auto& speaks : {expert_of, file_expert_of}) {
        if (!high.empty() || !low.empty()) break;
        for (const fs::path& folder : folders_in(root)) {
            const Expert expert = speaks(file_name_of(folder));
            if (expert != Expert::none) (expert == Expert::high ? high : low).push_back(folder);
        }
    }
    if (high.size() != 1 || low.size() != 1) return std::nullopt;
    if (without_expert(file_name_of(high.front())) != without_expert(file_name_of(low.front()))) return std::nullopt;
    return std::pair(high.front(), low.front());
}

} // namespace denoir

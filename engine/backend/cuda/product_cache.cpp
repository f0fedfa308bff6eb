// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/product_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace denoir::cuda {
namespace {

constexpr std::size_t largest_file = 1 << 20, longest_key = 200;

bool read_word(std::istringstream& in, std::uint64_t& word) {
    std::string text;
    if (!(in >> text) || text.size() > 16) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), word, 16);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

std::filesystem::path ProductCache::file(std::string_view what, std::string card, std::size_t version) {
    const auto odd = [](unsigned char c) { return !std::isalnum(c); };
    std::replace_if(card.begin(), card.end(), odd, '-');
    try {
        return cache_folder() / fmt::format("{}-{}-{}.txt", what, card.substr(0, 80), version);
    } catch (const Error&) {
        return {};
    }
}

ProductCache::ProductCache(std::filesystem::path file) : file_(std::move(file)) {
    std::error_code code;
    if (file_.empty() || !std::filesystem::exists(file_, code)) return;
    std::string text;
    try {
        text = read_text(file_, largest_file);
    } catch (const Error&) {
        return; // found anew
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream in(line);
        std::string key, rest;
        Words words{};
        bool whole = static_cast<bool>(in >> key) && key.size() <= longest_key;
        for (std::uint64_t& word : words) whole = whole && read_word(in, word);
        if (whole && !(in >> rest)) known_[key] = words;
    }
}

std::optional<ProductCache::Words> ProductCache::find(const std::string& key) const {
    const auto found = known_.find(key);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void ProductCache::keep(const std::string& key, const Words& words) {
    known_[key] = words;
    if (file_.empty()) return;
    std::string text;
    for (const auto& [name, all] : known_) text += fmt::format("{} {:x}\n", name, fmt::join(all, " "));
    try {
        write_file(file_, text);
    } catch (const Error&) {
        file_.clear();
    }
}

} // namespace denoir::cuda

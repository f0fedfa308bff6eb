// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/product_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/own_folders.h"
#include "engine/core/text.h"

namespace denoir::cuda {
namespace {

constexpr std::size_t largest_file = 16 << 20, longest_key = 200;

bool read_word(std::istringstream& in, std::uint64_t& word) {
    std::string text;
    if (!(in >> text) || text.size() > 16) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), word, 16);
    return error == std::errc{} && end == text.data() + text.size();
}

/// Empty if there is no file or it cannot be read: the algorithms are then chosen anew.
std::map<std::string, ProductCache::Words, std::less<>> read(const std::filesystem::path& file) {
    std::map<std::string, ProductCache::Words, std::less<>> all;
    std::error_code code;
    if (!std::filesystem::exists(file, code)) return all;
    std::string text;
    try {
        text = read_text(file, largest_file);
    } catch (const Error&) {
        return all;
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream in(line);
        std::string key, rest;
        ProductCache::Words words{};
        bool whole = static_cast<bool>(in >> key) && key.size() <= longest_key;
        for (std::uint64_t& word : words) whole = whole && read_word(in, word);
        if (whole && !(in >> rest)) all[key] = words;
    }
    return all;
}

} // namespace

std::filesystem::path ProductCache::file(std::string_view what, std::string card, std::size_t version) {
    const auto odd = [](char c) { return !is_ascii_alphanumeric(c); };
    std::replace_if(card.begin(), card.end(), odd, '-');
    try {
        return cache_folder() / fmt::format("{}-{}-{}.txt", what, card.substr(0, 80), version);
    } catch (const Error&) {
        return {};
    }
}

std::shared_ptr<ProductCache::Known> ProductCache::known_of(const std::filesystem::path& file) {
    if (file.empty()) return std::make_shared<Known>();
    static std::mutex mutex;
    static std::map<std::filesystem::path, std::weak_ptr<Known>> all;
    const std::lock_guard lock(mutex);
    auto& slot = all[file];
    if (auto known = slot.lock()) return known;
    auto known = std::make_shared<Known>();
    slot = known;
    known->words = read(file);
    return known;
}

ProductCache::ProductCache(std::filesystem::path file) : file_(std::move(file)), known_(known_of(file_)) {}

ProductCache::~ProductCache() {
    const std::lock_guard lock(known_->mutex);
    if (known_->unwritten) write(*known_);
}

std::optional<ProductCache::Words> ProductCache::find(const std::string& key) const {
    const std::lock_guard lock(known_->mutex);
    const auto found = known_->words.find(key);
    if (found == known_->words.end() || known_->forgotten.contains(key)) return std::nullopt;
    return found->second;
}

std::size_t ProductCache::size() const {
    const std::lock_guard lock(known_->mutex);
    return known_->words.size();
}

void ProductCache::forget(const std::string& key) {
    const std::lock_guard lock(known_->mutex);
    known_->forgotten.insert(key);
}

void ProductCache::keep(const std::string& key, const Words& words) {
    const std::lock_guard lock(known_->mutex);
    known_->words[key] = words;
    known_->forgotten.erase(key);
    known_->unwritten = true;
    if (std::chrono::steady_clock::now() - known_->written > std::chrono::seconds(2)) write(*known_);
}

void ProductCache::write(Known& known) {
    known.unwritten = false;
    if (file_.empty()) return;
    known.words.merge(read(file_)); // keeps what another process has chosen meanwhile
    std::string text;
    for (const auto& [name, all] : known.words) text += fmt::format("{} {:x}\n", name, fmt::join(all, " "));
    try {
        write_file(file_, text);
    } catch (const std::exception&) {
        file_.clear();
    }
    known.written = std::chrono::steady_clock::now();
}

} // namespace denoir::cuda

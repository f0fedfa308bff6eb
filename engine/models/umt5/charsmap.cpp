// SPDX-License-Identifier: Apache-2.0
#include "engine/models/umt5/charsmap.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/models/umt5/unicode.h"

namespace denoir::umt5 {
namespace {

bool has_leaf(std::uint32_t unit) { return (unit >> 8) & 1; }
std::uint32_t value(std::uint32_t unit) { return unit & 0x7FFFFFFFu; }
std::uint32_t label(std::uint32_t unit) { return unit & 0x800000FFu; }
std::size_t offset(std::uint32_t unit) { return static_cast<std::size_t>(unit >> 10) << ((unit & 0x200u) >> 6); }

} // namespace

Charsmap Charsmap::read(std::span<const std::byte> bytes, std::string_view file, std::string_view field) {
    const auto refuse = [&](std::string message) {
        throw Error(std::string(file), std::string(field), std::move(message), "get the tokenizer file again");
    };
    if (bytes.size() > max_bytes) refuse("is larger than 4 MiB");
    if (bytes.size() < 4) refuse("is shorter than its own length field");
    const auto u32 = [&](std::size_t at) {
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(bytes[at + i]) << (8 * i);
        return word;
    };
    const std::size_t trie_bytes = u32(0);
    if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes > bytes.size() - 4)
        refuse("has a trie of an impossible length");
    Charsmap map;
    map.units_.resize(trie_bytes / 4);
    for (std::size_t i = 0; i < map.units_.size(); ++i) map.units_[i] = u32(4 + 4 * i);
    const auto strings = bytes.subspan(4 + trie_bytes);
    map.pool_.assign(reinterpret_cast<const char*>(strings.data()), strings.size());
    map.check(file, field);
    return map;
}

/// Whether the leaf at `base` points to a valid string. `seen` marks the offsets of strings that were found good, so
/// that none is checked twice.
bool Charsmap::leaf_is_sound(std::size_t base, std::vector<bool>& seen) const {
    const std::size_t start = value(units_[base]);
    if (start >= pool_.size()) return false;
    if (seen[start]) return true;
    seen[start] = true;
    const std::size_t end = pool_.find('\0', start);
    return end != std::string::npos && end - start <= max_replacement &&
           !find_invalid_utf8(std::string_view(pool_).substr(start, end - start));
}

/// Visits every node that some text can reach, each once: the nodes of a hostile array may form cycles.
void Charsmap::check(std::string_view file, std::string_view field) const {
    const auto require = [&](bool good) {
        if (!good)
            throw Error(std::string(file), std::string(field),
                        "points outside of itself or to strings that are not UTF-8", "get the tokenizer file again");
    };
    std::vector<bool> visited(units_.size()), seen(pool_.size());
    std::vector<std::size_t> bases = {offset(units_[0])};
    require(bases[0] < units_.size());
    visited[bases[0]] = true;
    while (!bases.empty()) {
        const std::size_t base = bases.back();
        bases.pop_back();
        for (std::uint32_t c = 1; c < 256; ++c) {
            const std::size_t node = base ^ c;
            if (node >= units_.size() || label(units_[node]) != c) continue;
            const std::size_t next = node ^ offset(units_[node]);
            require(next < units_.size());
            if (has_leaf(units_[node])) require(leaf_is_sound(next, seen));
            if (visited[next]) continue;
            visited[next] = true;
            bases.push_back(next);
        }
    }
}

bool Charsmap::lookup(std::string_view text, std::string_view& replacement) const {
    std::size_t base = offset(units_[0]);
    for (const char ch : text) {
        const auto c = static_cast<std::uint8_t>(ch);
        const std::size_t node = base ^ c;
        if (c == 0 || node >= units_.size() || label(units_[node]) != c) return false;
        base = node ^ offset(units_[node]);
        if (has_leaf(units_[node])) {
            replacement = std::string_view(pool_.c_str() + value(units_[base]));
            return true;
        }
    }
    return false;
}

std::string Charsmap::apply(std::string_view text, std::size_t most) const {
    constexpr std::size_t whole_cluster_below = 6;
    std::string out;
    out.reserve(text.size() + 16);
    std::string_view replacement;
    std::size_t begin = 0;
    for (const std::size_t end : grapheme_ends(text)) {
        const std::string_view cluster = text.substr(begin, end - begin);
        begin = end;
        if (out.size() > most) break;
        if (cluster.size() < whole_cluster_below && lookup(cluster, replacement)) {
            out += replacement;
            continue;
        }
        for (std::size_t i = 0; i < cluster.size() && out.size() <= most;) {
            const std::size_t n = std::max<std::size_t>(utf8_length(cluster.substr(i)), 1);
            const std::string_view character = cluster.substr(i, n);
            out += lookup(character, replacement) ? replacement : character;
            i += n;
        }
    }
    return out;
}

} // namespace denoir::umt5
